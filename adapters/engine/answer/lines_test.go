package answer

import (
	"fmt"
	"testing"
)

// One bad line of one finding costs its line and nothing else: case D22.
func TestLineValues(t *testing.T) {
	t.Parallel()
	for fields, lines := range map[string]struct{ start, end, notes int }{
		`"line":42`:                              {42, 42, 0},
		`"line":42.0`:                            {42, 42, 0},
		`"line":4.2e1`:                           {42, 42, 0},
		`"line":"42"`:                            {42, 42, 0},
		`"line":" 42 "`:                          {42, 42, 0},
		`"line":"42-45"`:                         {42, 45, 0},
		`"line":"42 - 45"`:                       {42, 45, 0},
		`"line":"45-42"`:                         {42, 45, 0},
		`"line":"1073741824"`:                    {1 << 30, 1 << 30, 0},
		`"line":0`:                               {0, 0, 0},
		`"line":null`:                            {0, 0, 0},
		`"line":""`:                              {0, 0, 0},
		`"line":-1`:                              {0, 0, 1},
		`"line":3.9`:                             {0, 0, 1},
		`"line":999999999999`:                    {0, 0, 1},
		`"line":1e400`:                           {0, 0, 1},
		`"line":"999999999999"`:                  {0, 0, 1},
		`"line":"0-3"`:                           {0, 0, 1},
		`"line":"3-99999999999999999999"`:        {0, 0, 1},
		`"line":"L42"`:                           {0, 0, 1},
		`"line":"-42"`:                           {0, 0, 1},
		`"line":"٤٢"`:                            {0, 0, 1},
		`"line":true`:                            {0, 0, 1},
		`"line":[42]`:                            {0, 0, 1},
		`"line":{"start":42}`:                    {0, 0, 1},
		`"line_start":3,"line_end":5`:            {3, 5, 0},
		`"line_start":"3","line_end":"5"`:        {3, 5, 0},
		`"line_start":5,"line_end":4`:            {4, 5, 1},
		`"line_start":"42-45","line_end":50`:     {42, 50, 0},
		`"line_start":"42-45","line_end":"x"`:    {42, 45, 1},
		`"line_start":7,"line_end":null`:         {7, 7, 0},
		`"line_end":7`:                           {7, 7, 0},
		`"line_end":"7-9"`:                       {7, 9, 0},
		`"line_start":0,"line_end":7`:            {7, 7, 0},
		`"line_start":-3,"line_end":7`:           {7, 7, 1},
		`"line_start":7,"line_end":-1`:           {7, 7, 1},
		`"line_start":true,"line_end":{"a":"b"}`: {0, 0, 2},
		`"line":9,"line_start":7`:                {7, 7, 0},
	} {
		text := whole(fmt.Sprintf(`"findings":[{"title":"bad",%s},{"title":"good","line":3}]`, fields))
		got, err := Parse(text, want)
		if err != nil || len(got.Findings) != 2 {
			t.Errorf("%s: %v", fields, err)
			continue
		}
		f, other := got.Findings[0], got.Findings[1]
		if f.LineStart != lines.start || f.LineEnd != lines.end || len(got.Notes) != lines.notes {
			t.Errorf("%s: lines %d to %d, notes %q", fields, f.LineStart, f.LineEnd, got.Notes)
		}
		if other.LineStart != 3 || other.LineEnd != 3 {
			t.Errorf("%s: the other finding is at %d", fields, other.LineStart)
		}
	}
}

// A quote keeps its spaces: it is looked up in the file. (case D32)
func TestQuotesAreVerbatim(t *testing.T) {
	t.Parallel()
	for fields, quote := range map[string]string{
		`"quote":"\tretry(ctx)  \n"`:  "\tretry(ctx)  ",
		`"quote":"  a\r\n\tb\r\n"`:    "  a\r\n\tb",
		`"quote":" \n\t"`:             "",
		`"quote":null`:                "",
		`"quote":"x","suggestion":""`: "x",
	} {
		got, err := Parse(one(`"title":"t",`+fields), want)
		if err != nil || got.Findings[0].Quote != quote {
			t.Errorf("%s: %v, %+v", fields, err, got)
		}
	}
}
