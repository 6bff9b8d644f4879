package events

import (
	"encoding/json"
	"math/rand"
	"reflect"
	"testing"
	"testing/quick"
	"time"
)

func TestDecodeAgreesWithEncodingJSON(t *testing.T) {
	t.Parallel()
	for _, p := range catalogue {
		typ := reflect.TypeOf(p)
		r := rand.New(rand.NewSource(1))
		for range 50 {
			v := randomValue(r, typ, 0)
			text, err := Encode(v.Interface().(Payload))
			if err != nil {
				t.Fatal(err)
			}
			want := reflect.New(typ)
			if err := json.Unmarshal([]byte(text), want.Interface()); err != nil {
				t.Fatal(err)
			}
			got, err := Decode(&Event{Type: p.Type(), Revision: 1, Payload: text})
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if !reflect.DeepEqual(got, want.Interface()) {
				t.Fatalf("%s:\n got %+v\nwant %+v", text, got, want.Interface())
			}
		}
	}
}

func randomValue(r *rand.Rand, t reflect.Type, depth int) reflect.Value {
	v := reflect.New(t).Elem()
	switch t {
	case timeType:
		v.Set(reflect.ValueOf(time.Unix(r.Int63n(1e10), r.Int63n(1e9)).UTC()))
		return v
	case jsonType:
		v.SetString(`{"a":[1,"x",null]}`)
		return v
	case refType:
		v.Set(reflect.ValueOf(Ref{Stream: "run-1", Version: Version(r.Intn(9))}))
		return v
	case hashType:
		return v
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			v.Field(i).Set(randomValue(r, t.Field(i).Type, depth+1))
		}
	case reflect.Slice:
		if depth < 5 {
			v.Set(reflect.MakeSlice(t, r.Intn(3), 3))
			for i := range v.Len() {
				v.Index(i).Set(randomValue(r, t.Elem(), depth+1))
			}
		}
	case reflect.Pointer:
		if r.Intn(2) == 0 {
			p := reflect.New(t.Elem())
			p.Elem().Set(randomValue(r, t.Elem(), depth+1))
			v.Set(p)
		}
	default:
		q, _ := quick.Value(t, r)
		return q
	}
	return v
}
