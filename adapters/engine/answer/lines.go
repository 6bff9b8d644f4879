package answer

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// lineMax bounds a line number.
const lineMax = 1 << 30

// digits are a line number as text, or the first and last line of a range.
var digits = regexp.MustCompile(`^(\d{1,10})(?:\s*-\s*(\d{1,10}))?$`)

// span reads the lines. "line" is another spelling of "line_start"; a missing end
// is the start, and the other way round. Whole numbers count, in digits too, and
// "42-45" is a range. Whatever else is said there is no line: the remark stays,
// about its file, and what was left out is noted. (case D22)
func span(f fields) (start, end int) {
	start, last := f.lines("line_start")
	if f.raw("line_start") == nil {
		start, last = f.lines("line")
	}
	if first, until := f.lines("line_end"); first > 0 {
		last = until
		if start == 0 {
			start = first
		}
	}
	if start > 0 && last > 0 && last < start {
		f.r.note("%sline_start %d and line_end %d swapped", f.name, start, last)
		start, last = last, start
	}
	return start, last
}

// lines reads one field: twice the number, or the ends of a range. Two zeros say
// that there is no line.
func (f fields) lines(key string) (first, last int) {
	v := f.raw(key)
	if v == nil {
		return 0, 0
	}
	var number float64
	if json.Unmarshal(v, &number) == nil {
		if number >= 1 && number <= lineMax && number == math.Trunc(number) {
			return int(number), int(number)
		}
		if number == 0 { // says that there is no line
			return 0, 0
		}
	}
	var text string
	if json.Unmarshal(v, &text) == nil {
		if text = strings.TrimSpace(text); text == "" {
			return 0, 0
		}
		if found := digits.FindStringSubmatch(text); found != nil {
			first, _ = strconv.Atoi(found[1])
			if last = first; found[2] != "" {
				last, _ = strconv.Atoi(found[2])
			}
			if min(first, last) >= 1 && max(first, last) <= lineMax {
				return min(first, last), max(first, last)
			}
		}
	}
	f.r.note("%s%s %s is no line number and was left out", f.name, key, Clip(string(v), 40))
	return 0, 0
}
