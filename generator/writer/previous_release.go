// This file remembers the sources of a release, so that the next build compares only files that it read.

package writer

import (
	"reflect"
	"slices"

	"contentedge/edgeserve/leftout"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/incremental"
	"contentedge/generator/model"
)

// PreviousRelease has the sources of the release that the process wrote before.
type PreviousRelease struct {
	manifest *release.Manifest
	envs     map[string]sources
}

// sources are what the files of an environment depend on, in addition to the configuration. The searches are in the
// manifest.
type sources struct {
	docs    *documents
	visible release.Interval
	leftOut leftout.Rules
	include []release.Include
	usedIn  release.UsedIn
	media   []string // addresses, which have digests
}

func (w *Writer) sourcesOf(i int) sources {
	env := &w.envs[i]
	s := sources{docs: w.sources[i], visible: env.Visible, leftOut: env.LeftOut}
	if env.References != nil {
		s.include, s.usedIn = env.References.Include, env.References.UsedIn
	}
	for _, m := range env.Media {
		s.media = append(s.media, m.Address)
	}
	return s
}

func (s *sources) equal(o *sources) bool {
	return s.docs.equal(o.docs) && s.visible == o.visible && s.leftOut.Equal(o.leftOut) && slices.Equal(s.media, o.media) &&
		reflect.DeepEqual(s.include, o.include) && reflect.DeepEqual(s.usedIn, o.usedIn)
}

// PreviousRelease returns the sources of the written release, for the next build; nil if
// ReleaseConfig.Previous is nil.
func (w *Writer) PreviousRelease(m *release.Manifest) *PreviousRelease {
	if w.c.Previous == nil {
		return nil
	}
	l := &PreviousRelease{manifest: m, envs: make(map[string]sources, len(w.envs))}
	for i := range w.envs {
		l.envs[w.envs[i].Plan.ID] = w.sourcesOf(i)
	}
	return l
}

// is reports whether a baseline is the previous release.
func (l *PreviousRelease) is(baseline *incremental.Baseline) bool {
	return l != nil && l.manifest != nil && l.manifest.Build == baseline.Manifest.Build
}

// untouched returns what the previous release, which is the baseline, says of environment i if its files have the
// same sources; otherwise nil.
func (w *Writer) untouched(i int) *release.Environment {
	if w.c.Previous == nil || !w.takes || !w.c.Previous.is(w.baseline) {
		return nil
	}
	env := &w.envs[i]
	before, found := w.c.Previous.envs[env.Plan.ID]
	now, e := w.sourcesOf(i), w.baseline.Manifest.Environment(env.Plan.ID)
	if !found || e == nil || !before.equal(&now) {
		return nil
	}
	if _, same := sameSearches(env.Searches, e.Searches); !same {
		return nil
	}
	return e
}

// known returns, for each document, the document of the previous release with the same text, or -1. It
// returns nil if the baseline is another release or lacks the environment.
func (l *PreviousRelease) known(baseline *incremental.Baseline, env string, docs *documents) []int32 {
	if !l.is(baseline) || l.envs[env].docs == nil {
		return nil
	}
	old := l.envs[env].docs
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
