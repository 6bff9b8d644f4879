package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/diff"
)

const oneFile = "diff --git a/%[1]s b/%[1]s\nindex 1111111..2222222 100644\n--- a/%[1]s\n+++ b/%[1]s\n@@ -1 +1,%[2]d @@\n-old\n%[3]s"

// added is an entry of n added rows.
func added(name string, n int) string {
	return fmt.Sprintf(oneFile, name, n, strings.Repeat("+12345678\n", n))
}

// Two entries of one file are refused, but for the halves of a change of type. (case
// D12)
func TestTwoEntriesOfOneFile(t *testing.T) {
	t.Parallel()
	removed := "diff --git a/a b/a\ndeleted file mode 120000\nindex 1..0\n--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
	new := "diff --git a/a b/a\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n"
	for patch, ok := range map[string]bool{
		added("a", 1) + added("b", 1):                 true,
		removed + new:                                 true,
		added("a", 1) + added("a", 1):                 false,
		removed + added("b", 1) + new:                 false,
		new + removed:                                 false,
		removed + new + removed:                       false,
		removed + new + new:                           false,
		added("b", 1) + removed + new + added("c", 1): true,
	} {
		_, err := diff.Parse([]byte(patch))
		if (err == nil) != ok {
			t.Errorf("%v, want %v:\n%s", err, ok, patch)
		}
	}
}
