// This file measures all programs in turn, round by round.

package wasmbench

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
)

// results are the medians of the rounds.
type results struct {
	families []row
	sizes    sizes
	memory   int64 // of the WebAssembly memory above the whole snapshot
	firsts   []firstRow
	load     [2]string // of the machine, before and after
	field    string
	words    []string
}

// row is a family.
type row struct {
	name         string
	native, node timing
}

// firstRow is a program's first answer.
type firstRow struct {
	title string
	first
}

// rival is a program that searches without a server.
type rival struct {
	title, script, prepare string
	have                   bool
	rounds                 []first
}

func (c config) measure(w *work, say func(string, ...any)) (*results, error) {
	r := &results{load: [2]string{load()}, field: w.Field, words: w.Words}
	say("compressing")
	if err := w.inNode("sizes.mjs", &r.sizes); err != nil {
		return nil, err
	}
	rivals := []*rival{
		{title: "contentedge", script: "contentedge.mjs", have: true},
		{title: "Pagefind " + r.sizes.PagefindVersion, script: "pagefind.mjs", prepare: "pagefind-index.mjs", have: w.Pagefind != ""},
		{title: "SQLite as in Nuxt Content 3", script: "nuxt.mjs", prepare: "nuxt-dump.mjs", have: w.SQLite != ""},
	}
	rivals = slices.DeleteFunc(rivals, func(p *rival) bool { return !p.have })
	for _, p := range rivals {
		if p.prepare == "" {
			continue
		}
		say("preparing %s", p.title)
		if err := w.inNode(p.prepare, &struct{}{}); err != nil {
			return nil, err
		}
	}
	natives, wholes := []map[string]timing{}, []whole{}
	for round := range c.rounds {
		say("round %d", round+1)
		native, err := w.native()
		if err != nil {
			return nil, err
		}
		var all whole
		if err := w.inNode("whole.mjs", &all); err != nil {
			return nil, err
		}
		natives, wholes = append(natives, native), append(wholes, all)
		for i := range rivals {
			p, f := rivals[(i+round)%len(rivals)], first{} // each round starts with another program
			if err := w.inNode(p.script, &f); err != nil {
				return nil, err
			}
			p.rounds = append(p.rounds, f)
		}
	}
	r.load[1] = load()
	if err := r.add(w, natives, wholes); err != nil {
		return nil, err
	}
	for _, p := range rivals {
		r.firsts = append(r.firsts, firstRow{p.title, middle(p.rounds)})
	}
	return r, nil
}

// add adds the medians of the families, whose responses must be the same natively and in Node.
func (r *results) add(w *work, natives []map[string]timing, wholes []whole) error {
	for _, f := range w.Families {
		var native, node []timing
		for i := range natives {
			a, b := natives[i][f.Name], wholes[i].Families[f.Name]
			if a.Digest != b.Digest {
				return fmt.Errorf("%s: the module answers otherwise than the native engine", f.Name)
			}
			native, node = append(native, a), append(node, b)
		}
		r.families = append(r.families, row{f.Name, middleTiming(native), middleTiming(node)})
	}
	r.memory = median(wholes, func(a whole) int64 { return a.Memory }) - r.sizes.Snapshot
	return nil
}

// load is the load of the machine in the last minute.
func load() string {
	b, _ := os.ReadFile("/proc/loadavg")
	one, _, _ := strings.Cut(string(b), " ")
	return one
}

func median[T any, N cmp.Ordered](all []T, key func(T) N) N {
	var v []N
	for _, x := range all {
		v = append(v, key(x))
	}
	slices.Sort(v)
	return v[len(v)/2]
}

func middleTiming(all []timing) timing {
	return timing{
		CPU:    median(all, func(t timing) float64 { return t.CPU }),
		Wall:   median(all, func(t timing) float64 { return t.Wall }),
		Module: median(all, func(t timing) float64 { return t.Module }),
	}
}

// middle returns the median of each figure that differs between rounds.
func middle(all []first) first {
	f := all[0]
	for _, p := range []struct {
		to  *float64
		key func(first) float64
	}{
		{&f.Took, func(f first) float64 { return f.Took }}, {&f.CPU, func(f first) float64 { return f.CPU }},
		{&f.Worked, func(f first) float64 { return f.Worked }},
		{&f.Wall, func(f first) float64 { return f.Wall }}, {&f.Compile, func(f first) float64 { return f.Compile }},
		{&f.Initialize, func(f first) float64 { return f.Initialize }}, {&f.Open, func(f first) float64 { return f.Open }},
		{&f.Answer, func(f first) float64 { return f.Answer }},
	} {
		*p.to = median(all, p.key)
	}
	f.Memory = median(all, func(f first) int64 { return f.Memory })
	f.Process = median(all, func(f first) int64 { return f.Process })
	return f
}
