package workspace

// Settle returns when nothing is at work: what was released is in the pool.
func (w *Workspace) Settle() { w.tasks.Wait() }
