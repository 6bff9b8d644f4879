package git

import (
	"fmt"
	"strings"
)

// spelled is a name as git spells it in a patch with core.quotePath set: in quotes
// where it holds a byte that is not printable ASCII. (quote.c of git)
func spelled(prefix, name string) string {
	var b strings.Builder
	plain := true
	for i := range len(name) {
		c := name[i]
		at := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c)
		switch {
		case at >= 0:
			plain = false
			b.WriteByte('\\')
			b.WriteByte(`abtnvfr"\`[at])
		case c < ' ' || c >= 0x7f:
			plain = false
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	if plain {
		return prefix + name
	}
	return `"` + prefix + b.String() + `"`
}
