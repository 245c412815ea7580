// This file prints a snapshot in a readable form.

package snapshot

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"contentedge/edgeserve/terminal"
)

// Dump prints all sections, then all fields.
func (r *Reader) Dump(w io.Writer) error {
	b := bufio.NewWriter(w)
	m := r.meta
	dir := "descending"
	if m.Asc {
		dir = "ascending"
	}
	version := fmt.Sprint(Version)
	if r.cache != nil {
		version = fmt.Sprint(VersionSearchOnly, ", search-only")
	}
	fmt.Fprintf(b, "snapshot version %s, environment %s, %d items, by %s %s, analysis version %d, %d bytes\n",
		version, m.Env, m.Items, m.Sort, dir, m.Analysis, len(r.data))
	if !r.out.Empty() {
		fmt.Fprintf(b, "left out of searches: %s\n", terminal.Text(fmt.Sprint(r.out)))
	}
	fmt.Fprintf(b, "\n%12s %12s %8s  %-17s %s\n", "offset", "bytes", "crc32c", "section", "field")
	for _, e := range r.toc {
		name := kindNames[e.kind]
		if name == "" {
			name = fmt.Sprintf("unknown %d", e.kind)
		}
		field := ""
		if e.field != NoField && int(e.field) < len(r.fields) {
			field = terminal.Text(r.fields[e.field].Path)
		}
		fmt.Fprintf(b, "%12d %12d %08x  %-17s %s\n", e.off, e.n, e.crc, name, field)
	}
	r.dumpFields(b)
	return b.Flush()
}

func (r *Reader) dumpFields(w io.Writer) {
	width := len("field")
	for _, f := range r.fields {
		width = max(width, utf8.RuneCountInString(terminal.Text(f.Path)))
	}
	const line = "%-8s %10v %10v %10v %10v %10v  %-*s  %s\n"
	fmt.Fprintf(w, "\n"+line, "type", "documents", "values", "pairs", "terms", "tokens", width, "field", "sub-fields (documents, where not all)")
	for _, f := range r.fields {
		c := f.column
		var terms, tokens any = "-", "-"
		if f.terms != nil {
			terms, tokens = f.terms.Len(), f.Tokens
		}
		fmt.Fprintf(w, line, f.Type, c.DocCount, c.Distinct, c.Pairs, terms, tokens, width, terminal.Text(f.Path), strings.Join(f.dumpSubs(), ", "))
	}
}

// dumpSubs returns the names of the sub-fields, each followed by its documents if not all have it.
func (f *Field) dumpSubs() (subs []string) {
	for s, v := range f.subs {
		switch {
		case v == nil:
		case v.column.DocCount == f.column.DocCount:
			subs = append(subs, Sub(s).String())
		default:
			subs = append(subs, fmt.Sprintf("%s (%d)", Sub(s), v.column.DocCount))
		}
	}
	return subs
}
