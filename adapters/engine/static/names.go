package static

import (
	"context"
	"path"
	"regexp"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/events"
)

var armorRule = Rule{
	ID: "private-key-armor", title: "Private key armor", version: 1,
	Severity: events.SeveritySuggestion, Category: categorySecurity,
	Doc: "Keep private keys out of the repository. If this is one, revoke it: whoever can read the branch has it.",
}

var credentialNameRule = Rule{
	ID: "credential-file", title: "File of credentials", version: 1,
	Severity: events.SeveritySuggestion, Category: categorySecurity,
	Doc: "Such files do not belong in a repository. Take it out, revoke what is in it, and name it in .gitignore; " +
		"a template gets a name like .env.example.",
}

// armor is the first line of a private key on a line of its own; programs that
// read keys name it within a line.
var armor = regexp.MustCompile("^[\\s\"'`+|>#/*-]{0,20}-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\\\\n)?[\\s\"'`+,;)]{0,20}$")

// keyArmor finds the head of a key that gitleaks did not take for a whole one.
func (l *look) keyArmor(line int, row string, secret func(line int) bool) {
	if !strings.Contains(row, "PRIVATE KEY") || !armor.MatchString(row) || secret(line) {
		return
	}
	l.at(&armorRule, line, "", "The line is the head of a private key.")
}

// credentialNames are names of files that hold nothing but credentials; a
// pattern of path.Match in lower case, for the name or for the folder and name.
var credentialNames = []string{
	".env", ".env.*", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "*.p12", "*.pfx", "*.jks", "*.keystore",
	"*.kdbx", "*.ppk", ".netrc", "_netrc", ".pgpass", ".htpasswd", ".git-credentials", ".dockercfg",
	".docker/config.json", ".aws/credentials", ".kube/config", "*.tfstate", "*.tfstate.backup", "secring.gpg",
}

// templateEnds mark an example of a file and not the file.
var templateEnds = []string{".example", ".sample", ".template", ".tmpl", ".tpl", ".dist", ".defaults", ".schema", ".md"}

// credentialName finds a file that is new under such a name.
func (l *look) credentialName() {
	if f := l.file; f.Status != diff.Added && f.Status != diff.Renamed && f.Status != diff.Copied || isCredentialName(f.Old) {
		return
	}
	if isCredentialName(l.file.New) {
		l.whole(&credentialNameRule, "", "The change adds a file whose name is that of credentials.")
	}
}

// secretName finds a secret in the name of a file that is new under it. The name
// itself stays as it is: it is what git is asked for.
func (l *look) secretName(ctx context.Context) {
	if f := l.file; f.Status != diff.Added && f.Status != diff.Renamed && f.Status != diff.Copied {
		return
	}
	for _, h := range l.survey.scan.find(ctx, "", l.file.New) {
		if strings.Contains(l.file.Old, l.file.New[h.start:h.end]) {
			continue
		}
		l.keep(spot{
			rule: &secretRule, id: "gitleaks:" + h.rule, what: h.rule + " in a file's name",
			said: "The name of the file holds it. " + h.description,
		})
	}
}

func isCredentialName(name string) bool {
	name = strings.ToLower(name)
	last := path.Base(name)
	for _, end := range templateEnds {
		if strings.HasSuffix(last, end) {
			return false
		}
	}
	for _, pattern := range credentialNames {
		subject := last
		if strings.Contains(pattern, "/") {
			subject = path.Join(path.Base(path.Dir(name)), last)
		}
		if ok, err := path.Match(pattern, subject); ok && err == nil {
			return true
		}
	}
	return false
}
