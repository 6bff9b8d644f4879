package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/events/storetest"
)

// A child is this test binary again, running TestChild alone, with its part and
// the log's path in the environment. It says what it does on its standard output.
const (
	childPart = "REVIEWCTL_TEST_CHILD"
	childPath = "REVIEWCTL_TEST_LOG"
	childSeed = "REVIEWCTL_TEST_SEED"
)

var childParts = map[string]func(path string, seed int) error{
	"write":     childWrites,
	"share":     childShares,
	"size":      childMeetsFileSizeLimit,
	"read-only": childMayNotWrite,
	"full":      childFillsDisk,
}

func TestChild(t *testing.T) {
	part := os.Getenv(childPart)
	if part == "" {
		t.Skip("a part that other tests start as a process")
	}
	seed, err := strconv.Atoi(os.Getenv(childSeed))
	if err != nil {
		t.Fatal(err)
	}
	if err := childParts[part](os.Getenv(childPath), seed); err != nil {
		t.Fatal(err)
	}
}

func child(t *testing.T, part, path string, seed int) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestChild$", "-test.v=false")
	cmd.Env = append(os.Environ(), childPart+"="+part, childPath+"="+path, childSeed+"="+strconv.Itoa(seed))
	cmd.Stderr = os.Stderr
	return cmd
}

// acknowledge writes one line for an append that was acknowledged, in one write.
func acknowledge(a *events.Append) {
	last := &a.Events[len(a.Events)-1]
	fmt.Fprintf(os.Stdout, "ack %s %d %s\n", a.Stream, last.Version, last.Hash)
}

// childEvents makes an append whose events say which append they are part of, and
// of how many.
func childEvents(line *storetest.Line, seed, n, count int) events.Append {
	payloads := make([]string, count)
	for i := range payloads {
		payloads[i] = fmt.Sprintf(`{"i":%d,"text":%q}`, i, strings.Repeat("x", 40*((n+i)%50)))
	}
	a := line.Next(payloads...)
	for i := range a.Events {
		a.Events[i].Correlation = fmt.Sprintf("%d/%s/%d/%d", seed, line.Stream, n, count)
	}
	storetest.Relink(&a)
	return a
}

const childWriters = 4

// childWrites appends to streams of its own until it is killed.
func childWrites(path string, seed int) error {
	l, err := Open(context.Background(), path, Options{})
	if err != nil {
		return err
	}
	errs := make([]error, childWriters)
	var wg sync.WaitGroup
	for w := range childWriters {
		wg.Go(func() {
			line := storetest.NewLine(events.StreamName(fmt.Sprintf("run-%d.%d", seed, w)))
			for n := 0; errs[w] == nil; n++ {
				a := childEvents(line, seed, n, 1+(n+w)%4)
				if _, errs[w] = l.Append(context.Background(), a); errs[w] == nil {
					line.Stored(a)
					acknowledge(&a)
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// childShares appends to one stream that others append to as well.
func childShares(path string, seed int) error {
	l, err := Open(context.Background(), path, Options{})
	if err != nil {
		return err
	}
	line := storetest.NewLine("pool-shared")
	for n := 0; n < sharedAppends; {
		a := childEvents(line, seed, n, 2)
		_, err := l.Append(context.Background(), a)
		var conflict *events.ConflictError
		switch {
		case err == nil:
			line.Stored(a)
			acknowledge(&a)
			n++
		case errors.As(err, &conflict):
			err := l.ReadStream(context.Background(), line.Stream, line.Version+1, func(e *events.Event) bool {
				line.Version, line.Hash = e.Version, e.Hash
				return true
			})
			if err != nil {
				return err
			}
		default:
			return err
		}
	}
	return l.Close()
}

const sharedAppends = 40

// acks reads what a child acknowledged, until its end, and calls each with the
// number so far.
func acks(out io.Reader, each func(n int)) (lines []string) {
	for s := bufio.NewScanner(out); s.Scan(); {
		if strings.HasPrefix(s.Text(), "ack ") {
			lines = append(lines, s.Text())
			each(len(lines))
		}
	}
	return lines
}

func TestTwoProcessesAppendToOneStream(t *testing.T) {
	t.Parallel()
	path := benchPath(t)
	follower := mustOpen(t, path, Options{})
	const processes = 2
	var all [processes][]string
	var wg sync.WaitGroup
	for i := range processes {
		cmd := child(t, "share", path, i)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			all[i] = acks(out, func(int) {})
			if err := cmd.Wait(); err != nil {
				t.Errorf("process %d: %v", i, err)
			}
		})
	}
	seen := 0
	var after events.Position
	for seen < processes*sharedAppends*2 && !t.Failed() { // their appends are noticed here
		if err := follower.Follow(context.Background(), after); err != nil {
			t.Fatal(err)
		}
		err := follower.ReadAll(context.Background(), after, func(e *events.Event) bool {
			after = e.Position
			seen++
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	for i := range all {
		if len(all[i]) != sharedAppends {
			t.Fatalf("process %d acknowledged %d appends", i, len(all[i]))
		}
		mustHold(t, follower, all[i])
	}
	storetest.VerifyAll(t, follower)
}

// mustHold checks that every acknowledged append is there, and no half of any.
func mustHold(t *testing.T, l *Log, acknowledged []string) {
	t.Helper()
	stored := map[string]bool{}
	parts := map[string]int{}
	err := l.ReadAll(context.Background(), 0, func(e *events.Event) bool {
		stored[fmt.Sprintf("ack %s %d %s", e.Stream, e.Version, e.Hash)] = true
		parts[e.Correlation]++
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, ack := range acknowledged {
		if !stored[ack] {
			t.Fatalf("acknowledged and lost: %s", ack)
		}
	}
	for append, n := range parts {
		if count := append[strings.LastIndex(append, "/")+1:]; strconv.Itoa(n) != count {
			t.Fatalf("half an append: %d events of %s", n, append)
		}
	}
}
