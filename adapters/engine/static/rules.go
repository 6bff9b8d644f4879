package static

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"runtime"

	"github.com/zricethezav/gitleaks/v8/config"

	"github.com/reviewctl/reviewctl/events"
)

// The modules whose rules and grammars decide what is found, as go.mod has them.
const (
	gitleaksVersion   = "8.30.1"
	actionlintVersion = "1.7.12"
	yamlVersion       = "4.0.0-rc.3"
	tomlVersion       = "2.2.3"
	misspellVersion   = "0.8.0"
)

// The categories of findings.
const (
	categoryBug      = "bug"
	categorySecurity = "security"
	categoryHygiene  = "hygiene"
	categoryTests    = "tests"
)

// Rule is one kind of finding.
type Rule struct {
	ID       string
	Doc      string // why it matters and what to do; it ends every finding's text
	Severity events.Severity
	Category string

	title   string
	version int // of what it finds: a change of that is another version
}

// secretRule stands for the rules of gitleaks, whose ids come after the colon.
var secretRule = Rule{
	ID: "gitleaks:*", title: "Secret in the code", version: 2,
	Severity: events.SeverityBlocking, Category: categorySecurity,
	Doc: "Revoke the secret, because whoever can read the branch has it, and take it out of the branch's history. " +
		"Its text is not shown here.",
}

// Rules lists the rules by subject.
func Rules() []*Rule {
	return []*Rule{
		&secretRule,
		&conflictRule,
		&bidiRule, &invisibleRule,
		&armorRule, &credentialNameRule,
		&addedBinaryRule, &largeFileRule,
		&executableRule, &symlinkRule, &submoduleRule, &submoduleURLRule,
		&lineEndingsRule,
		&lockAloneRule, &manifestAloneRule,
		&focusedTestRule, &skippedTestRule, &debuggerRule,
		&syntaxRule,
		&injectionRule, &workflowRule, &targetCheckoutRule, &unpinnedRule, &writeAllRule,
		&spellingRule,
		&compileRule, &goVetRule, &staticcheckRule,
	}
}

// version names the rules as they are switched and the libraries behind them, Go's
// parsers among them, because a change of them changes results: "static/" and
// twelve hex digits. (ecosystem.md §2.3)
func (e *Engine) version() string {
	parts := []string{
		runtime.Version(), gitleaksVersion, config.DefaultConfig, actionlintVersion, yamlVersion, tomlVersion, misspellVersion,
	}
	for _, r := range Rules() {
		parts = append(parts, fmt.Sprintf("%s/%d", r.ID, r.version), r.Doc, string(r.Severity), r.Category, r.title)
	}
	parts = append(parts, fmt.Sprintf("spelling %v", e.spelling))
	if e.deep != nil {
		parts = append(parts, e.deep.Version())
	}
	parts = append(parts, e.switches.words()...)
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return "static/" + hex.EncodeToString(h.Sum(nil))[:12]
}

// Title is what a finding of the rule is called.
func (r *Rule) Title() string { return r.title }
