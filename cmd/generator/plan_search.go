// This file plans searches without an edge server.

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"contentedge/cmd/outfile"
	"contentedge/edgeserve/bytesize"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/generator"
	"contentedge/generator/hosts/searchfiles"
	"contentedge/generator/plan"
)

// planSearch adds to a report what a program loads to search, if the target searches without an edge server. Sizes of
// snapshots are known only once they are built.
func planSearch(ctx context.Context, c generator.BuildConfig, r *generator.PlanReport) (err error) {
	if c.Target == "" {
		return nil
	}
	target, err := plan.FindTarget(c.Target)
	if err != nil || !target.Searches() {
		return err
	}
	temp, err := os.MkdirTemp("", "contentedge-plan-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	c.Out, c.SnapshotOnly, c.NoSync, c.Progress = filepath.Join(temp, "public"), true, true, nil
	if _, err := generator.Build(ctx, c); err != nil {
		return err
	}
	if r.SearchSnapshots, err = measureSearch(c.Out, filepath.Join(temp, "search")); err != nil {
		return err
	}
	return target.CheckSearch(r.SearchSnapshots)
}

// measureSearch writes the search-only snapshots of a release into a directory, and returns their figures.
func measureSearch(public, out string) (all []plan.SearchFigures, err error) {
	d, err := releasedir.Open(public, nil)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	w, err := searchfiles.NewWriter(out, func(name string, body []byte) error { return outfile.Write(name, body, nil) }, true)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	for i := range d.Manifest.Environments {
		id := d.Manifest.Environments[i].ID
		var b bytes.Buffer
		if err := d.Readers[id].WriteSearchOnly(&b); err != nil {
			return nil, err
		}
		f, err := w.Add(id, ".snap", b.Bytes())
		if err != nil {
			return nil, err
		}
		s := f.Sizes()
		all = append(all, plan.SearchFigures{ID: id, Parts: len(f.Parts), Bytes: s.Bytes, Gzip: s.Gzip, Brotli: s.Brotli})
	}
	return all, nil
}

func describeSearch(r *generator.PlanReport) string {
	if len(r.SearchSnapshots) == 0 {
		return ""
	}
	t := newTable("search in", "parts", "bytes", "gzip", "br")
	for _, e := range r.SearchSnapshots {
		t.row(e.ID, e.Parts, bytesize.Format(e.Bytes), bytesize.Format(e.Gzip), bytesize.Format(e.Brotli))
	}
	return t.String() + fmt.Sprintf("with all parts a program takes some %s of memory\n", bytesize.Format(plan.SearchMemory(r.SearchSnapshots)))
}
