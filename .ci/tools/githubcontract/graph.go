package main

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// checkGraph holds a GraphQL document and its variables against the schema, and
// the answer against what the document asks for.
func (d *description) checkGraph(x *exchange) verdict {
	v := verdict{op: "graphql"}
	var asked struct {
		Query         string         `json:"query"`
		OperationName string         `json:"operationName"`
		Variables     map[string]any `json:"variables"`
	}
	if err := json.Unmarshal([]byte(x.Body), &asked); err != nil {
		v.wrong = append(v.wrong, placed{"request body", "/", "no GraphQL request: " + err.Error()})
		return v
	}
	document, errs := gqlparser.LoadQueryWithRules(d.graph, asked.Query, rules.NewDefaultRules())
	for _, err := range errs {
		v.wrong = append(v.wrong, placed{"request document", err.Path.String(), err.Message})
	}
	if document == nil {
		return v
	}
	operation := document.Operations.ForName(asked.OperationName)
	if operation == nil {
		v.wrong = append(v.wrong, placed{"request document", "operationName", "the document has no such operation, or several"})
		return v
	}
	v.op = strings.TrimSuffix("graphql/"+operation.Name, "/")
	if _, err := validator.VariableValues(d.graph, operation, asked.Variables); err != nil {
		v.wrong = append(v.wrong, placed{"request variables", "/", err.Error()})
	}
	if x.Fault == "" && x.Status == http.StatusOK {
		v.wrong = append(v.wrong, checkGraphAnswer(operation, x.Answer)...)
	}
	return v
}

func checkGraphAnswer(operation *ast.OperationDefinition, text string) []placed {
	var answer struct {
		Data   map[string]any `json:"data"`
		Errors []struct {
			Message string `json:"message"`
		} `json:"errors"`
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return []placed{{"response 200", "/", "no GraphQL answer: " + err.Error()}}
	}
	if answer.Data == nil && len(answer.Errors) == 0 {
		return []placed{{"response 200", "/", "neither data nor errors"}}
	}
	if len(answer.Errors) > 0 {
		return nil // what failed is null, wherever it stands
	}
	return checkSelection(operation.SelectionSet, answer.Data, "/data")
}

// checkSelection looks for each field that was asked for, and for null where the
// schema knows none.
func checkSelection(selections ast.SelectionSet, object map[string]any, place string) (wrong []placed) {
	for _, s := range selections {
		field, ok := s.(*ast.Field)
		if !ok {
			continue // a fragment: which type answers is not known here
		}
		at := place + "/" + field.Alias
		value, there := object[field.Alias]
		switch {
		case !there:
			wrong = append(wrong, placed{"response 200", at, "it was asked for and is not there"})
		case value == nil && field.Definition.Type.NonNull:
			wrong = append(wrong, placed{"response 200", at, "it is null, which the schema excludes"})
		default:
			wrong = append(wrong, checkSelected(field, value, at)...)
		}
	}
	return wrong
}

func checkSelected(field *ast.Field, value any, place string) (wrong []placed) {
	switch value := value.(type) {
	case map[string]any:
		return checkSelection(field.SelectionSet, value, place)
	case []any:
		for _, item := range value {
			if object, ok := item.(map[string]any); ok {
				wrong = append(wrong, checkSelection(field.SelectionSet, object, place)...)
			}
		}
	}
	return wrong
}
