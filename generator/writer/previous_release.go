// This file remembers the sources of a release, so that the next build compares only files that it read.

package writer

import (
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/model"
)

// PreviousRelease has the sources of the release that the process wrote before.
type PreviousRelease struct {
	build string
	docs  map[string]*documents // by environment
}

// PreviousRelease returns the sources of the written release, for the next build; nil if
// ReleaseConfig.Previous is nil.
func (w *Writer) PreviousRelease(m *release.Manifest) *PreviousRelease {
	if w.c.Previous == nil {
		return nil
	}
	l := &PreviousRelease{build: m.Build, docs: make(map[string]*documents, len(w.envs))}
	for i := range w.envs {
		l.docs[w.envs[i].Plan.ID] = w.sources[i]
	}
	return l
}

// known returns, for each document, the document of the previous release with the same text, or -1. It
// returns nil if the baseline is another release or lacks the environment.
func (l *PreviousRelease) known(baseline, env string, docs *documents) []int32 {
	if l == nil || l.build != baseline || l.docs[env] == nil {
		return nil
	}
	old := l.docs[env]
	known := make([]int32, docs.Len())
	var places map[model.Span]int32
	at := 0 // the next document of old, if no document was added or removed
	for doc, span := range docs.spans {
		known[doc] = -1
		switch {
		case at < len(old.spans) && old.spans[at] == span && old.ids[at] == docs.ids[doc]:
			known[doc] = int32(at)
		case at < len(old.spans) && old.ids[at] == docs.ids[doc]: // the item was read again
		default:
			if places == nil {
				places = old.places()
			}
			if i, ok := places[span]; ok {
				known[doc], at = i, int(i)
			} else {
				at--
			}
		}
		at++
	}
	return known
}

func (d *documents) places() map[model.Span]int32 {
	places := make(map[model.Span]int32, len(d.spans))
	for doc, span := range d.spans {
		places[span] = int32(doc)
	}
	return places
}
