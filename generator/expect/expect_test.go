package expect

import (
	"strings"
	"testing"
)

// TestExpect shows when the total of a search has fallen too far: maxFall is in percent of the total
// before.
func TestExpect(t *testing.T) {
	f, faults := Parse("f", []byte(`
		{
		  "env": "e",
		  "tests": [
		    {"name": "n", "q": "x", "maxFall": 10}
		  ]
		}`))
	if faults != nil {
		t.Fatal(faults)
	}
	total := func(n string) []byte { return []byte(`{"hits":{"total":{"value":` + n + `},"hits":[]}}`) }
	for _, tt := range []struct {
		name        string
		now, before string
		fails       bool
	}{
		{"a total may fall by maxFall", "90", "100", false},
		{"it may not fall further", "89", "100", true},
		{"it may rise from nothing", "100", "0", false},
		{"it may stay nothing", "0", "0", false},
		{"it may not fall to nothing", "0", "1", true},
		{"it may rise", "101", "100", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			failed, err := f.Tests[0].Compare(total(tt.now), total(tt.before))
			if err != nil || len(failed) > 0 != tt.fails {
				t.Errorf("%s after %s: %v, %v", tt.now, tt.before, failed, err)
			}
		})
	}
}

// TestFind: names may contain dots, buckets are found by place and by key.
func TestFind(t *testing.T) {
	f, faults := Parse("f", []byte(`{"env":"e","tests":[{"name":"n","search":{},"total":0,"aggregations":{
		"a.b":1, "a.b.c":{"exists":false}, "t.buckets[0].key":"x", "t.buckets[y].n":{"gte":2,"lte":2}, "t.buckets[2]":{"exists":false},
		"t.buckets[1].list":[1.0,"b"], "t.buckets[-1]":{"exists":false}, "t.buckets[0":{"exists":false}, "d.buckets[2024].n":3}}]}`))
	if faults != nil {
		t.Fatal(faults)
	}
	response := `{"hits":{"total":{"value":0},"hits":[]},"aggregations":{"a.b":1.0,"t":{"buckets":[{"key":"x"},{"key":"y","n":2,"list":[1,"b"]}]},
		"d":{"buckets":[{"key":5,"key_as_string":"2024","n":3}]}}}`
	failed, err := f.Tests[0].Run([]byte(response))
	if err != nil || len(failed) > 0 {
		t.Error(failed, err)
	}
}

// FuzzParse: no text ends the process, and each fault has a place in the text.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"env":"e","tests":[{"name":"n","q":"x","total":{"gte":1}}]}`, `{"tests":[{]}`, ``, "\x00", `{"tests":[1,{"name":2}],"tests":3}`,
		`{"maxFall":101,"tests":[{"ids":{"first":[1]},"fields":[[]],"aggregations":{"a":{"matches":"("}}}]}`, strings.Repeat("[", 300),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file, faults := Parse("f", text)
		if (file == nil) != (len(faults) > 0) {
			t.Fatal(file, faults)
		}
		lines := 1 + strings.Count(string(text), "\n")
		for _, d := range faults {
			if d.Line < 1 || d.Line > lines || d.Col < 1 {
				t.Errorf("%s", d)
			}
		}
		if file == nil {
			return
		}
		for i := range file.Tests {
			_, _ = file.Tests[i].Run([]byte(`{"hits":{"total":{"value":1},"hits":[{"_id":"a","_source":{"b":[{"c":1}]}}]},"aggregations":{}}`))
		}
	})
}
