// Githubcontract holds what was said between us and the fake GitHub against what
// GitHub publishes about itself: its OpenAPI description and its GraphQL schema.
//
// An exchange is one request with its answer, one line of the recording that the
// fake writes; an operation is a row of the description, such as "pulls/list"; a
// violation is a place where an exchange is not as the operation says; a fault is
// an answer that a test spoiled on purpose, or of which GitHub is known to say more
// than it describes: it is counted and not held against anything; a mutant is an
// exchange that was spoiled here, to show that a violation would be seen.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

// The exit codes. Nothing checked is never success.
const (
	exitViolation = 1
	exitUsage     = 2
	exitUnchecked = 3
)

func main() {
	recording := flag.String("recording", "", "what the fake recorded, one JSON object a line")
	cache := flag.String("cache", "", "the folder in which GitHub's descriptions are kept")
	fetch := flag.Bool("fetch", false, "only fetch the descriptions into the cache")
	flag.Parse()
	if *cache == "" || (*recording == "") == !*fetch {
		flag.Usage()
		os.Exit(exitUsage)
	}
	os.Exit(run(os.Stdout, *recording, *cache))
}

func run(out io.Writer, recording, cache string) int {
	unchecked := func(err error) int {
		fmt.Fprintf(out, "github-contract: NOTHING WAS CHECKED: %v\n", err)
		return exitUnchecked
	}
	if recording == "" {
		if err := errors.Join(openapi.fetch(cache), graphql.fetch(cache)); err != nil {
			return unchecked(err)
		}
		return 0
	}
	described, err := describe(cache)
	if err != nil {
		return unchecked(err)
	}
	exchanges, err := read(recording)
	if err != nil {
		return unchecked(err)
	}
	if len(exchanges) == 0 {
		return unchecked(fmt.Errorf("%s has no exchange: no test drove the fake", recording))
	}
	r := check(described, exchanges)
	r.print(out)
	if len(r.violations) > 0 || r.blind() {
		return exitViolation
	}
	return 0
}
