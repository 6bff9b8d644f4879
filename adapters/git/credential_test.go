package git

import (
	"errors"
	"strings"
	"testing"
)

// A token reaches git by its environment alone, and for one server alone. (case W16)
func TestCredentialIsForOneServer(t *testing.T) {
	t.Parallel()
	secret := "gho" + "_" + strings.Repeat("x", 20)
	with := &Credential{User: "x-access-token", Token: func() (string, error) { return secret, nil }}
	to, err := ParseAddress("https://example.org/o/r.git")
	if err != nil {
		t.Fatal(err)
	}
	list, env, err := with.settings(to)
	if err != nil || len(list) != 2 || len(env) != 2 {
		t.Fatalf("%v %v %v", list, env, err)
	}
	for _, s := range list {
		if s.key != "credential.https://example.org.helper" || strings.Contains(s.value, secret) {
			t.Errorf("setting %q = %q", s.key, s.value)
		}
	}
	if env[1] != tokenVariable+"="+secret {
		t.Error("the token is not in the environment")
	}
	for name, token := range map[string]func() (string, error){
		"none":        func() (string, error) { return "", nil },
		"two lines":   func() (string, error) { return "a\nb", nil },
		"not to read": func() (string, error) { return "", errors.New("gone") },
	} {
		if _, _, err := (&Credential{Token: token}).settings(to); !errors.Is(err, ErrAccess) {
			t.Errorf("%s: %v", name, err)
		}
	}
	local, err := LocalAddress(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if list, env, err := with.settings(local); err != nil || list != nil || env != nil {
		t.Errorf("a folder gets a credential: %v %v %v", list, env, err)
	}
}
