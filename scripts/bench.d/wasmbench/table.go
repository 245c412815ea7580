// This file prints the results.

package wasmbench

import (
	"fmt"
	"io"
)

// bandwidth is the bandwidth of a slow network, in bytes a millisecond: 10 Mbit/s.
const bandwidth = 1250

func mb(n int64) float64 { return float64(n) / 1e6 }

func (r *results) table(out io.Writer) error {
	t := &printer{w: out}
	own := r.firsts[0]
	t.line("%s; load of the machine %s before, %s after; Brotli level 9; words from %s\n", r.sizes.NodeVersion, r.load[0], r.load[1], r.field)
	t.line("| | MB | as Brotli | as gzip |\n| --- | ---: | ---: | ---: |")
	t.line("| module | %.2f | %.2f | %.2f |", mb(r.sizes.Module), mb(r.sizes.ModuleBrotli), mb(r.sizes.ModuleGzip))
	t.line("| search-only snapshot | %.2f | %.2f | |", mb(r.sizes.SearchOnly), mb(r.sizes.SearchOnlyBrotli))
	t.line("| whole snapshot | %.2f | | |\n", mb(r.sizes.Snapshot))
	t.line("| start, ms | |\n| --- | ---: |")
	t.line("| compile | %.0f |\n| `_initialize` | %.0f |\n| open | %.0f |\n| first search, with its items | %.0f |", own.Compile, own.Initialize, own.Open, own.Answer)
	t.line("| memory above the search-only snapshot, MB | %.1f |\n| memory above the whole snapshot, after all families, MB | %.1f |\n", mb(own.Memory-r.sizes.SearchOnly), mb(r.memory))

	t.line("| microseconds of a search | native CPU | Node CPU | ratio | native wall | Node wall | wall in the module | ratio |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, f := range r.families {
		t.line("| %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |", f.name, f.native.CPU, f.node.CPU, f.node.CPU/f.native.CPU, f.native.Wall, f.node.Wall, f.node.Module, f.node.Module/f.native.Wall)
	}
	t.line("\nmedian ratio of the families: CPU with `fetch` %.1f, wall inside the module %.1f\n", r.middleRatio(func(f row) float64 { return f.node.CPU / f.native.CPU }), r.middleRatio(func(f row) float64 { return f.node.Module / f.native.Wall }))

	t.line("| until the first answer | MB fetched | files | ms | CPU, ms | with 10 Mbit/s, s | WebAssembly memory, MB | growth of Node's memory, MB | CPU of a later search, us | CPU : contentedge | hits |")
	t.line("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, f := range r.firsts {
		t.line("| %s | %.2f | %d | %.0f | %.0f | %.1f | %.1f | %.1f | %.0f | %.2f | %d |", f.title, mb(f.Bytes), f.Files, f.Took, f.Worked, (float64(f.Bytes)/bandwidth+f.Took)/1000, mb(f.Memory), mb(f.Process), f.CPU, f.CPU/own.CPU, f.Hits)
	}
	t.line("\nThe searches are for %q. Nuxt Content finds words by LIKE, in any part of a word and without ranking; it does not use FTS.", r.words)
	if r.sizes.SQLiteVersion != "" {
		t.line("SQLite is @sqlite.org/sqlite-wasm %s.", r.sizes.SQLiteVersion)
	}
	return t.err
}

// middleRatio is the median over the families.
func (r *results) middleRatio(ratio func(row) float64) float64 {
	return median(r.families, ratio)
}

// printer keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, a ...any) {
	if _, err := fmt.Fprintf(p.w, format+"\n", a...); p.err == nil {
		p.err = err
	}
}
