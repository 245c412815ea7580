// This file finds the texts of a snapshot that keywords of an index cannot hold.

package load

import (
	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/engine/snapshot"
)

// longTexts returns the Long and the Ties of the index's Meta. Without a snapshot, which knows them, they are what the
// index has.
func (e *index) longTexts(found *layout.State) (long, ties []string, err error) {
	switch {
	case e.snapshot != nil && !e.measured:
		if e.long, e.ties, err = longTexts(e.snapshot); err != nil {
			return nil, nil, err
		}
		e.measured = true
	case e.snapshot == nil && found != nil && found.Meta != nil:
		return found.Meta.Long, found.Meta.Ties, nil
	}
	return e.long, e.ties, nil
}

// longTexts walks all keywords. It reads only keywords that may be as long as the beginning of a text that is cut.
func longTexts(r *snapshot.Reader) (long, ties []string, err error) {
	defer snapshot.Recover(&err)
	for _, f := range r.Fields() {
		keywords := f.Strings()
		if keywords == nil && f.Sub(snapshot.SubKeyword) != nil {
			keywords = f.Sub(snapshot.SubKeyword).Strings()
		}
		if keywords == nil || keywords.Len() == 0 {
			continue
		}
		isLong, tie := false, false
		before := "" // the beginning of the previous value, if it is cut
		for it := keywords.Iter(0); it.Next(); {
			start, cut := "", false
			if it.AtMost() >= layout.MaxStart {
				text := string(it.Value())
				isLong = isLong || longer(text, layout.MaxKeyword)
				start, cut = layout.StartOf(text)
			}
			if tie = tie || cut && start == before; cut {
				before = start
			}
		}
		if isLong {
			long = append(long, f.Path)
		}
		if tie {
			ties = append(ties, f.Path)
		}
	}
	return layout.LongPaths(long), layout.LongPaths(ties), nil
}

// longer reports whether a text has more than n code units of UTF-16.
func longer(text string, n int) bool {
	if len(text) <= n {
		return false
	}
	for _, r := range text {
		if n--; r > 0xffff {
			n--
		}
	}
	return n < 0
}
