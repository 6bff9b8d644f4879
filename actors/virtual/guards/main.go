// Command guards removes each guard of the deciders and of the shell in turn and
// shows the test that fails without it. A guard is an `if` or a `case` whose line
// ends in a comment that says what breaks without it:
//
//	if s.Adopted { // guard: a verdict is adopted twice
//
// The guard is taken out of a copy of its file, which the go command compiles in
// its place (-overlay). The tests of its own package run first, then those of
// actors, then the simulation. It exits with 1 if a guard can go and nothing
// fails. (ARCHITECTURE, rule 11)
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"sync"
	"time"
)

func main() {
	only := flag.String("only", "", "guards whose place or text matches this expression")
	jobs := flag.Int("jobs", 2, "how many are tried at a time")
	seeds := flag.Int("seeds", 150, "worlds of the simulation sample")
	worlds := flag.Bool("worlds", false, "show what the simulation alone finds")
	list := flag.Bool("list", false, "list the guards and try none")
	flag.Parse()
	if flag.NArg() > 0 {
		*only = flag.Arg(0)
	}
	if err := run(*only, *jobs, *seeds, *worlds, *list); err != nil {
		fmt.Fprintln(os.Stderr, "guards:", err)
		os.Exit(1)
	}
}

func run(only string, jobs, seeds int, worlds, list bool) error {
	match, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("read -only: %w", err)
	}
	guards, err := find(match)
	if err != nil {
		return err
	}
	if list {
		for _, g := range guards {
			fmt.Printf("%s  %s\n", g.place(), g.text)
		}
		fmt.Printf("%d guards\n", len(guards))
		return nil
	}
	dir, err := os.MkdirTemp("", "guards-")
	if err != nil {
		return fmt.Errorf("make a directory for copies: %w", err)
	}
	defer os.RemoveAll(dir)
	started, loose := time.Now(), 0
	var mu sync.Mutex
	var group sync.WaitGroup
	next := make(chan int)
	for range max(1, jobs) {
		group.Go(func() {
			for i := range next {
				test, err := try(&guards[i], dir, i, seeds, worlds)
				mu.Lock()
				switch {
				case err != nil:
					loose++
					fmt.Printf("BROKEN  %s  %s\n        %v\n", guards[i].place(), guards[i].text, err)
				case test == "":
					loose++
					fmt.Printf("LOOSE   %s  %s\n", guards[i].place(), guards[i].text)
				default:
					fmt.Printf("ok      %s  %s\n        %s\n", guards[i].place(), guards[i].text, test)
				}
				mu.Unlock()
			}
		})
	}
	for i := range guards {
		next <- i
	}
	close(next)
	group.Wait()
	fmt.Printf("%d guards, %d that nothing holds, in %s\n", len(guards), loose, time.Since(started).Round(time.Second))
	if loose > 0 {
		return fmt.Errorf("%d guards can be removed and nothing fails", loose)
	}
	return nil
}
