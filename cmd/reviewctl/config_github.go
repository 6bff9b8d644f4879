package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/adapters/github/publish"
)

// Bounds of what is configured for GitHub, and of the file of a token.
const (
	LabelRunesMax  = 50 // GitHub's own
	WordsMax       = 100
	TokenBytesMax  = 4 << 10
	tokenFileModes = 0o077 // that a token's file must not have
)

func defaultGitHub() GitHubConfig {
	names := publish.DefaultLabelNames()
	return GitHubConfig{APIURL: GitHubAPIDefault, TokenEnv: GitHubTokenDefault, Labels: LabelsConfig{
		Approved: names.Approved, ChangesRequested: names.ChangesRequested, Commented: names.Commented,
	}}
}

// names are the labels as the publisher takes them.
func (c LabelsConfig) names() publish.LabelNames {
	return publish.LabelNames{Approved: c.Approved, ChangesRequested: c.ChangesRequested, Commented: c.Commented}
}

// hubRepositories are those on GitHub that are to be reviewed.
func hubRepositories(c *Config) []*RepositoryConfig {
	var out []*RepositoryConfig
	for i := range c.Repositories {
		if r := &c.Repositories[i]; r.Path == "" && r.IsEnabled() {
			out = append(out, r)
		}
	}
	return out
}

func (c *GitHubConfig) validate(l *located) error {
	var problems []error
	wrong := func(what, remedy string, key ...string) {
		problems = append(problems, l.wrong(what, remedy, append([]string{"github"}, key...)...))
	}
	if _, err := api.ParseBaseURL(c.APIURL); err != nil {
		wrong(hideText(err.Error()), "give "+GitHubAPIDefault+", or https://HOST/api/v3/ of a GitHub Enterprise Server", "api_url")
	}
	if strings.Trim(c.TokenEnv, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") != "" || c.TokenEnv == "" || secretWord.MatchString(c.TokenEnv) {
		wrong("this is not the name of a variable", "give the variable's name, never a token", "token_env")
	}
	if secretWord.MatchString(c.TokenFile) {
		wrong("this is not the name of a file", "give the file's name, never a token", "token_file")
	}
	seen := map[string]bool{}
	for _, label := range []struct{ key, name string }{
		{"approved", c.Labels.Approved}, {"changes_requested", c.Labels.ChangesRequested}, {"commented", c.Labels.Commented},
	} {
		switch n := utf8.RuneCountInString(label.name); {
		case label.name != strings.TrimSpace(label.name) || n == 0 || n > LabelRunesMax || strings.ContainsFunc(label.name, isControl):
			wrong(fmt.Sprintf("%.60q is not the name of a label", label.name), fmt.Sprintf("give 1 to %d characters in one line", LabelRunesMax), "labels", label.key)
		case seen[strings.ToLower(label.name)]:
			wrong(fmt.Sprintf("%q stands for two verdicts", label.name), "give each verdict a label of its own", "labels", label.key)
		}
		seen[strings.ToLower(label.name)] = true
	}
	return errors.Join(problems...)
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// validateWords wants a short list of names in one line each.
func validateWords(l *located, words []string, key string) error {
	var problems []error
	if len(words) > WordsMax {
		problems = append(problems, l.wrong(fmt.Sprintf("%d are too many", len(words)), fmt.Sprintf("give at most %d", WordsMax), "scheduling", key))
	}
	for i, word := range words {
		if word == "" || len(word) > 200 || strings.ContainsFunc(word, isControl) {
			problems = append(problems, l.wrong(fmt.Sprintf("%.60q is not a name", word), "give a name in one line", "scheduling", key, fmt.Sprint(i)))
		}
	}
	return errors.Join(problems...)
}

// token reads the token anew: from the file where one is named, else from the
// environment. Its errors never hold a part of it.
func (c *GitHubConfig) token(env func(string) string) (string, error) {
	if c.TokenFile == "" {
		if token := strings.TrimSpace(env(c.TokenEnv)); token != "" {
			return token, nil
		}
		return "", noToken(c.TokenEnv + " is not set")
	}
	if st, err := os.Stat(c.TokenFile); err == nil && !st.Mode().IsRegular() { // opening a pipe would wait for ever
		return "", noToken(c.TokenFile + " is not a file")
	}
	f, err := os.Open(c.TokenFile)
	if err != nil {
		return "", noToken(c.TokenFile + ": " + errnoOf(err).Error())
	}
	defer func() { _ = f.Close() }() // it was only read
	st, err := f.Stat()
	switch {
	case err != nil:
		return "", noToken(c.TokenFile + ": " + errnoOf(err).Error())
	case !st.Mode().IsRegular():
		return "", noToken(c.TokenFile + " is not a file")
	case st.Mode().Perm()&tokenFileModes != 0:
		return "", &CLIError{
			Code: CodeConfig, What: "the file of the token may be read by others", Subject: c.TokenFile,
			Remedy: "chmod 600 " + c.TokenFile,
		}
	}
	text, err := io.ReadAll(io.LimitReader(f, TokenBytesMax+1))
	switch {
	case err != nil:
		return "", noToken(c.TokenFile + ": " + errnoOf(err).Error())
	case len(text) > TokenBytesMax: // a part of some other file is sent to nobody
		return "", noToken(c.TokenFile + " is longer than a token is")
	}
	if token := strings.TrimSpace(string(text)); token != "" {
		return token, nil
	}
	return "", noToken(c.TokenFile + " is empty")
}

func noToken(why string) error {
	return &CLIError{
		Code: CodeConfig, What: "there is no token for GitHub", Subject: why,
		Remedy: "set " + GitHubTokenDefault + ", or name another variable or a file under github: token_env, token_file",
	}
}
