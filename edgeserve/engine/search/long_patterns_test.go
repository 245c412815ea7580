// These tests match patterns on long texts, whose documents the words of the pattern select, and compare with a look
// at every text.

package search

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
)

// piecesOfTexts are words, parts of words, and what is hard in them: letters of several cases, marks, a word that is
// cut because it is too long.
var piecesOfTexts = []string{"docker", "Docker", "dock", "er", "run", "kİng", "king", "ſun", "Kelvin", "ΣΊΣΥΦΟΣ", "σίσυφος", "a1b2", "1", "caf", "e\u0301",
	"東京", "node.js", "it's", "_", "-", "/", " ", " ", " ", ", ", strings.Repeat("y", 250), "™", "é", "É", "zz𐐨zz"}

func longTexts(rng *rand.Rand, n int) (items []string, texts [][]string) {
	for i := range n {
		var list []string
		if i < len(alone) {
			list = alone[i : i+1]
		}
		for range min(1+rng.IntN(2), max(0, i+1-len(alone))) {
			var b strings.Builder
			for range 5 + rng.IntN(20) {
				b.WriteString(piecesOfTexts[rng.IntN(len(piecesOfTexts))])
				if rng.IntN(10) > 0 {
					b.WriteString(" ")
				}
			}
			list = append(list, b.String())
		}
		raw, _ := json.Marshal(list)
		items = append(items, fmt.Sprintf(`{"ContentID":"i%05d","CreatedAt":"2024-01-01T00:00:00.000Z","Data":{"t":%s}}`, len(items), raw))
		texts = append(texts, list)
	}
	return items, texts
}

// alone are texts whose only occurrence of a word is hard to find.
var alone = []string{strings.Repeat("y", 250) + "docker and a text that is long enough", "a longer text about kİngs",
	strings.Repeat("y", 252) + "zz𐐨zz and a text that is long enough"}

func TestPatternsOnLongTexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 3))
	items, texts := longTexts(rng, 400)
	r := snaptest.Open(t, snaptest.Env{Items: items, Analysis: snaptest.Analysis{Version: analysis.Version, Words: analysis.Terms}})
	if f := r.Field("Data.t"); f.Grams() != nil || scorer.WordRun(f, [][]byte{[]byte("docker")}) == nil {
		t.Fatal("words do not select the texts")
	}
	for _, word := range piecesOfTexts {
		pat := "*" + pattern.Escape(word) + "*"
		check(t, r, fmt.Sprintf(`{"wildcard":{"Data.t":{"value":%q}}}`, pat), texts, pattern.CompileWildcard(pat, pattern.FoldAll).Match)
	}
	for range 120 {
		runes := []rune(piecesOfTexts[rng.IntN(len(piecesOfTexts))] + piecesOfTexts[rng.IntN(len(piecesOfTexts))])
		runes = runes[rng.IntN(len(runes)):]
		text := pattern.Escape(string(runes[:min(len(runes), 1+rng.IntN(12))]))
		pat := []string{"*" + text + "*", "*" + text, text + "*", "*" + text + "?*", "*" + text + "*" + text + "*"}[rng.IntN(5)]
		for path, fold := range map[string]pattern.Fold{"Data.t": pattern.FoldAll, "Data.t.keyword": pattern.FoldNone} {
			w := pattern.CompileWildcard(pat, fold)
			check(t, r, fmt.Sprintf(`{"wildcard":{%q:{"value":%q}}}`, path, pat), texts, w.Match)
		}
		expr := ".*" + escapeRegexp(string(runes[:min(len(runes), 12)])) + ".*"
		if re, _, err := pattern.CompileRegexp(expr); err == nil {
			raw, _ := json.Marshal(expr)
			check(t, r, fmt.Sprintf(`{"regexp":{"Data.t.keyword":{"value":%s}}}`, raw), texts, re.Match)
		}
	}
}

func escapeRegexp(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune(".-'/_", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func check(t *testing.T, r *snapshot.Reader, text string, texts [][]string, matches func([]byte) bool) {
	t.Helper()
	b, err := body.Parse([]byte(`{"size":1000,"query":` + text + `}`))
	if err != nil {
		t.Fatal(text, err)
	}
	b.Window.Size = query.MaxWindow
	res, err := Eval(t.Context(), r, b)
	if err != nil {
		t.Fatal(text, err)
	}
	var got, want []int
	for _, d := range res.Docs {
		var item struct{ ContentID string }
		if err := json.Unmarshal(r.Fragment(d), &item); err != nil {
			t.Fatal(err)
		}
		n := 0
		if _, err := fmt.Sscanf(item.ContentID, "i%d", &n); err != nil {
			t.Fatal(err)
		}
		got = append(got, n)
	}
	slices.Sort(got)
	for i, list := range texts {
		if slices.ContainsFunc(list, func(s string) bool { return matches([]byte(s)) }) {
			want = append(want, i)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: %d of %d items: %v, want %v", text, len(got), len(want), got, want)
	}
}
