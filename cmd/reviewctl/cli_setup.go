package main

// The verbs that set up, check and look after an installation, and the ledger.

// LedgerCmd shows the money.
type LedgerCmd struct {
	Looking `embed:""`
	Account string `placeholder:"NAME" help:"Only of this account."`
	Repo    string `placeholder:"REPO" help:"Only what this repository holds and has spent: OWNER/REPO."`
	Window  string `enum:"5h,24h,7d," default:"" placeholder:"SPAN" help:"Only this rolling window: 5h, 24h or 7d (default: all three)."`
}

// Help is shown by ledger --help.
func (LedgerCmd) Help() string {
	return `An open reservation counts in full in every window; what was spent leaves a window when it is older. Limits are those of 5h and 7d.

Exit: 0 done · 3 the log is not available · 4 no such store.`
}

// ProjectionsCmd looks after the read models.
type ProjectionsCmd struct {
	Status  ProjectionsStatusCmd  `cmd:"" help:"How far each read model is. Exit 1: one is stopped."`
	Rebuild ProjectionsRebuildCmd `cmd:"" help:"Build them again from the whole log. Exit 1: one is stopped."`
}

// ProjectionsStatusCmd says how far they are.
type ProjectionsStatusCmd struct {
	Waiting `embed:""`
	Name    string `arg:"" optional:"" help:"Only this read model."`
}

// Help is shown by projections status --help.
func (ProjectionsStatusCmd) Help() string {
	return `The read models catch up first, for at most --wait. One that cannot go on is shown with the event before which it stopped, and why; the others go on.

Exit: 0 all go on · 1 one is stopped · 3 the log is not available · 4 no such read model or store.`
}

// ProjectionsRebuildCmd builds them again.
type ProjectionsRebuildCmd struct {
	Name string `arg:"" optional:"" help:"Only this read model (default: all)."`
}

// Help is shown by projections rebuild --help.
func (ProjectionsRebuildCmd) Help() string {
	return `They are built beside the ones in use and put in their place at once; a running daemon goes on. What is rebuilt is what would have been kept up event by event.

Exit: 0 done · 1 one is stopped at an event that it cannot apply · 3 the log is not available, or no space · 4 no such read model or store.`
}

// ConfigCmd is about the configuration.
type ConfigCmd struct {
	Check   ConfigCheckCmd   `cmd:"" help:"Check the file. Exit 1: something is wrong with it."`
	Show    ConfigShowCmd    `cmd:"" help:"Print the effective configuration."`
	Explain ConfigExplainCmd `cmd:"" help:"A key's value, where it came from, and what it means."`
}

// ConfigCheckCmd checks it.
type ConfigCheckCmd struct{}

// Help is shown by config check --help.
func (ConfigCheckCmd) Help() string {
	return `Each problem is named with its place in the file and what to do; so is what is wrong with the policy that it names. It is the only verb where a broken file is exit 1.

Exit: 0 the file is good, or there is none · 1 something is wrong with it · 2 there is no such file, or it cannot be read.`
}

// ConfigShowCmd prints it.
type ConfigShowCmd struct{}

// Help is shown by config show --help.
func (ConfigShowCmd) Help() string {
	return `Defaults, then the file, then the environment, then the flags; as YAML, with --json as JSON. Passwords in addresses and options that look like a secret are not shown.

Exit: 0 done · 2 the configuration is broken.`
}

// ConfigExplainCmd explains a key.
type ConfigExplainCmd struct {
	Key string `arg:"" help:"A key with its way, for example scheduling.debounce, engines.NAME.timeout or repositories.0.base."`
}

// Help is shown by config explain --help.
func (ConfigExplainCmd) Help() string {
	return `Exit: 0 done · 2 the configuration is broken · 4 no such key; those that are near are named.`
}

// InitCmd writes a configuration.
type InitCmd struct {
	Force bool `help:"Write over a configuration that is there."`
}

// Help is shown by init --help.
func (InitCmd) Help() string {
	return `Writes ./reviewctl.yaml (or --config FILE): this folder's repository with its default branch, or in a clone from GitHub that repository, and, as comments, the linters found on PATH and the keys that people change.

Exit: 0 written · 1 refused: there is one already · 2 the repository cannot be read · 3 the file cannot be written.`
}

// DoctorCmd checks an installation.
type DoctorCmd struct {
	NoModels bool `help:"Leave out the engines that have a model."`
}

// Help is shown by doctor --help.
func (DoctorCmd) Help() string {
	return `One line for each check, and what to do where one failed. No engine is started, no log is made, and nothing is written to one. What a fine-grained token of GitHub may write is learned by one request that cannot change anything.

Exit: 0 all is well · 1 a check failed · 2 the configuration is broken.`
}

// CompletionCmd prints a script that completes the command line.
type CompletionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"${enum}."`
}

// Help is shown by completion --help.
func (CompletionCmd) Help() string {
	return `bash: source <(reviewctl completion bash) · zsh: source <(reviewctl completion zsh) · fish: reviewctl completion fish | source

Exit: 0 done · 2 a shell that is not known.`
}
