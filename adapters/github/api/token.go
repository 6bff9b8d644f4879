package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// enter waits until a request may be sent, and reads the token. One that was
// replaced while it waited is read again.
func (c *Client) enter(ctx context.Context, t traffic) (token, identity string, release func(), fault *Fault) {
	if token, fault = c.secret(); fault != nil {
		return "", "", nil, fault
	}
	c.limits.belongTo(identityOf(token)) // an old token's limits do not keep a new one waiting
	if release, fault = c.admit(ctx, t); fault != nil {
		return "", "", nil, fault
	}
	if token, fault = c.secret(); fault != nil {
		release()
		return "", "", nil, fault
	}
	identity = identityOf(token)
	c.limits.belongTo(identity)
	return token, identity, release, nil
}

// secret is the token as it is now.
func (c *Client) secret() (string, *Fault) {
	token, err := c.token()
	token = strings.TrimSpace(token)
	switch {
	case err != nil:
		return "", &Fault{Kind: KindAuth, Message: scrub(oneLine("read the token: "+err.Error()), token)}
	case token == "":
		return "", &Fault{Kind: KindAuth, Message: "there is no token"}
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", &Fault{Kind: KindAuth, Message: "the token holds characters that no token has"}
	}
	return token, nil
}

// identityOf names a token without telling it.
func identityOf(token string) string {
	sum := sha256.Sum256([]byte("reviewctl cache\x00" + token))
	return hex.EncodeToString(sum[:])
}

// scrub takes a token out of a text.
func scrub(text, token string) string {
	if token == "" {
		return text
	}
	return strings.ReplaceAll(text, token, "[token]")
}
