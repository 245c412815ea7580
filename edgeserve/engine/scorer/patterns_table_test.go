package scorer

import (
	"fmt"
	"slices"
	"testing"

	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
)

// wholePatterns are patterns with the part that selects words, and the texts of patternTexts that they match.
var wholePatterns = []struct {
	pattern, run string
	want         []int
}{
	{"*docker*", "docker", []int{0, 1, 3}},
	{"*OCKER*", "ocker", []int{0, 1, 3, 4}},
	{"*red fox*", "red", []int{5, 6}},
	{"*ox", "", []int{0, 5, 6, 8}},
	{"*dock?r*", "dock", []int{0, 1, 3}},
	{"*box*", "box", []int{0, 8}},
	{"*zebra*", "zebra", nil},
}

var patternTexts = []string{"red docker box", "Dockers", "dock", "a docKER's", "ocker", "red fox", "red fox", "fox and red", "box"}

// gramsOf returns the keys of each three code points of a folded text.
func gramsOf(text string) (keys []uint64) {
	runes := []rune(text)
	for i := 2; i < len(runes); i++ {
		keys = append(keys, snapshot.GramKey(pattern.FoldRune(runes[i-2]), pattern.FoldRune(runes[i-1]), pattern.FoldRune(runes[i])))
	}
	return keys
}

// TestPatternsOnWholeTexts finds patterns by the words of the texts, by grams, and by a look at every text.
func TestPatternsOnWholeTexts(t *testing.T) {
	items := make([]string, 40*len(patternTexts))
	for i := range items {
		items[i] = fmt.Sprintf(`{"ContentID":"c%05d","Data":{"t":%q}}`, i, patternTexts[i%len(patternTexts)])
	}
	field := snaptest.Open(t, snaptest.Env{Items: items, Grams: true}).Field("Data.t")
	for _, row := range wholePatterns {
		m := pattern.CompileWildcard(row.pattern, pattern.FoldAll)
		if run := WordRun(field, m.Literals()); string(run) != row.run {
			t.Errorf("%s: words are selected by %q, want %q", row.pattern, run, row.run)
		}
		ways := map[string]func(r *Request) Scorer{"all": func(r *Request) Scorer { return r.PatternMatches(&field.Values, nil, m, 1) }}
		if row.run != "" {
			ways["words"] = func(r *Request) Scorer { return r.WordMatches(field, []byte(row.run), m, 1) }
			ways["grams"] = func(r *Request) Scorer { return r.GramMatches(field, field.Grams(), gramsOf(row.run), m, 1) }
		}
		for how, make := range ways {
			r := &Request{}
			r.Open(NewWorkLimit(t.Context()), len(items))
			found := r.Matches(make(r))
			for d := range docID(len(items)) {
				if found.Has(d) != slices.Contains(row.want, int(d)%len(patternTexts)) {
					t.Fatalf("%s by %s: document %d matches: %t", row.pattern, how, d, found.Has(d))
				}
			}
			r.Close()
		}
	}
}
