package main

import (
	"fmt"
	"slices"
	"strings"
)

// The scripts walk over the words before the cursor, step over the values of
// flags, and so know which verb it is; a table says what may follow.

// bashCompletion is for bash 3.2 and newer.
func bashCompletion(tree []verbNode) string {
	var b strings.Builder
	b.WriteString(`# bash completion of reviewctl. Load it with:
#   source <(reviewctl completion bash)
_reviewctl() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb= word i skip=
    # bash makes words of its own of "--flag=value".
    if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ -n $skip ]]; then skip=; [[ $word == = ]] && skip=1; continue; fi
        case "$verb|$word" in
`)
	writeSteps(&b, tree, "            %s) verb=%s ;;\n", "            %s) skip=1 ;;\n")
	b.WriteString("        esac\n    done\n    case \"$verb|$prev\" in\n")
	writeValues(&b, tree, "        %s) COMPREPLY=($(compgen -W %s -- \"$cur\")); return ;;\n", "        %s) COMPREPLY=(); compopt -o default 2>/dev/null; return ;;\n")
	b.WriteString("    esac\n    case \"$verb|$cur\" in\n")
	for i := range tree {
		v := &tree[i]
		fmt.Fprintf(&b, "        %s\\|-*) COMPREPLY=($(compgen -W %s -- \"$cur\")) ;;\n", shellWord(v.path), shellWord(strings.Join(v.dashed(), " ")))
		if words := v.offered(); len(words) > 0 {
			fmt.Fprintf(&b, "        %s\\|*) COMPREPLY=($(compgen -W %s -- \"$cur\")) ;;\n", shellWord(v.path), shellWord(strings.Join(words, " ")))
		}
	}
	b.WriteString("        *) COMPREPLY=(); compopt -o default 2>/dev/null ;;\n    esac\n}\ncomplete -F _reviewctl reviewctl\n")
	return b.String()
}

// zshCompletion is for zsh's own completion system.
func zshCompletion(tree []verbNode) string {
	var b strings.Builder
	b.WriteString(`#compdef reviewctl
# zsh completion of reviewctl. Put it into a folder of $fpath as _reviewctl, or load it with:
#   source <(reviewctl completion zsh)
_reviewctl() {
    local cur=${words[CURRENT]} prev=${words[CURRENT-1]} verb= word skip= i
    local -a offered
    for ((i = 2; i < CURRENT; i++)); do
        word=${words[i]}
        if [[ -n $skip ]]; then skip=; continue; fi
        case "$verb|$word" in
`)
	writeSteps(&b, tree, "            %s) verb=%s ;;\n", "            %s) skip=1 ;;\n")
	b.WriteString("        esac\n    done\n    if [[ $cur == --*=* ]]; then prev=${cur%%=*}; compset -P '*='; cur=; fi\n    case \"$verb|$prev\" in\n")
	writeValues(&b, tree, "        %s) offered=(${=:-%s}); compadd -a offered; return ;;\n", "        %s) _files; return ;;\n")
	b.WriteString("    esac\n    case \"$verb|$cur\" in\n")
	for i := range tree {
		v := &tree[i]
		var flags []string
		for j := range v.flags {
			for _, name := range v.flags[j].spellings() {
				flags = append(flags, shellWord(name+":"+strings.ReplaceAll(v.flags[j].help, ":", `\:`)))
			}
		}
		fmt.Fprintf(&b, "        %s\\|-*) offered=(%s); _describe -o flag offered ;;\n", shellWord(v.path), strings.Join(flags, " "))
		var words []string
		for _, verb := range v.verbs {
			words = append(words, shellWord(verb.word+":"+strings.ReplaceAll(verb.help, ":", `\:`)))
		}
		for _, word := range v.words {
			words = append(words, shellWord(word))
		}
		if len(words) > 0 {
			fmt.Fprintf(&b, "        %s\\|*) offered=(%s); _describe word offered ;;\n", shellWord(v.path), strings.Join(words, " "))
		}
	}
	b.WriteString("        *) _files ;;\n    esac\n}\nif [[ ${funcstack[1]} == _reviewctl ]]; then _reviewctl \"$@\"; else compdef _reviewctl reviewctl; fi\n")
	return b.String()
}

