package exec

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/engine/static"
)

// secretMin is the shortest value of a variable that is looked for: shorter ones
// would take ordinary words out of a text.
const secretMin = 8

// secretName tells a variable that holds a secret by its name. A program does not
// get those that it was not given by name, but it runs as the same user and can
// read this process's environment where no sandbox hinders it. (case E24)
var secretName = regexp.MustCompile(`(?i)(token|secret|passw|passphrase|credential|api_?key|access_?key|private_?key|_key$|_pat$|_auth$|_dsn$|cookie)`)

// secretNot names variables that look like one and hold a path or a number.
var secretNot = regexp.MustCompile(`(?i)(_file|_path|_dir|_sock|_url_?base|_max|_count|_limit)$`)

// scrubber takes secrets out of texts: the values of variables that hold one, those
// that the change shows, and whatever the static rules know.
type scrubber struct {
	ctx   context.Context
	known *strings.Replacer
	lane  *lane
	err   error
}

func (l *lane) scrubber(ctx context.Context) *scrubber {
	return &scrubber{ctx: ctx, known: knownSecrets(os.Environ(), l.Env), lane: l}
}

// text returns the text without secrets. After an error it returns nothing.
func (s *scrubber) text(text string) string {
	if text == "" || s.err != nil {
		return ""
	}
	in := s.lane.in
	shown, err := static.SecretsOf(s.ctx, in.Diff, in.Change.Print)
	if err != nil {
		s.err = err
		return ""
	}
	clean, err := static.Redact(s.ctx, shown.Replace(s.known.Replace(text)))
	if err != nil {
		s.err = err
		return ""
	}
	return clean
}

// knownSecrets replaces each secret of an environment by its variable's name: in
// plain, as JSON writes it, and in the usual encodings.
func knownSecrets(environ, given []string) *strings.Replacer {
	type secret struct{ name, value string }
	var all []secret
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		named := secretName.MatchString(name) && !secretNot.MatchString(name)
		if !named && !slices.Contains(given, name) {
			if value = password(value); value == "" {
				continue
			}
		}
		for _, form := range forms(value) {
			all = append(all, secret{name, form})
		}
	}
	// The longest first, because one may hold another; then by name.
	slices.SortFunc(all, func(a, b secret) int {
		return cmp.Or(cmp.Compare(len(b.value), len(a.value)), cmp.Compare(a.name, b.name), cmp.Compare(a.value, b.value))
	})
	var pairs []string
	for _, s := range all {
		pairs = append(pairs, s.value, "[secret: "+s.name+"]")
	}
	return strings.NewReplacer(pairs...)
}

// password is the one in the address of a proxy or a database.
func password(value string) string {
	if !strings.Contains(value, "://") || !strings.Contains(value, "@") {
		return ""
	}
	address, err := url.Parse(value)
	if err != nil || address.User == nil {
		return ""
	}
	word, _ := address.User.Password()
	return word
}

// forms are the ways in which a value is written, without those too short to be
// looked for.
func forms(value string) []string {
	value = strings.TrimSpace(value)
	if len(value) < secretMin {
		return nil
	}
	all := []string{
		value, url.QueryEscape(value), hex.EncodeToString([]byte(value)),
		base64.StdEncoding.EncodeToString([]byte(value)), base64.RawStdEncoding.EncodeToString([]byte(value)),
		base64.URLEncoding.EncodeToString([]byte(value)), base64.RawURLEncoding.EncodeToString([]byte(value)),
	}
	if quoted, err := json.Marshal(value); err == nil {
		all = append(all, strings.Trim(string(quoted), `"`))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
