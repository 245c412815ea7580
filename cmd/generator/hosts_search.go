// This file publishes what browsers and workers answer searches from.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"contentedge/cmd/outfile"
	"contentedge/cmd/wasm/module"
	"contentedge/edgeserve/bytesize"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator"
	"contentedge/generator/hosts"
	"contentedge/generator/hosts/searchfiles"
)

// assetsDir holds the files of a worker's search below --out, apart from its programs, which are not assets.
const assetsDir = "assets"

// publisher publishes the search of a release.
type publisher struct {
	host   hosts.Host
	config hosts.Deployment
	public string
	out    string
	envs   []string // all if it is empty
	hint   string   // of the command
	c      console
	module func(context.Context) ([]module.File, error)
}

// publish writes the files of the search, then the host's programs, and last the pointer, which makes them current.
func (p *publisher) publish(ctx context.Context) error {
	d, err := releasedir.Open(p.public, nil)
	if err != nil {
		return err
	}
	defer d.Close()
	if d.SnapshotOnly {
		return errors.New("the release has no files of items, which searches show, as one that preview built: use one of generator build")
	}
	environments, err := p.chosen(d.Manifest)
	if err != nil {
		return err
	}
	files, err := p.module(ctx)
	if err != nil {
		return err
	}
	dir := p.out
	if !p.host.NoEdge {
		dir = filepath.Join(p.out, assetsDir)
	}
	write := func(name string, body []byte) error { return outfile.Write(name, body, p.c.documents()) }
	w, err := searchfiles.NewWriter(dir, write, p.host.NoEdge)
	if err != nil {
		return err
	}
	defer w.Close()
	pointer, err := p.writeRelease(ctx, w, d, environments)
	if err != nil {
		return err
	}
	search := &hosts.Search{}
	for _, f := range files {
		switch f.Name {
		case module.WebAssembly:
			search.Wasm = f.Body
		case module.Script:
			search.Script = f.Body
		}
	}
	if p.host.NoEdge {
		if search.Module, err = w.Add(searchfiles.Dir, ".wasm", search.Wasm); err != nil {
			return err
		}
	}
	p.config.Search = search
	programs, err := hosts.Generate(p.host.Name, p.config)
	if err != nil {
		return err
	}
	if err := p.writePrograms(w, programs); err != nil {
		return err
	}
	if err := w.Finish(*pointer); err != nil {
		return err
	}
	return p.report(pointer, search, environments)
}

