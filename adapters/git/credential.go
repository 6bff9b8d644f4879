package git

import (
	"fmt"
	"net/url"
	"strings"
)

// Credential is what a server lets fetch: a token, as GitHub takes one. Git asks for
// it when the server wants one, and gets it from its own environment: it stands in
// no process list, in no file and in no message. (case W16)
type Credential struct {
	User string
	// Token is read anew for each fetch, so that one that was replaced is used at once.
	Token func() (string, error)
}

// tokenVariable is where git's helper finds the token.
const tokenVariable = "REVIEWCTL_GIT_TOKEN" //nolint:gosec // the variable's name, never a token

// userVariable is where it finds whose it is.
const userVariable = "REVIEWCTL_GIT_USER"

// credentialHelper is run by git through the shell, whose printf is no process.
const credentialHelper = `!f() { test "$1" = get && printf 'username=%s\npassword=%s\n' "$` + userVariable + `" "$` + tokenVariable + `"; }; f`

// settings make git ask the helper for this server alone: a redirect to another one
// is answered without the token.
func (c *Credential) settings(to Address) ([]setting, []string, error) {
	if c == nil || (to.protocol != protocolHTTPS && to.protocol != protocolHTTP) {
		return nil, nil, nil
	}
	token, err := c.Token()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: read the token: %w", ErrAccess, err)
	}
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, nil, fmt.Errorf("%w: there is no usable token", ErrAccess)
	}
	server, err := url.Parse(to.text)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: it cannot be read", ErrAddress)
	}
	key := "credential." + server.Scheme + "://" + server.Host + ".helper"
	return []setting{{key, ""}, {key, credentialHelper}}, []string{userVariable + "=" + c.User, tokenVariable + "=" + token}, nil
}
