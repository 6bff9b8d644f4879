# bash completion of reviewctl. Load it with:
#   source <(reviewctl completion bash)
_reviewctl() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb= word i skip=
    # bash makes words of its own of "--flag=value".
    if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ -n $skip ]]; then skip=; [[ $word == = ]] && skip=1; continue; fi
        case "$verb|$word" in
            '|review') verb='review' ;;
            '|serve') verb='serve' ;;
            '|enqueue') verb='enqueue' ;;
            '|cancel') verb='cancel' ;;
            '|retry') verb='retry' ;;
            '|dismiss') verb='dismiss' ;;
            '|reopen') verb='reopen' ;;
            '|pause') verb='pause' ;;
            '|resume') verb='resume' ;;
            '|status') verb='status' ;;
            '|get') verb='get' ;;
            '|queue') verb='queue' ;;
            '|explain') verb='explain' ;;
            '|events') verb='events' ;;
            '|ledger') verb='ledger' ;;
            '|audit') verb='audit' ;;
            '|verify') verb='verify' ;;
            '|init') verb='init' ;;
            '|doctor') verb='doctor' ;;
            '|config') verb='config' ;;
            '|version') verb='version' ;;
            '|completion') verb='completion' ;;
            '|projections') verb='projections' ;;
            'config|check') verb='config check' ;;
            'config|show') verb='config show' ;;
            'config|explain') verb='config explain' ;;
            'projections|status') verb='projections status' ;;
            'projections|rebuild') verb='projections rebuild' ;;
            '|--config'|'review|--config'|'serve|--config'|'enqueue|--config'|'cancel|--config'|'retry|--config'|'dismiss|--config'|'reopen|--config'|'pause|--config'|'resume|--config'|'status|--config'|'get|--config'|'queue|--config'|'explain|--config'|'events|--config'|'ledger|--config'|'audit|--config'|'verify|--config'|'init|--config'|'doctor|--config'|'config|--config'|'config check|--config'|'config show|--config'|'config explain|--config'|'version|--config'|'completion|--config'|'projections|--config'|'projections status|--config'|'projections rebuild|--config') skip=1 ;;
            '|--store'|'review|--store'|'serve|--store'|'enqueue|--store'|'cancel|--store'|'retry|--store'|'dismiss|--store'|'reopen|--store'|'pause|--store'|'resume|--store'|'status|--store'|'get|--store'|'queue|--store'|'explain|--store'|'events|--store'|'ledger|--store'|'audit|--store'|'verify|--store'|'init|--store'|'doctor|--store'|'config|--store'|'config check|--store'|'config show|--store'|'config explain|--store'|'version|--store'|'completion|--store'|'projections|--store'|'projections status|--store'|'projections rebuild|--store') skip=1 ;;
            'review|--base') skip=1 ;;
            'review|--engine') skip=1 ;;
            'review|--fail-on') skip=1 ;;
            'review|--format') skip=1 ;;
            'review|--head') skip=1 ;;
            'review|--policy') skip=1 ;;
            'serve|--listen') skip=1 ;;
            'enqueue|--sha') skip=1 ;;
            'enqueue|--wait'|'cancel|--wait'|'retry|--wait'|'dismiss|--wait'|'reopen|--wait'|'pause|--wait'|'resume|--wait'|'status|--wait'|'get|--wait'|'queue|--wait'|'explain|--wait'|'ledger|--wait'|'projections status|--wait') skip=1 ;;
            'cancel|--reason'|'dismiss|--reason') skip=1 ;;
            'cancel|--run') skip=1 ;;
            'status|--at'|'get|--at'|'queue|--at'|'explain|--at'|'ledger|--at') skip=1 ;;
            'get|--cursor') skip=1 ;;
            'get|--limit'|'events|--limit') skip=1 ;;
            'get|--repo'|'ledger|--repo') skip=1 ;;
            'get|--since'|'events|--since'|'audit|--since') skip=1 ;;
            'get|--state') skip=1 ;;
            'events|--from') skip=1 ;;
            'events|--type') skip=1 ;;
            'ledger|--account') skip=1 ;;
            'ledger|--window') skip=1 ;;
        esac
    done
    case "$verb|$prev" in
        '|--config'|'review|--config'|'serve|--config'|'enqueue|--config'|'cancel|--config'|'retry|--config'|'dismiss|--config'|'reopen|--config'|'pause|--config'|'resume|--config'|'status|--config'|'get|--config'|'queue|--config'|'explain|--config'|'events|--config'|'ledger|--config'|'audit|--config'|'verify|--config'|'init|--config'|'doctor|--config'|'config|--config'|'config check|--config'|'config show|--config'|'config explain|--config'|'version|--config'|'completion|--config'|'projections|--config'|'projections status|--config'|'projections rebuild|--config') COMPREPLY=(); compopt -o default 2>/dev/null; return ;;
        '|--store'|'review|--store'|'serve|--store'|'enqueue|--store'|'cancel|--store'|'retry|--store'|'dismiss|--store'|'reopen|--store'|'pause|--store'|'resume|--store'|'status|--store'|'get|--store'|'queue|--store'|'explain|--store'|'events|--store'|'ledger|--store'|'audit|--store'|'verify|--store'|'init|--store'|'doctor|--store'|'config|--store'|'config check|--store'|'config show|--store'|'config explain|--store'|'version|--store'|'completion|--store'|'projections|--store'|'projections status|--store'|'projections rebuild|--store') COMPREPLY=(); compopt -o default 2>/dev/null; return ;;
        'review|--base') COMPREPLY=(); compopt -o default 2>/dev/null; return ;;
        'review|--engine') COMPREPLY=(); compopt -o default 2>/dev/null; return ;;
        'review|--fail-on') COMPREPLY=($(compgen -W 'blocking suggestion nitpick never' -- "$cur")); return ;;
        'review|--format') COMPREPLY=($(compgen -W 'text markdown json sarif rdjsonl' -- "$cur")); return ;;
        'review|--head') COMPREPLY=(); compopt -o default 2>/dev/null; return ;;
        'review|--policy') COMPREPLY=(); compopt -o default 2>/dev/null; return ;;
        'serve|--listen') COMPREPLY=(); compopt -o default 2>/dev/null; return ;;
        'enqueue|--sha') COMPREPLY=(); compopt -o default 2>/dev/null; return ;;
        'enqueue|--wait'|'cancel|--wait'|'retry|--wait'|'dismiss|--wait'|'reopen|--wait'|'pause|--wait'|'resume|--wait'|'status|--wait'|'get|--wait'|'queue|--wait'|'explain|--wait'|'ledger|--wait'|'projections status|--wait') COMPREPLY=(); compopt -o default 2>/dev/null; return ;;
        'cancel|--reason'|'dismiss|--reason') COMPREPLY=(); compopt -o default 2>/dev/null; return ;;
        'cancel|--run') COMPREPLY=(); compopt -o default 2>/dev/null; return ;;
        'status|--at'|'get|--at'|'queue|--at'|'explain|--at'|'ledger|--at') COMPREPLY=(); compopt -o default 2>/dev/null; return ;;
        'get|--cursor') COMPREPLY=(); compopt -o default 2>/dev/null; return ;;
        'get|--limit'|'events|--limit') COMPREPLY=(); compopt -o default 2>/dev/null; return ;;
        'get|--repo'|'ledger|--repo') COMPREPLY=(); compopt -o default 2>/dev/null; return ;;
        'get|--since'|'events|--since'|'audit|--since') COMPREPLY=(); compopt -o default 2>/dev/null; return ;;
        'get|--state') COMPREPLY=(); compopt -o default 2>/dev/null; return ;;
        'events|--from') COMPREPLY=(); compopt -o default 2>/dev/null; return ;;
        'events|--type') COMPREPLY=(); compopt -o default 2>/dev/null; return ;;
        'ledger|--account') COMPREPLY=(); compopt -o default 2>/dev/null; return ;;
        'ledger|--window') COMPREPLY=($(compgen -W '5h 24h 7d' -- "$cur")); return ;;
    esac
    case "$verb|$cur" in
        ''\|-*) COMPREPLY=($(compgen -W '--config --help -h --json --no-color --quiet -q --store --verbose -v' -- "$cur")) ;;
        ''\|*) COMPREPLY=($(compgen -W 'review serve enqueue cancel retry dismiss reopen pause resume status get queue explain events ledger audit verify init doctor config version completion projections' -- "$cur")) ;;
        'review'\|-*) COMPREPLY=($(compgen -W '--base --config --engine --fail-on --format --head --help -h --json --no-color --policy --publish --quiet -q --store --verbose -v --worktree' -- "$cur")) ;;
        'serve'\|-*) COMPREPLY=($(compgen -W '--config --help -h --json --listen --no-color --quiet -q --shadow --store --verbose -v' -- "$cur")) ;;
        'enqueue'\|-*) COMPREPLY=($(compgen -W '--config --help -h --json --no-color --priority --quiet -q --sha --store --verbose -v --wait' -- "$cur")) ;;
        'cancel'\|-*) COMPREPLY=($(compgen -W '--config --help -h --json --no-color --quiet -q --reason --run --store --verbose -v --wait' -- "$cur")) ;;
        'retry'\|-*) COMPREPLY=($(compgen -W '--config --help -h --json --no-color --quiet -q --store --verbose -v --wait' -- "$cur")) ;;
        'dismiss'\|-*) COMPREPLY=($(compgen -W '--config --help -h --json --no-color --quiet -q --reason --store --verbose -v --wait' -- "$cur")) ;;
        'reopen'\|-*) COMPREPLY=($(compgen -W '--config --help -h --json --no-color --quiet -q --store --verbose -v --wait' -- "$cur")) ;;
        'pause'\|-*) COMPREPLY=($(compgen -W '--config --help -h --json --no-color --quiet -q --store --verbose -v --wait' -- "$cur")) ;;
        'resume'\|-*) COMPREPLY=($(compgen -W '--config --help -h --json --no-color --quiet -q --store --verbose -v --wait' -- "$cur")) ;;
        'status'\|-*) COMPREPLY=($(compgen -W '--at --config --help -h --json --no-color --quiet -q --store --verbose -v --wait --watch' -- "$cur")) ;;
        'get'\|-*) COMPREPLY=($(compgen -W '--at --config --cursor --help -h --json --limit --no-color --quiet -q --repo --since --state --store --verbose -v --wait' -- "$cur")) ;;
        'get'\|*) COMPREPLY=($(compgen -W 'prs heads runs lanes findings pools accounts labels ledger' -- "$cur")) ;;
        'queue'\|-*) COMPREPLY=($(compgen -W '--at --config --help -h --json --no-color --quiet -q --store --verbose -v --wait' -- "$cur")) ;;
        'explain'\|-*) COMPREPLY=($(compgen -W '--at --config --help -h --json --no-color --quiet -q --store --verbose -v --wait' -- "$cur")) ;;
        'events'\|-*) COMPREPLY=($(compgen -W '--config --follow --from --help -h --json --limit --no-color --quiet -q --since --store --type --verbose -v' -- "$cur")) ;;
        'ledger'\|-*) COMPREPLY=($(compgen -W '--account --at --config --help -h --json --no-color --quiet -q --repo --store --verbose -v --wait --window' -- "$cur")) ;;
        'audit'\|-*) COMPREPLY=($(compgen -W '--all --config --help -h --json --no-color --quiet -q --since --store --verbose -v' -- "$cur")) ;;
        'verify'\|-*) COMPREPLY=($(compgen -W '--all --config --help -h --json --no-color --quiet -q --store --verbose -v' -- "$cur")) ;;
        'init'\|-*) COMPREPLY=($(compgen -W '--config --force --help -h --json --no-color --quiet -q --store --verbose -v' -- "$cur")) ;;
        'doctor'\|-*) COMPREPLY=($(compgen -W '--config --help -h --json --no-color --no-models --quiet -q --store --verbose -v' -- "$cur")) ;;
        'config'\|-*) COMPREPLY=($(compgen -W '--config --help -h --json --no-color --quiet -q --store --verbose -v' -- "$cur")) ;;
        'config'\|*) COMPREPLY=($(compgen -W 'check show explain' -- "$cur")) ;;
        'config check'\|-*) COMPREPLY=($(compgen -W '--config --help -h --json --no-color --quiet -q --store --verbose -v' -- "$cur")) ;;
        'config show'\|-*) COMPREPLY=($(compgen -W '--config --help -h --json --no-color --quiet -q --store --verbose -v' -- "$cur")) ;;
        'config explain'\|-*) COMPREPLY=($(compgen -W '--config --help -h --json --no-color --quiet -q --store --verbose -v' -- "$cur")) ;;
        'version'\|-*) COMPREPLY=($(compgen -W '--config --help -h --json --no-color --quiet -q --store --verbose -v' -- "$cur")) ;;
        'completion'\|-*) COMPREPLY=($(compgen -W '--config --help -h --json --no-color --quiet -q --store --verbose -v' -- "$cur")) ;;
        'completion'\|*) COMPREPLY=($(compgen -W 'bash zsh fish' -- "$cur")) ;;
        'projections'\|-*) COMPREPLY=($(compgen -W '--config --help -h --json --no-color --quiet -q --store --verbose -v' -- "$cur")) ;;
        'projections'\|*) COMPREPLY=($(compgen -W 'status rebuild' -- "$cur")) ;;
        'projections status'\|-*) COMPREPLY=($(compgen -W '--config --help -h --json --no-color --quiet -q --store --verbose -v --wait' -- "$cur")) ;;
        'projections rebuild'\|-*) COMPREPLY=($(compgen -W '--config --help -h --json --no-color --quiet -q --store --verbose -v' -- "$cur")) ;;
        *) COMPREPLY=(); compopt -o default 2>/dev/null ;;
    esac
}
complete -F _reviewctl reviewctl
