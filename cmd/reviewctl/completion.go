package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Run prints a script for a shell, made from the grammar itself.
func (c *CompletionCmd) Run(app *App) error {
	tree, err := grammarTree()
	if err != nil {
		return err
	}
	switch c.Shell {
	case "bash":
		return app.Print.Text(bashCompletion(tree))
	case "zsh":
		return app.Print.Text(zshCompletion(tree))
	}
	return app.Print.Text(fishCompletion(tree))
}

// verbNode is what can be typed behind a verb.
type verbNode struct {
	path  string // words joined by spaces; "" = the command itself
	verbs []completed
	flags []flagNode
	words []string // that an argument can be
}

// completed is a word with its help.
type completed struct{ word, help string }

// flagNode is a flag that a verb takes.
type flagNode struct {
	completed        // the long name without dashes
	short     string // "" = none
	value     bool   // it wants one
	words     []string
}

// grammarTree flattens kong's model: each verb with all that it takes.
func grammarTree() ([]verbNode, error) {
	parser, err := kong.New(&CLI{}, kong.Name(toolName))
	if err != nil {
		return nil, fmt.Errorf("build grammar: %w", err)
	}
	var out []verbNode
	var walk func(node *kong.Node, path string)
	walk = func(node *kong.Node, path string) {
		here := verbNode{path: path}
		for _, group := range node.AllFlags(true) {
			for _, flag := range group {
				here.flags = append(here.flags, flagOf(flag))
			}
		}
		slices.SortFunc(here.flags, func(a, b flagNode) int { return strings.Compare(a.word, b.word) })
		for _, arg := range node.Positional {
			here.words = append(here.words, wordsOf(arg)...)
		}
		for _, child := range node.Children {
			if !child.Hidden {
				here.verbs = append(here.verbs, completed{child.Name, firstSentence(child.Help)})
			}
		}
		out = append(out, here)
		for _, child := range node.Children {
			if !child.Hidden {
				walk(child, strings.TrimSpace(path+" "+child.Name))
			}
		}
	}
	walk(parser.Model.Node, "")
	return out, nil
}

func flagOf(flag *kong.Flag) flagNode {
	f := flagNode{completed: completed{flag.Name, firstSentence(flag.Help)}, value: !flag.IsBool() && !flag.IsCounter(), words: wordsOf(flag.Value)}
	if flag.Short != 0 {
		f.short = string(flag.Short)
	}
	return f
}

func wordsOf(value *kong.Value) []string {
	return slices.DeleteFunc(strings.Split(value.Enum, ","), func(word string) bool { return word == "" })
}

// firstSentence is a help's first sentence, for one line.
func firstSentence(help string) string {
	line, _, _ := strings.Cut(strings.ReplaceAll(help, "\n", " "), ". ")
	return strings.TrimSuffix(line, ".")
}

// offered are the words that may follow a verb, besides files.
func (v *verbNode) offered() []string {
	var words []string
	for _, verb := range v.verbs {
		words = append(words, verb.word)
	}
	return append(words, v.words...)
}

// dashed are the verb's flags as they are typed.
func (v *verbNode) dashed() []string {
	var words []string
	for i := range v.flags {
		words = append(words, "--"+v.flags[i].word)
		if v.flags[i].short != "" {
			words = append(words, "-"+v.flags[i].short)
		}
	}
	return words
}

// spellings are a flag's names with dashes.
func (f *flagNode) spellings() []string {
	if f.short != "" {
		return []string{"--" + f.word, "-" + f.short}
	}
	return []string{"--" + f.word}
}

// eachValued calls yield for each flag that wants a value, once for all verbs
// that have it with the same words.
func eachValued(tree []verbNode, yield func(f *flagNode, paths []string)) {
	type key struct{ word, words string }
	var order []key
	flags, paths := map[key]*flagNode{}, map[key][]string{}
	for i := range tree {
		for j := range tree[i].flags {
			f := &tree[i].flags[j]
			k := key{f.word, strings.Join(f.words, " ")}
			if !f.value {
				continue
			}
			if flags[k] == nil {
				flags[k] = f
				order = append(order, k)
			}
			paths[k] = append(paths[k], tree[i].path)
		}
	}
	for _, k := range order {
		yield(flags[k], paths[k])
	}
}

// shellWord quotes for any of the shells.
func shellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// fishWord quotes for fish, which takes a backslash within quotes.
func fishWord(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}
