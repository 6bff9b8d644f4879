package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// pin is one package of the npm registry, by version and by the registry's own
// hash of it. To raise one: npm view NAME version dist.integrity
type pin struct {
	name, version string
	integrity     string // sha512, as the registry says it
	archive       string // the name that npm pack gives it
	file          string // what we want of it
}

var (
	openapi = pin{
		name: "@octokit/openapi", version: "23.0.2",
		integrity: "pV8M7L9GY23AybNvTmo2nyjmpmnt6+2sRE/tqr0ZLQcPS4lnw7u5eZGNmwRNkBC3D7gZXbFx5AHzLUVRBXGDhg==",
		archive:   "octokit-openapi-23.0.2.tgz",
		file:      "package/generated/api.github.com.json",
	}
	graphql = pin{
		name: "@octokit/graphql-schema", version: "15.26.1",
		integrity: "RFDC2MpRBd4AxSRvUeBIVeBU7ojN/SxDfALUd7iVYOSeEK3gZaqR2MGOysj4Zh2xj2RY5fQAUT+Oqq7hWTraMA==",
		archive:   "octokit-graphql-schema-15.26.1.tgz",
		file:      "package/schema.graphql",
	}
)

// fileMax bounds what is unpacked of one package.
const fileMax = 64 << 20

// fetch brings the package into the cache unless it is there. npm knows which
// registry, proxy and certificates this machine uses.
func (p pin) fetch(cache string) error {
	if _, err := p.read(cache); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return fmt.Errorf("make the cache: %w", err)
	}
	pack := exec.Command("npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", cache, p.name+"@"+p.version)
	pack.Dir = cache
	if said, err := pack.CombinedOutput(); err != nil {
		return fmt.Errorf("fetch %s@%s from the npm registry: %w: %s", p.name, p.version, err, bytes.TrimSpace(said))
	}
	_, err := p.read(cache)
	return err
}

// read returns the file of the package in the cache. It is checked against the
// pin each time: a cache is a folder that anybody may write.
func (p pin) read(cache string) ([]byte, error) {
	packed, err := os.ReadFile(filepath.Join(cache, p.archive))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", p.name, err)
	}
	sum := sha512.Sum512(packed)
	if got := base64.StdEncoding.EncodeToString(sum[:]); got != p.integrity {
		return nil, fmt.Errorf("%s@%s in %s has the hash sha512-%s, not the one pinned: remove it and run again", p.name, p.version, cache, got)
	}
	text, err := unpack(packed, p.file)
	if err != nil {
		return nil, fmt.Errorf("unpack %s of %s: %w", p.file, p.name, err)
	}
	return text, nil
}

func unpack(packed []byte, file string) ([]byte, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	for files := tar.NewReader(unzipped); ; {
		header, err := files.Next()
		if err == io.EOF {
			return nil, errors.New("the package has no such file")
		}
		if err != nil {
			return nil, err
		}
		if header.Name != file {
			continue
		}
		text, err := io.ReadAll(io.LimitReader(files, fileMax+1))
		if len(text) > fileMax {
			return nil, fmt.Errorf("it is larger than %d bytes", fileMax)
		}
		return text, err
	}
}
