// This file prints the results as Markdown tables.

package searchbench

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"bench/chart"
	"bench/queries"
)

// table prints all tables.
func (r *Results) table(w io.Writer) error {
	r.compare()
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d items, %.1f MB; words are searched in %s; %d hits and the exact total.\n", r.Items, float64(r.Bytes)/1e6, r.Field, queries.Hits)
	r.cpuTable(&b)
	r.latencyTable(&b)
	r.totalsTable(&b)
	r.refusals(&b)
	r.indexTable(&b)
	_, err := w.Write(b.Bytes())
	return err
}

// head begins a table with a column for each engine.
func (r *Results) head(b *bytes.Buffer, title string, more ...string) {
	fmt.Fprintf(b, "\n%s\n\n| family |", title)
	for _, e := range r.Engines {
		fmt.Fprintf(b, " %s |", e.Title)
	}
	for _, m := range more {
		fmt.Fprintf(b, " %s |", m)
	}
	b.WriteString("\n| --- |")
	for range len(r.Engines) + len(more) {
		b.WriteString(" ---: |")
	}
	b.WriteByte('\n')
}

// row prints a cell for each engine that answered a family.
func (r *Results) row(b *bytes.Buffer, family string, cell func(Family) string) {
	fmt.Fprintf(b, "| `%s` |", family)
	for _, e := range r.Engines {
		text := "-"
		if f := e.Families[family]; f.Queries > 0 {
			text = cell(f)
		} else if e.Refused[family] != "" {
			text = "refused"
		}
		fmt.Fprintf(b, " %s |", text)
	}
}

func (r *Results) cpuTable(b *bytes.Buffer) {
	r.head(b, "Processor time of a query, in microseconds (~: an engine was too slow to answer all queries):", "ours : Lucene", "bleve : ours")
	for _, family := range r.Families {
		r.row(b, family, func(f Family) string { return micros(f.CPU) })
		fmt.Fprintf(b, " %s | %s |\n", r.ratio(family, "ours", "lucene"), r.ratio(family, "bleve", "ours"))
	}
}

func (r *Results) latencyTable(b *bytes.Buffer) {
	r.head(b, "Latency, p50 / p99, in microseconds:")
	for _, family := range r.Families {
		r.row(b, family, func(f Family) string { return micros(f.P50) + " / " + micros(f.P99) })
		b.WriteByte('\n')
	}
}

func (r *Results) totalsTable(b *bytes.Buffer) {
	if r.engine("ours") == nil {
		return
	}
	r.head(b, "Queries whose total equals our engine's (words are cut differently elsewhere):")
	for _, family := range r.Families {
		r.row(b, family, func(f Family) string { return fmt.Sprintf("%d of %d", f.Same, f.Queries) })
		b.WriteByte('\n')
	}
}

// refusals says why engines refused families.
func (r *Results) refusals(b *bytes.Buffer) {
	for _, family := range r.Families {
		for _, e := range r.Engines {
			if reason := e.Refused[family]; reason != "" {
				fmt.Fprintf(b, "\n%s refuses `%s`: %.200s\n", e.Title, family, reason)
				break // the same engine may be measured in two ways
			}
		}
	}
}

func (r *Results) indexTable(b *bytes.Buffer) {
	b.WriteString("\n| | items/s built | items per CPU second | peak of the build, MiB | index : items | open, ms | first response, ms | resident, MiB | file pages in that |\n")
	b.WriteString("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, e := range r.Engines {
		fmt.Fprintf(b, "| %s | %s | %s | %d | %.2f | %.2f | %.2f | %d | %d |\n", e.Title, perSecond(r.Items, e.Build.Wall), perSecond(r.Items, e.Build.CPU),
			e.Build.Peak/1024, float64(e.Build.Bytes)/float64(r.Bytes), float64(e.Open)/1e6, float64(e.First)/1e6, (e.Anon+e.File)/1024, e.File/1024)
	}
}

func perSecond(items int, ns int64) string {
	if ns == 0 {
		return "-"
	}
	return strconv.FormatFloat(float64(items)/float64(ns)*1e9, 'f', 0, 64)
}

// micros formats nanoseconds as microseconds with about three digits.
func micros(ns int64) string { return chart.Number(float64(ns) / 1000) }

// ratio returns the ratio of the CPU times of a and b. A ~ marks that a or b was too slow to run
// all queries.
func (r *Results) ratio(family, a, b string) string {
	x, y := r.engine(a), r.engine(b)
	if x == nil || y == nil || x.Families[family].CPU == 0 || y.Families[family].CPU == 0 {
		return "-"
	}
	mark := ""
	if x.Families[family].Queries != y.Families[family].Queries {
		mark = "~"
	}
	return mark + strconv.FormatFloat(float64(x.Families[family].CPU)/float64(y.Families[family].CPU), 'f', 2, 64)
}
