package githubtest

import (
	"encoding/json"
	"net/http"
	"slices"
	"unicode/utf8"
)

// labelsMax is how many labels an issue may have. (github.md §1, "Labels")
const labelsMax = 100

func (c *call) listLabels() *answer {
	return page(c, c.repo.labels, func(l *label) any { return c.labelShape(l) })
}

func (c *call) listIssueLabels() *answer {
	return page(c, c.state(c.pull).labels, func(l *label) any { return c.labelShape(l) })
}

// addLabels is POST …/issues/N/labels. A label that the repository does not have is
// made, when the viewer may write. (case G41)
func (c *call) addLabels() *answer {
	names, a := c.labelNames()
	if a != nil {
		return a
	}
	role := c.repo.role(c.token.Login)
	for _, name := range names {
		switch {
		case name == "" || utf8.RuneCountInString(name) > labelNameMax:
			return c.invalid("Label", "name", "invalid", "name is too long (maximum is 50 characters)")
		case c.repo.findLabel(name) != nil:
		case c.s.params.Modes.NoLabelByAdding || role < RoleWrite || !c.token.may(c.repo, WriteIssues):
			return c.problem(http.StatusForbidden, "You do not have permission to create labels on this repository.")
		}
	}
	var labels []*label
	for _, name := range names {
		labels = append(labels, c.repo.label(name))
	}
	after := slices.Clone(c.pull.cur.labels)
	for _, l := range labels {
		if !slices.Contains(after, l) {
			after = append(after, l)
		}
	}
	if len(after) > labelsMax {
		return c.invalid("Issue", "labels", "invalid", "An issue can only have 100 labels")
	}
	c.pull.change(func(st *state) {
		if len(after) != len(st.labels) {
			st.updated = c.now
		}
		st.labels = after
	})
	return c.allLabels()
}

// labelNames reads the body: {"labels":[…]} or a list, of names or of objects.
func (c *call) labelNames() ([]string, *answer) {
	var object struct {
		Labels []json.RawMessage `json:"labels"`
	}
	if json.Unmarshal(c.body, &object.Labels) != nil {
		if a := c.read(&object); a != nil {
			return nil, a
		}
	}
	if object.Labels == nil {
		return nil, c.problem(http.StatusUnprocessableEntity, "Invalid request.\n\nNo subschema in \"oneOf\" matched.")
	}
	var names []string
	for _, raw := range object.Labels {
		var name string
		var named struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(raw, &name) != nil {
			if json.Unmarshal(raw, &named) != nil {
				return nil, c.problem(http.StatusUnprocessableEntity, "Invalid request.\n\nNo subschema in \"oneOf\" matched.")
			}
			name = named.Name
		}
		names = append(names, name)
	}
	return names, nil
}

// removeLabel is DELETE …/issues/N/labels/NAME: 404 when it is not set.
func (c *call) removeLabel() *answer {
	l := c.repo.findLabel(c.values["name"])
	if l == nil || !slices.Contains(c.pull.cur.labels, l) {
		return c.problem(http.StatusNotFound, "Label does not exist")
	}
	c.pull.change(func(st *state) {
		st.labels = slices.DeleteFunc(slices.Clone(st.labels), func(other *label) bool { return other == l })
		st.updated = c.now
	})
	return c.allLabels()
}

// allLabels is what both calls answer: every label that is set now.
func (c *call) allLabels() *answer {
	list := []any{}
	for _, l := range c.pull.cur.labels {
		list = append(list, c.labelShape(l))
	}
	return newAnswer(http.StatusOK, list)
}
