// This file fuzzes search over two small environments: whatever body comes in, nothing
// panics, what is refused is refused as the caller's fault, and the twin agrees.

package searchtest

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
)

// fuzzBody is the longest body tried: long ones take time and find nothing more. It
// keeps texts below the number of words a query may have, a limit the twin lacks.
const fuzzBody = 1500

// fuzzEnvs are the environments: the golden one, and one of random items.
func fuzzEnvs(f *testing.F, open Open) ([]*env, *asker) {
	r := rand.New(rand.NewPCG(1, 6))
	envs := []*env{newEnv(f, open, readLines(f, "tiny.ndjson")), newEnv(f, open, newWriter(r).items(70))}
	return envs, newAsker(r, envs[1].twin)
}

// Fuzz answers any body.
func Fuzz(f *testing.F, open Open) {
	envs, a := fuzzEnvs(f, open)
	for _, line := range readLines(f, "tiny-cases.jsonl") {
		var c goldenCase
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			f.Fatal(err)
		}
		f.Add(c.body())
	}
	f.Add([]byte(`{"sort":["Data."]}`))
	for range 200 {
		body := a.body()
		raw, _ := json.Marshal(body)
		f.Add(raw)
		a.members(body)
		raw, _ = json.Marshal(body)
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, e := range envs {
			e.fuzz(t, raw)
		}
	})
}

// FuzzStrings is Fuzz for the text of a query string, on no field, a field of
// each kind, or a pattern.
func FuzzStrings(f *testing.F, open Open) {
	envs, a := fuzzEnvs(f, open)
	fields := []string{"", "Name", "Name.keyword", "CreatedAt", "CreatedAt.keyword", "Data.count", "Data.price", "Data.price.long", "Data.size.double", "Data.live", "Data.year.date", "_id", "Data.*", "*.long", "*"}
	for i := range 300 {
		f.Add(a.expression(2), uint8(i), i%3 == 0)
		f.Add(a.noise(), uint8(i), i%3 == 0)
	}
	f.Fuzz(func(t *testing.T, text string, field uint8, and bool) {
		q := object{"query": text}
		if name := fields[int(field)%len(fields)]; name != "" {
			q["default_field"] = name
		}
		if and {
			q["default_operator"] = "and"
		}
		raw, _ := json.Marshal(object{"query": object{"query_string": q}})
		for _, e := range envs {
			e.fuzz(t, raw)
		}
	})
}

// fuzz compares the answers to a body.
func (e *env) fuzz(t *testing.T, raw []byte) {
	if len(raw) > fuzzBody {
		return
	}
	if diff := e.differ(raw, &tally{}); diff != "" {
		t.Fatalf("%s\n%s", raw, diff)
	}
	e.checkError(t, raw)
}

// checkError answers a body as a server would, with all it asks for.
func (e *env) checkError(t *testing.T, raw []byte) {
	b, err := body.Parse(raw)
	if err == nil {
		_, err = e.eval(b, b.Window.From, b.Window.Size)
	}
	var refused *query.Error
	if err != nil && (!errors.As(err, &refused) || refused.Code == "" || refused.Message == "") {
		t.Fatalf("%s\n%T %v", raw, err, err)
	}
}
