package events

import (
	"encoding/json"
	"testing"
	"time"
)

// BenchmarkDecode compares the decoder with the standard one on a payload of
// common size.
func BenchmarkDecode(b *testing.B) {
	text, err := Encode(LaneBegan{
		Lane: "static", Attempt: 1, Generation: 7, Owner: "b114bcac4d35219a", Deadline: time.Unix(1.8e9, 5).UTC(),
		Pool: "static", Account: AccountUnmetered, Engine: "static", Kind: "static", Role: "reviewer",
		Phase: "preliminary", PR: "pr-local/demo/1", Repo: "local/demo", Number: 1, Ref: "main", BaseRef: "main",
		Head: "2161c9b0e2f1d6a7c3b5948e0f1a2b3c4d5e6f70", Base: "26bac870e2f1d6a7c3b5948e0f1a2b3c4d5e6f70",
	})
	if err != nil {
		b.Fatal(err)
	}
	e := &Event{Type: LaneBegan{}.Type(), Revision: Revision, Payload: text}
	b.Run("events", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Decode(e); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var p LaneBegan
			if err := json.Unmarshal([]byte(text), &p); err != nil {
				b.Fatal(err)
			}
		}
	})
}
