package wasmbench

import (
	"bytes"
	"strings"
	"testing"

	"bench/queries"
)

func timings(cpu float64, digest string) map[string]timing {
	return map[string]timing{"a": {CPU: cpu, Wall: cpu, Module: cpu / 2, Digest: digest}}
}

// TestWasmbench: results are medians, and equal responses are required.
func TestWasmbench(t *testing.T) {
	w := &work{Families: []family{{Name: "a"}}}
	r := &results{sizes: sizes{Snapshot: 1e6, SearchOnly: 2e6}, words: []string{"word"}}
	natives := []map[string]timing{timings(30, "x"), timings(10, "x"), timings(20, "x")}
	wholes := []whole{{timings(60, "x"), 5e6}, {timings(100, "x"), 3e6}, {timings(80, "x"), 4e6}}
	if err := r.add(w, natives, wholes); err != nil {
		t.Fatal(err)
	}
	r.firsts = []firstRow{
		{"contentedge", middle([]first{{Bytes: 5e6, Took: 900, CPU: 50, Memory: 6e6}, {Bytes: 5e6, Took: 1000, CPU: 40, Memory: 6e6}, {Bytes: 5e6, Took: 9000, CPU: 30, Memory: 6e6}})},
		{"other", first{Bytes: 1e6, CPU: 20}},
	}
	var out bytes.Buffer
	if err := r.table(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| memory above the search-only snapshot, MB | 4.0 |", "| memory above the whole snapshot, after all families, MB | 3.0 |",
		"| a | 20.0 | 80.0 | 4.0 | 20.0 | 80.0 | 40.0 | 2.0 |",
		"| contentedge | 5.00 | 0 | 1000 | 0 | 5.0 | 6.0 | 0.0 | 40 | 1.00 | 0 |", "| other | 1.00 | 0 | 0 | 0 | 0.8 | 0.0 | 0.0 | 20 | 0.50 | 0 |",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	wholes[2].Families["a"] = timing{Digest: "y"}
	if err := r.add(w, natives, wholes); err == nil || !strings.Contains(err.Error(), "answers otherwise") {
		t.Errorf("of different responses: %v", err)
	}
}

// TestChoose: constructs beyond the common families are left out; words are not repeated.
func TestChoose(t *testing.T) {
	w := &work{}
	w.choose([]queries.Query{
		{Family: wordsFamily, Kind: queries.Word, Body: "1", Args: []string{"f", "one"}},
		{Family: wordsFamily, Kind: queries.Word, Body: "2", Args: []string{"f", "one"}},
		{Family: "fuzzy word", Kind: queries.FuzzyWord, Body: "3", Args: []string{"f", "one"}},
	})
	if len(w.Families) != 1 || len(w.Families[0].Bodies) != 2 || len(w.Words) != 1 {
		t.Errorf("%+v", w)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, args := range []string{"more", "--rounds 0", "--queries 0"} {
		if _, err := parse(strings.Fields(args)); err == nil {
			t.Errorf("%s is accepted", args)
		}
	}
}
