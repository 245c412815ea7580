// This file multiplies items. Each copy has its own id, name and dates, and texts
// recombined from two items. The result has the original's vocabulary, and postings,
// distinct values and hits in proportion.

package corpus

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"contentedge/edgeserve/engine/analysis"
)

// variety is the share of distinct texts above which a path's texts are recombined.
// Below it a path has few values (a language, a format), which stay.
const variety = 0.1

// copyAge is the difference in age between consecutive rounds of copies.
const copyAge = 7 * time.Hour

// multiplier has the texts for recombination, by path.
type multiplier struct {
	rnd    *rand.Rand
	donors map[string][][]byte
}

// Multiply returns n items: the given ones, then modified copies.
func Multiply(items [][]byte, n int) [][]byte {
	m := &multiplier{rand.New(rand.NewPCG(7, 11)), donors(items)}
	out := make([][]byte, n)
	for i := range out {
		item := items[i%len(items)]
		if round := i / len(items); round > 0 {
			item = m.variant(item, round, i)
		}
		out[i] = item
	}
	return out
}

// donors collects the texts of paths with enough variety. Of an item's own members only
// its name is free text.
func donors(items [][]byte) map[string][][]byte {
	all := map[string][][]byte{}
	distinct := map[string]map[string]bool{}
	for _, item := range items {
		Leaves(item, func(l Leaf) {
			own := l.Path == "Name" || strings.HasPrefix(l.Path, "Data.")
			if !own || l.Kind != String || analysis.IsDate(string(l.Raw)) {
				return
			}
			if distinct[l.Path] == nil {
				distinct[l.Path] = map[string]bool{}
			}
			distinct[l.Path][string(l.Raw)] = true
			all[l.Path] = append(all[l.Path], l.Raw)
		})
	}
	for path, texts := range all {
		if float64(len(distinct[path])) < variety*float64(len(texts)) {
			delete(all, path)
		}
	}
	return all
}

// variant is copy number i of an item.
func (m *multiplier) variant(item []byte, round, i int) []byte {
	age := time.Duration(round)*copyAge + time.Duration(m.rnd.IntN(int(copyAge/time.Millisecond)))*time.Millisecond
	return Rewrite(item, func(l Leaf) []byte {
		texts := m.donors[l.Path]
		switch {
		case l.Path == "ContentID":
			return fmt.Appendf(nil, "Content_%08x-%04x-4%03x-8%03x-%012x", m.rnd.Uint32(), m.rnd.IntN(1<<16), m.rnd.IntN(1<<12), m.rnd.IntN(1<<12), i)
		case l.Kind == String && texts != nil:
			return recombine(l.Raw, texts[m.rnd.IntN(len(texts))], round)
		case l.Kind == String && len(l.Raw) == len("2006-01-02T15:04:05.000Z"):
			return older(l.Raw, age)
		}
		return l.Raw
	})
}

// recombine joins the first half of a text and the second half of another. A single
// word gets a second word; a path or URL gets a number.
func recombine(own, other []byte, round int) []byte {
	own, other = bytes.TrimSpace(own), bytes.TrimSpace(other)
	if !bytes.Contains(own, []byte(" ")) {
		if bytes.ContainsAny(own, `/\`) {
			return fmt.Appendf(nil, "%s-%d", own, round)
		}
		return bytes.Join([][]byte{own, lastWord(other)}, []byte(" "))
	}
	head, tail := bytes.Split(own, []byte(" ")), bytes.Split(other, []byte(" "))
	words := append(head[:(len(head)+1)/2:(len(head)+1)/2], tail[len(tail)/2:]...)
	return bytes.Join(words, []byte(" "))
}

func lastWord(text []byte) []byte { return text[bytes.LastIndexByte(text, ' ')+1:] }

// older shifts a timestamp; other text stays.
func older(raw []byte, age time.Duration) []byte {
	t, err := time.Parse("2006-01-02T15:04:05.000Z", string(raw))
	if err != nil {
		return raw
	}
	return []byte(stamp(t.Add(-age)))
}
