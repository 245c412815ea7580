// This file prints a snapshot for people.

package snapshot

import (
	"bufio"
	"fmt"
	"io"
)

// Dump prints what the snapshot holds, section by section, then field by field.
func (r *Reader) Dump(w io.Writer) error {
	b := bufio.NewWriter(w)
	m := r.meta
	dir := "descending"
	if m.Asc {
		dir = "ascending"
	}
	fmt.Fprintf(b, "snapshot version %d, environment %s, %d items, by %s %s, analysis version %d, %d bytes\n",
		Version, m.Env, m.Items, m.Sort, dir, m.Analysis, len(r.data))
	fmt.Fprintf(b, "\n%12s %12s %8s  %-17s %s\n", "offset", "bytes", "crc32c", "section", "field")
	for _, e := range r.toc {
		name := kindNames[e.kind]
		if name == "" {
			name = fmt.Sprintf("unknown %d", e.kind)
		}
		field := ""
		if e.field != NoField && int(e.field) < len(r.fields) {
			field = r.fields[e.field].Path
		}
		fmt.Fprintf(b, "%12d %12d %08x  %-17s %s\n", e.off, e.n, e.crc, name, field)
	}
	fmt.Fprintf(b, "\n%-8s %10s %10s %10s %10s %10s  %s\n", "type", "documents", "values", "pairs", "terms", "tokens", "field")
	for _, f := range r.fields {
		terms := 0
		if f.terms != nil {
			terms = f.terms.Len()
		}
		c := f.column
		fmt.Fprintf(b, "%-8s %10d %10d %10d %10d %10d  %s\n", f.Type, c.DocCount, c.Distinct, c.Pairs, terms, f.Tokens, f.Path)
	}
	return b.Flush()
}