// chosen are the environments to publish, and warns of items that a build would have left out for their status.
func (p *publisher) chosen(m *release.Manifest) (list []*release.Environment, err error) {
	for _, id := range p.envs {
		if !slices.ContainsFunc(m.Environments, func(e release.Environment) bool { return e.ID == id }) {
			return nil, wrongUsage(fmt.Sprintf("the release has no environment %q", id), "--env names those to publish; without it all are")
		}
	}
	for i := range m.Environments {
		if e := &m.Environments[i]; len(p.envs) == 0 || slices.Contains(p.envs, e.ID) {
			list = append(list, e)
			if _, err := fmt.Fprint(p.c.err, unpublished(e)); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// unpublished says how many items of an environment are not Published, as far as its lists tell.
func unpublished(e *release.Environment) string {
	i := slices.IndexFunc(e.Lists, func(f release.Family) bool { return slices.Equal(f.Filters, []string{address.FilterStatus}) })
	if i < 0 {
		return ""
	}
	others := map[string]int{}
	for _, v := range e.Lists[i].Values {
		others[v.Filters[address.FilterStatus]] = v.TotalItems
	}
	if delete(others, published); len(others) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: everybody who can search has items that are not %s: %s\n  hint: build without --status leaves them out\n", e.ID, published, generator.ByStatus(others))
}

// writeRelease writes the files of a release, and returns the pointer to them.
func (p *publisher) writeRelease(ctx context.Context, w *searchfiles.Writer, d *releasedir.Dir, environments []*release.Environment) (*searchfiles.Pointer, error) {
	root := d.Fingerprint.Dir
	manifest, err := os.ReadFile(filepath.Join(root, release.ManifestName))
	if err != nil {
		return nil, err
	}
	pointer := &searchfiles.Pointer{Build: d.Build(), Files: map[string]searchfiles.File{}, Snapshots: map[string]searchfiles.Snapshot{}}
	if pointer.Files[release.ManifestName], err = w.Add("manifest", ".json", manifest); err != nil {
		return nil, err
	}
	for _, e := range environments {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if d.Manifest.HasParts() {
			name := e.PartFile().Name
			part, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
			if err != nil {
				return nil, err
			}
			if pointer.Files[name], err = w.Add("manifest-"+e.ID, ".json", part); err != nil {
				return nil, err
			}
		}
		var b bytes.Buffer
		if err := d.Readers[e.ID].WriteSearchOnly(&b); err != nil {
			return nil, fmt.Errorf("%s: %w", e.ID, err)
		}
		name := searchfiles.SnapshotName(e.ID)
		if pointer.Files[name], err = w.Add(e.ID, ".snap", b.Bytes()); err != nil {
			return nil, err
		}
		pointer.Snapshots[e.ID] = searchfiles.Snapshot{File: name, Bytes: int64(b.Len()), SHA256: release.HexSHA256(b.Bytes())}
		if !p.host.NoEdge {
			continue // a worker has its assets at hand
		}
		if pointer.Files[searchfiles.ItemsName(e.ID)], err = writeItems(w, root, e); err != nil {
			return nil, err
		}
	}
	return pointer, nil
}

// writeItems writes all items of an environment as one file.
func writeItems(w *searchfiles.Writer, root string, e *release.Environment) (f searchfiles.File, err error) {
	dir := filepath.FromSlash(strings.TrimPrefix(address.Contents.Path(e.ID), "/"))
	entries, err := os.ReadDir(filepath.Join(root, dir))
	if errors.Is(err, fs.ErrNotExist) && e.Items == 0 {
		err = nil
	}
	if err != nil {
		return f, err
	}
	var items []searchfiles.Item
	for _, entry := range entries {
		if !entry.Type().IsRegular() || filepath.Ext(entry.Name()) != ".json" {
			continue
		}
		body, err := os.ReadFile(filepath.Join(root, dir, entry.Name()))
		if err != nil {
			return f, err
		}
		items = append(items, searchfiles.Item{Name: filepath.ToSlash(filepath.Join(dir, entry.Name())), Body: body})
	}
	if len(items) != e.Items {
		return f, fmt.Errorf("%s: the release has %d files of items, its manifest says %d: build it again", e.ID, len(items), e.Items)
	}
	joined, err := searchfiles.JoinItems(items)
	if err != nil {
		return f, err
	}
	return w.Add(e.ID+"-items", ".bin", joined)
}

// writePrograms writes a host's programs, those with digests first.
func (p *publisher) writePrograms(w *searchfiles.Writer, programs []hosts.File) error {
	for _, f := range programs {
		if name, ok := strings.CutPrefix(f.Name, searchfiles.Immutable+"/"); ok {
			if err := w.WriteImmutable(name, f.Body); err != nil {
				return err
			}
		}
	}
	for _, f := range programs {
		if strings.HasPrefix(f.Name, searchfiles.Immutable+"/") {
			continue
		}
		if err := outfile.Write(filepath.Join(p.out, filepath.FromSlash(f.Name)), f.Body, p.c.documents()); err != nil {
			return err
		}
	}
	return nil
}

// report prints what a browser loads, or a worker.
func (p *publisher) report(pointer *searchfiles.Pointer, search *hosts.Search, environments []*release.Environment) error {
	t := newTable("file", "parts", "bytes", "gzip", "br")
	row := func(name string, f searchfiles.File) {
		s := f.Sizes()
		gzip, brotli := bytesize.Format(s.Gzip), bytesize.Format(s.Brotli)
		if !p.host.NoEdge {
			gzip, brotli = "", ""
		}
		t.row(name, len(f.Parts), bytesize.Format(s.Bytes), gzip, brotli)
	}
	if p.host.NoEdge {
		row("module", search.Module)
	} else {
		t.row("module", "", bytesize.Format(int64(len(search.Wasm))), "", "")
	}
	row("manifest", pointer.Files[release.ManifestName])
	for _, e := range environments {
		row(e.ID, pointer.Files[searchfiles.SnapshotName(e.ID)])
		if f, ok := pointer.Files[searchfiles.ItemsName(e.ID)]; ok {
			row(e.ID+" (items, for use without a network)", f)
		}
	}
	_, err := fmt.Fprintf(p.c.out, "%srelease %s in %s\n", t.String(), pointer.Build, p.out)
	return err
}
