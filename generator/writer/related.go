// This file finds which files of items that include others, or that list referrers, the baseline has already.

package writer

import (
	"slices"

	"contentedge/edgeserve/wire/release"
	"contentedge/generator/related"
)

// baselineReferences compares references with the references in the baseline.
type baselineReferences struct {
	*related.Env
	sameRules bool            // the files of items include what the baseline's include, if no item changed
	changed   map[string]bool // ids to which other items refer than in the baseline; nil: perhaps all
}

// compareReferences prepares sameItem and sameUsedIn.
func (w *envWriter) compareReferences(baseline *release.Manifest, d release.Defaults) error {
	rules, used := baseline.References(w.plan.ID)
	var own []release.Include
	if w.references != nil {
		own = w.references.Include
	}
	w.old = baselineReferences{Env: w.references, sameRules: slices.EqualFunc(rules, own, sameRule)}
	if w.references == nil || !w.references.UsedIn.Any() || !used.Any() || d != baseline.Defaults {
		return nil
	}
	var err error
	w.old.changed, err = w.compared.ChangedReferences(w.docs)
	return err
}

func sameRule(a, b release.Include) bool {
	return a.Template == b.Template && a.Levels == b.Levels && slices.Equal(a.Paths, b.Paths)
}

// sameItem reports whether the file of a document is unchanged: the item is, and so are all items that it includes.
func (w *envWriter) sameItem(doc int) bool {
	if !w.old.sameRules || !w.compared.Item(doc) {
		return false
	}
	in := w.references.Included(doc)
	if in == nil {
		return true
	}
	return !slices.ContainsFunc(in.Docs, func(other int32) bool { return !w.compared.Item(int(other)) }) &&
		!slices.ContainsFunc(in.Absent, w.compared.Had)
}

// sameUsedIn reports whether the list of items that refer to a document is unchanged, if the baseline has one.
func (w *envWriter) sameUsedIn(doc int) bool {
	return w.old.changed != nil && !w.old.changed[w.docs.ids[doc]]
}
