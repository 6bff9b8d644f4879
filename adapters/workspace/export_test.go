package workspace

import "testing"

// Settle returns when nothing is at work: what was released is in the pool.
func (w *Workspace) Settle() { w.tasks.Wait() }

// EmptyPool removes all pooled trees.
func (w *Workspace) EmptyPool(t testing.TB) {
	t.Helper()
	trees, _, err := w.pool.list()
	if err != nil {
		t.Fatal(err)
	}
	for _, tree := range trees {
		if err := w.pool.discard(tree.name); err != nil {
			t.Fatal(err)
		}
	}
}
