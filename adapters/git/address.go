package git

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
)

// Address is where git fetches from: a folder on this machine or a server. The
// zero value is none.
type Address struct {
	text     string
	protocol string // that git is allowed, and no other
}

// String is the address as git takes it. It holds no credential.
func (a Address) String() string { return a.text }

// Local reports whether it is a folder on this machine.
func (a Address) Local() bool { return a.protocol == protocolFile }

// Path is the folder of a local address.
func (a Address) Path() string {
	if !a.Local() {
		return ""
	}
	return a.text
}

// The protocols that git may speak. Everything else, above all the remote helpers
// "ext::" and "fd::", is refused. (case W19)
const (
	protocolFile  = "file"
	protocolHTTPS = "https"
	protocolHTTP  = "http" // to this machine alone
	protocolSSH   = "ssh"
)

// ErrAddress: the text is no address that is fetched from.
var ErrAddress = errors.New("not an address that git may fetch from")

// LocalAddress is the address of a folder.
func LocalAddress(path string) (Address, error) {
	dir, err := filepath.Abs(path)
	if err != nil {
		return Address{}, fmt.Errorf("find folder %q: %w", path, err)
	}
	return Address{text: dir, protocol: protocolFile}, nil
}

// LooksRemote reports whether a text is meant as an address and not as a path:
// "scheme://…", "host:path" as ssh spells it, or a remote helper.
func LooksRemote(text string) bool {
	if strings.Contains(text, "://") || strings.Contains(text, "::") {
		return true
	}
	host, _, found := strings.Cut(text, ":")
	return found && len(host) > 1 && !strings.ContainsAny(host, `/\`)
}

// ParseAddress reads an address of a server, or "file:///…". One that holds a
// password or a token is refused: it would stand in a process list and in git's
// own messages. (case W16)
func ParseAddress(text string) (Address, error) {
	switch {
	case text == "" || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return Address{}, fmt.Errorf("%w: it is empty or holds a control character", ErrAddress)
	case strings.Contains(text, "://"):
		return parseURL(text)
	}
	host, path, found := strings.Cut(text, ":")
	switch {
	case !found || strings.HasPrefix(path, ":") || strings.ContainsAny(host, `/\`):
		return Address{}, fmt.Errorf("%w: give https://…, ssh://…, file:///… or host:path", ErrAddress)
	case len(host) < 2 || strings.HasPrefix(host, "-") || strings.Contains(host, "@-") || path == "" || strings.HasPrefix(path, "-"):
		return Address{}, fmt.Errorf("%w: no usable host and path", ErrAddress)
	}
	return Address{text: text, protocol: protocolSSH}, nil
}

func parseURL(text string) (Address, error) {
	u, err := url.Parse(text)
	if err != nil { // its text would show a password
		return Address{}, fmt.Errorf("%w: it cannot be read", ErrAddress)
	}
	if _, secret := u.User.Password(); secret || u.User != nil && u.Scheme != protocolSSH {
		return Address{}, fmt.Errorf("%w: it holds a user or a password: leave them out, they would be seen by everyone on this machine", ErrAddress)
	}
	host := u.Hostname()
	switch {
	case u.Scheme == protocolFile && host == "" && filepath.IsAbs(u.Path):
		return Address{text: filepath.Clean(u.Path), protocol: protocolFile}, nil
	case u.Scheme == protocolHTTP && !loopback(host):
		return Address{}, fmt.Errorf("%w: http is not encrypted: use https", ErrAddress)
	case u.Scheme != protocolHTTPS && u.Scheme != protocolHTTP && u.Scheme != protocolSSH:
		return Address{}, fmt.Errorf("%w: it begins with %q: use https, ssh or file", ErrAddress, u.Scheme)
	case host == "" || strings.HasPrefix(host, "-") || strings.Trim(u.Path, "/") == "" || strings.HasPrefix(u.User.Username(), "-"):
		return Address{}, fmt.Errorf("%w: no usable host and path", ErrAddress)
	}
	return Address{text: text, protocol: u.Scheme}, nil
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
