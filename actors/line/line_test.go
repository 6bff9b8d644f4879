package line_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/reviewctl/reviewctl/actors/line"
)

func TestLineAgainstSortedSlice(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		var l line.Line[int, int]
		type entry struct {
			key string
			seq int64
			id  int
		}
		var model []entry
		drop := func(id int) bool {
			n := len(model)
			model = slices.DeleteFunc(model, func(e entry) bool { return e.id == id })
			return len(model) < n
		}
		for step := range 2000 {
			id := random.IntN(600)
			if random.IntN(3) == 0 {
				if got, want := l.Remove(id), drop(id); got != want {
					t.Fatalf("seed %d step %d: Remove(%d) = %v, want %v", seed, step, id, got, want)
				}
				continue
			}
			key := fmt.Sprint(random.IntN(5))
			drop(id)
			l.Put(id, key, int64(step), step)
			model = append(model, entry{key, int64(step), id})
		}
		slices.SortFunc(model, func(a, b entry) int {
			if a.key != b.key {
				if a.key < b.key {
					return -1
				}
				return 1
			}
			return int(a.seq - b.seq)
		})
		if err := l.Check(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		b, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		var again line.Line[int, int]
		if err := json.Unmarshal(b, &again); err != nil {
			t.Fatal(err)
		}
		for name, l := range map[string]*line.Line[int, int]{"live": &l, "from JSON": &again} {
			cursor := l.Cursor()
			for i, want := range model {
				got := cursor.Next()
				if got == nil || got.ID != want.id || got.Key != want.key || got.Seq != want.seq {
					t.Fatalf("seed %d, %s: entry %d = %+v, want %+v", seed, name, i, got, want)
				}
			}
			if cursor.Next() != nil || l.Len() != len(model) {
				t.Fatalf("seed %d, %s: the line is longer than its model", seed, name)
			}
		}
	}
}

func TestLineWithOneKeyForAll(t *testing.T) {
	t.Parallel()
	var l line.Line[int, struct{}]
	for id := range 1000 {
		l.Put(id, "k", 7, struct{}{})
	}
	for id := 999; id >= 0; id-- {
		if !l.Remove(id) {
			t.Fatalf("%d has left", id)
		}
		if err := l.Check(); id%100 == 0 && err != nil {
			t.Fatal(err)
		}
	}
	if l.Len() != 0 || l.First() != nil {
		t.Fatal("the line is not empty")
	}
}

func TestLineRefusesBrokenJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{}`, `[null]`, `[{"id":1,"key":"a"},{"id":1,"key":"b"}]`} {
		var l line.Line[int, int]
		if err := json.Unmarshal([]byte(text), &l); err == nil {
			t.Errorf("%s was read", text)
		}
	}
}

func TestRememberIsBounded(t *testing.T) {
	t.Parallel()
	var l line.Line[int, struct{}]
	for id := range 100 {
		line.Remember(&l, id, int64(id), 10)
	}
	if l.Len() != 10 || l.Has(89) || !l.Has(90) {
		t.Fatalf("%d remembered, 89 %v, 90 %v", l.Len(), l.Has(89), l.Has(90))
	}
}
