package main

import (
	"context"
	"path/filepath"
)

// ownConfig refuses a configuration that was found in the working folder and that
// the reviewed change changes, its policy included: both choose programs that run
// and what counts, and a change must not choose its own reviewers. Whoever names
// the file means it. (issue 3: a hostile repository executes nothing)
func (c *localChange) ownConfig(ctx context.Context, config *Config, policyFlag string) error {
	if config.named || config.File == "" {
		return nil
	}
	files := map[string]string{"--config": config.File}
	if policy := config.Policy.Path; policyFlag == "" && policy != "" {
		if !filepath.IsAbs(policy) {
			policy = filepath.Join(filepath.Dir(config.File), policy)
		}
		files["--policy"] = policy
	}
	base := c.base
	for _, flag := range []string{"--config", "--policy"} {
		for _, path := range c.withinRepo(files[flag]) {
			if base.MergeBase == "" {
				at := &localChange{repo: c.repo, repository: c.repository, head: c.head, given: c.given, givenName: c.givenName}
				if err := at.findBase(ctx, c.repo); err != nil {
					return err
				}
				base = at.base
			}
			same, err := c.repo.SameFile(ctx, base.MergeBase, c.head, path)
			if err != nil {
				return err
			}
			if !same {
				return &CLIError{Code: CodeConfig, What: "the change that is to be reviewed changes the configuration by which it would be", Subject: path,
					Remedy: "name the file with " + flag + " if it is yours, or one of your own"}
			}
		}
	}
	return nil
}

// withinRepo are the paths in the reviewed repository that a file is read from:
// its own, and where its links lead.
func (c *localChange) withinRepo(file string) []string {
	if file == "" || c.repo.Bare {
		return nil
	}
	top, err := filepath.EvalSymlinks(c.repo.Top)
	if err != nil {
		return nil
	}
	var within []string
	add := func(path string, err error) {
		if err != nil {
			return
		}
		rel, err := filepath.Rel(top, path)
		if err == nil && filepath.IsLocal(rel) && (len(within) == 0 || within[0] != filepath.ToSlash(rel)) {
			within = append(within, filepath.ToSlash(rel))
		}
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(abs))
	add(filepath.Join(folder, filepath.Base(abs)), err)
	add(filepath.EvalSymlinks(abs))
	return within
}