// writeSteps writes which words lead from a verb to one below it, and which want
// a value.
func writeSteps(b *strings.Builder, tree []verbNode, toVerb, overValue string) {
	for i := range tree {
		v := &tree[i]
		for _, verb := range v.verbs {
			fmt.Fprintf(b, toVerb, shellWord(v.path+"|"+verb.word), shellWord(strings.TrimSpace(v.path+" "+verb.word)))
		}
	}
	eachValued(tree, func(f *flagNode, paths []string) { fmt.Fprintf(b, overValue, alternatives(f, paths)) })
}

// writeValues writes what the value of a flag can be: one of its words, or a file.
func writeValues(b *strings.Builder, tree []verbNode, words, file string) {
	eachValued(tree, func(f *flagNode, paths []string) {
		if len(f.words) > 0 {
			fmt.Fprintf(b, words, alternatives(f, paths), shellWord(strings.Join(f.words, " ")))
			return
		}
		fmt.Fprintf(b, file, alternatives(f, paths))
	})
}

// alternatives is a case pattern: any of the verbs with any spelling of the flag.
func alternatives(f *flagNode, paths []string) string {
	var patterns []string
	for _, path := range paths {
		for _, name := range f.spellings() {
			patterns = append(patterns, shellWord(path+"|"+name))
		}
	}
	return strings.Join(patterns, "|")
}

// fishCompletion is for fish 3 and newer.
func fishCompletion(tree []verbNode) string {
	var b strings.Builder
	b.WriteString(`# fish completion of reviewctl. Load it with:
#   reviewctl completion fish | source
function __reviewctl_verb
    set -l verb
    set -l skip
    for word in (commandline -opc)[2..-1]
        if test -n "$skip"
            set skip
            continue
        end
        switch "$verb|$word"
`)
	for i := range tree {
		for _, verb := range tree[i].verbs {
			fmt.Fprintf(&b, "            case %s\n                set verb %s\n", fishWord(tree[i].path+"|"+verb.word), fishWord(strings.TrimSpace(tree[i].path+" "+verb.word)))
		}
	}
	eachValued(tree, func(f *flagNode, paths []string) {
		var patterns []string
		for _, path := range paths {
			for _, name := range f.spellings() {
				patterns = append(patterns, fishWord(path+"|"+name))
			}
		}
		fmt.Fprintf(&b, "            case %s\n                set skip 1\n", strings.Join(patterns, " "))
	})
	b.WriteString("        end\n    end\n    echo $verb\nend\n\nfunction __reviewctl_at\n    test (__reviewctl_verb) = \"$argv[1]\"\nend\n\n") //nolint:dupword // fish's blocks end so
	for i := range tree {
		v := &tree[i]
		at := fmt.Sprintf("complete -c reviewctl -n %s", fishWord("__reviewctl_at "+fishWord(v.path)))
		for _, verb := range v.verbs {
			fmt.Fprintf(&b, "%s -f -a %s -d %s\n", at, fishWord(verb.word), fishWord(verb.help))
		}
		if len(v.words) > 0 {
			fmt.Fprintf(&b, "%s -f -a %s\n", at, fishWord(strings.Join(v.words, " ")))
		}
		for j := range v.flags {
			b.WriteString(at + fishFlag(&v.flags[j]) + "\n")
		}
	}
	return b.String()
}

func fishFlag(f *flagNode) string {
	out := " -l " + f.word
	if f.short != "" {
		out += " -s " + f.short
	}
	switch {
	case len(f.words) > 0:
		out += " -x -a " + fishWord(strings.Join(slices.Clone(f.words), " "))
	case f.value:
		out += " -r"
	default:
		out += " -f"
	}
	return out + " -d " + fishWord(f.help)
}
