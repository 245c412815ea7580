// This file remembers a release's sources, so that the next build compares only what was read.

package writer

import (
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/model"
)

// Last is what a release was written from.
type Last struct {
	build string
	docs  map[string]*documents // by environment
}

// Last gives what the release of a manifest was written from; nil if Config.Last is.
func (w *Writer) Last(m *release.Manifest) *Last {
	if w.c.Last == nil {
		return nil
	}
	l := &Last{build: m.Build, docs: make(map[string]*documents, len(w.envs))}
	for i := range w.envs {
		l.docs[w.envs[i].Plan.ID] = w.sources[i]
	}
	return l
}

// known gives each document's match with the same text in the last release, or -1; nil if the
// baseline is another release or lacks the environment.
func (l *Last) known(baseline, env string, docs *documents) []int32 {
	if l == nil || l.build != baseline || l.docs[env] == nil {
		return nil
	}
	old := l.docs[env]
	known := make([]int32, docs.Len())
	var places map[model.Span]int32
	at := 0 // the document of old that comes next where nothing was added or removed
	for doc, span := range docs.spans {
		known[doc] = -1
		switch {
		case at < len(old.spans) && old.spans[at] == span && old.ids[at] == docs.ids[doc]:
			known[doc] = int32(at)
		case at < len(old.spans) && old.ids[at] == docs.ids[doc]: // it was read again
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
