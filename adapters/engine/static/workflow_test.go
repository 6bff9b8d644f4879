package static

import (
	"fmt"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/engine/changetest"
	"github.com/reviewctl/reviewctl/events"
)

const (
	workflowName = ".github/workflows/ci.yml"
	workflowHead = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n"
)

func workflow(name string) changetest.Files { return changetest.Files{workflowName: name} }

func TestWorkflows(t *testing.T) {
	t.Parallel()
	at := func(rule string, line int) string { return fmt.Sprintf("%s %s:%d-%d", rule, workflowName, line, line) }
	target := strings.Replace(workflowHead, "on: push", "on: pull_request_target", 1)
	checkout := "      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n"
	plant(t, map[string]planted{
		"a good one": {head: workflow(workflowHead + "      - run: make\n")},
		"an injection on one line": {
			base: workflow(workflowHead + "      - run: make\n"),
			head: workflow(workflowHead + "      - run: make\n      - run: echo ${{ github.event.issue.title }}\n"),
			want: []string{at("workflow-injection", 7)},
		},
		"two of them deep in a script": {
			base: workflow(workflowHead + "      - run: |\n          make\n"),
			head: workflow(workflowHead + "      - run: |\n          make\n          echo ${{ github.head_ref }}\n\n          echo ${{ github.sha }} ${{ github.event.comment.body }}\n"),
			want: []string{at("workflow-injection", 8), at("workflow-injection", 10)},
		},
		"in an environment variable it is fine": {
			head: workflow(workflowHead + "      - run: echo \"$T\"\n        env:\n          T: ${{ github.event.issue.title }}\n"),
		},
		"an injection there before": {
			base: workflow(workflowHead + "      - run: echo ${{ github.event.issue.title }}\n"),
			head: workflow(workflowHead + "      - run: echo ${{ github.event.issue.title }}\n      - run: make\n"),
		},
		"in a script of github-script": {
			head: workflow(workflowHead + "      - uses: actions/github-script@v7\n        with:\n          script: |\n            console.log('${{ github.event.issue.body }}')\n"),
			want: []string{at("workflow-injection", 9)},
		},
		"what actionlint knows": {
			base: workflow(workflowHead + "      - run: make\n"),
			head: workflow(workflowHead + "      - run: make\n        shel: bash\n"),
			want: []string{at("workflow", 7)},
		},
		"an action that is not pinned": {
			head: workflow(workflowHead + "      - uses: other/action@v1\n      - uses: actions/checkout@v4\n      - uses: other/action@" + strings.Repeat("a", 40) + "\n      - uses: ./local\n"),
			want: []string{at("workflow-unpinned-action", 6)},
		},
		"all permissions": {
			head: workflow("permissions: write-all\n" + workflowHead + "      - run: make\n"),
			want: []string{at("workflow-write-all", 1)},
		},
		"the head behind a privileged trigger": {
			head: workflow(target + checkout), want: []string{at("workflow-target-checkout", 8)},
		},
		"the trigger before a checkout that was there": {
			base: workflow(workflowHead + checkout), head: workflow(target + checkout), want: []string{at("workflow-target-checkout", 1)},
		},
		"the head behind an ordinary trigger": {head: workflow(workflowHead + checkout)},
		"the base behind a privileged one":    {head: workflow(target + "      - uses: actions/checkout@v4\n")},
		"the change's own configuration does not count": {
			head: changetest.Files{
				workflowName:             workflowHead + "      - run: echo ${{ github.event.issue.title }}\n",
				".github/actionlint.yml": "paths:\n  \"**/*\":\n    ignore: ['.*']\n",
			},
			want: []string{at("workflow-injection", 6)},
		},
		"not where GitHub looks": {head: changetest.Files{"x/.github/workflows/ci.yml": "on: nothing\n"}},
	})
}

func TestInjectionBlocks(t *testing.T) {
	t.Parallel()
	answer := review(t, New(Options{}), nil, workflow(workflowHead+"      - run: echo ${{ github.event.issue.title }}\n"))
	if len(answer.Findings) != 1 || answer.Findings[0].Severity != events.SeverityBlocking {
		t.Errorf("findings %+v", answer.Findings)
	}
}

// Aliases that stand for aliases grow without end when they are written out.
func TestAliasesAreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	for name, body := range map[string]string{"a bomb": b.String(), "a loop": "a: &a [*a]\n"} {
		if !tooWide([]byte(body)) {
			t.Errorf("%s is not too wide", name)
		}
		answer := review(t, New(Options{}), nil, workflow(body))
		if len(answer.Skipped) != 1 || !strings.Contains(answer.Skipped[0].Reason, "aliases") {
			t.Errorf("%s: coverage %+v", name, answer.Skipped)
		}
	}
}

func FuzzWorkflow(f *testing.F) {
	f.Add([]byte(workflowHead + "      - run: |\n          echo ${{ github.head_ref }}\n"))
	f.Add([]byte("on: [push, {a: *b}]\njobs: {a: {steps: [{uses: a/b@c}, {run: \"${{ ${{\"}]}}\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		if tooDeep(body) || tooWide(body) || len(body) > 1<<16 {
			return
		}
		l := lookAt(t, workflowName, string(body))
		l.workflow(t.Context())
		for _, s := range l.spots {
			if _, ok := l.added[s.start]; !ok {
				t.Errorf("%s at line %d, which is not added", s.rule.ID, s.start)
			}
		}
	})
}
