// Package writer writes a release: it enumerates the files by name, renders and compresses the ones that the baseline
// lacks, and adds snapshots, checksums and the manifest. The bytes depend only on the content, not on the baseline, the
// workers or their order.
package writer

import (
	"bytes"
	"slices"
	"sync"

	"contentedge/edgeserve/leftout"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/incremental"
	"contentedge/generator/mapping"
	"contentedge/generator/model"
	"contentedge/generator/output"
	"contentedge/generator/plan"
	"contentedge/generator/related"
	"contentedge/generator/searches"
	"contentedge/generator/source/media"
	"contentedge/generator/spill"
)

// ReleaseConfig says what to write and what to write it from.
type ReleaseConfig struct {
	Fragments *spill.File // filled by NewFragmentSpiller
	Baseline  string      // the baseline's directory; "": write every file

	Compressor   Compressor
	Defaults     address.Defaults
	SnapshotOnly bool             // no files of items and pages
	Partial      bool             // some environments of a site, which release.Manifest says
	Check        bool             // compare the bytes of the baseline's files with its list of checksums
	Carry        bool             // this program made the baseline: environments that did not change are taken as wholes
	Target       *plan.Target     // bounds the size of a file; nil: no bound
	Previous     *PreviousRelease // of the last build of the process from the same Fragments; may be empty. Nil: no next build

	Memory int64                       // bytes for the index of an environment
	Temp   func() (*spill.File, error) // makes a temporary file for the index

	Progress func(Progress) // called concurrently
}

// Env is an environment to write.
type Env struct {
	Plan    *plan.Env
	Summary *plan.Summary
	Items   []model.Item // read by New only
	Fields  []mapping.Field
	LeftOut leftout.Rules // of the paths that Fields lack

	Visible release.Interval // in which the same items of the content are visible

	Carried *Carried // nil: the environment was read; otherwise only Plan.ID, Summary and Visible are set

	References *related.Env // nil: no file depends on other items

	Searches []searches.Search // by name
	Media    []*media.File     // by address

	Templates        []release.Template // by name
	TemplatesLeftOut bool
}

// Progress is what one batch of files adds to the figures of a build.
type Progress struct {
	Items, Pages int
	Media        int
	Written      int // files, without the ones taken from the baseline
	Bytes        int64
}

// progress adds up the reports, so that takeBack can revoke them.
type progress struct {
	mu     sync.Mutex
	sum    Progress // guarded by mu
	report func(Progress)
}

func (p *progress) add(more Progress) {
	p.mu.Lock()
	p.sum.Items += more.Items
	p.sum.Pages += more.Pages
	p.sum.Media += more.Media
	p.sum.Written += more.Written
	p.sum.Bytes += more.Bytes
	p.mu.Unlock()
	p.report(more)
}

func (p *progress) takeBack() {
	s := p.sum
	p.add(Progress{Items: -s.Items, Pages: -s.Pages, Media: -s.Media, Written: -s.Written, Bytes: -s.Bytes})
}

// Writer writes one release.
type Writer struct {
	tx      *output.Tx
	c       ReleaseConfig
	envs    []Env
	docs    []*documents // by environment; nil once it is written
	sources []*documents // by environment, for PreviousRelease

	baseline *incremental.Baseline         // nil: no file is taken
	compared []*incremental.Env            // by environment, suspended; nil where nothing was compared
	takes    bool                          // files of the baseline are taken: it was compressed in the same way
	places   map[string]incremental.Places // of the baseline, if it takes files
	recycled *recycled                     // nil: the release begins without files

	unchanged []*release.Environment // by environment: its row of the baseline if nothing changed, otherwise nil
	carries   bool                   // environments that did not change are taken as wholes
	repairs   bool                   // the baseline is the same release, but damaged
	progress  progress               // of the files written so far

	manifest *release.Manifest
}

// New opens the baseline and compares it with the environments. It ignores a damaged baseline.
func New(tx *output.Tx, c ReleaseConfig, envs []Env) (*Writer, error) {
	d := c.Defaults
	w := &Writer{tx: tx, envs: envs, compared: make([]*incremental.Env, len(envs)), unchanged: make([]*release.Environment, len(envs)),
		manifest: &release.Manifest{Format: release.Format, Partial: c.Partial, Defaults: release.Defaults{Sort: d.Sort, Asc: d.Asc, PageSize: d.Size}, Compression: c.Compressor.manifest()}}
	w.c, w.progress.report = c, c.Progress
	w.c.Progress = w.progress.add
	for i := range envs {
		w.manifest.Visible = w.manifest.Visible.Meet(envs[i].Visible)
		w.docs = append(w.docs, newDocuments(c.Fragments, envs[i].Items, envs[i].Plan.Docs))
		if c.Previous != nil {
			w.sources = append(w.sources, w.docs[i])
		}
		envs[i].Items = nil
	}
	err := w.compare()
	if err == nil && w.unread() && slices.IndexFunc(w.unchanged, func(e *release.Environment) bool { return e != nil }) < 0 {
		err = ErrNotCarried
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func (w *Writer) compare() (err error) {
	if w.c.Baseline == "" {
		return nil
	}
	if w.baseline, err = incremental.Open(w.c.Baseline); err != nil || w.baseline == nil {
		return err
	}
	if !w.baseline.Manifest.OrdersByInstant() { // its lists have another order
		w.baseline.Close()
		w.baseline = nil
		return nil
	}
	if w.takes = slices.Equal(w.baseline.Manifest.Compression, w.manifest.Compression); w.takes {
		ids := make([]string, len(w.envs))
		for i := range ids {
			ids[i] = w.envs[i].Plan.ID
		}
		if w.places, err = w.baseline.Places(ids); err != nil {
			return err
		}
	}
	w.carries = w.c.Carry && w.takes && w.baseline.Manifest.Defaults == w.manifest.Defaults
	if err := w.known(); err != nil {
		return err
	}
	if w.c.Previous.is(w.baseline) {
		w.baseline.Manifest.Missing(w.c.Previous.manifest) // carries over what was read before
	}
	for i := range w.envs {
		id := w.envs[i].Plan.ID
		if w.envs[i].Carried != nil {
			continue
		}
		if w.unchanged[i] = w.untouched(i); w.unchanged[i] != nil {
			continue
		}
		if err := w.baseline.Complete(id); err != nil {
			return err
		}
		e, err := w.baseline.Env(id, w.docs[i], w.c.Previous.known(w.baseline, id, w.docs[i]))
		if err != nil {
			return err
		}
		if e == nil {
			continue
		}
		w.compared[i] = e
		if w.takes {
			w.unchanged[i] = w.same(i)
		}
		e.Suspend()
	}
	return nil
}

// Close closes the baseline.
func (w *Writer) Close() {
	for _, e := range w.compared {
		if e != nil {
			e.Close()
		}
	}
	if w.baseline != nil {
		w.baseline.Close()
	}
	w.recycled.close()
}

// Removed counts the baseline's items that environment i lacks. It returns false if the environment was
// not compared with the baseline.
func (w *Writer) Removed(i int) (n int, ok bool) {
	if w.unchanged[i] != nil {
		return 0, true
	}
	if w.compared[i] == nil {
		return 0, false
	}
	return w.compared[i].Removed(), true
}

// Unchanged returns the manifest if the release would equal the baseline, otherwise nil. Look checks
// that the baseline's files are still there.
func (w *Writer) Unchanged() *release.Manifest {
	if !w.takes || len(w.baseline.Manifest.Environments) != len(w.envs) || slices.Contains(w.unchanged, nil) {
		return nil
	}
	m := *w.manifest
	for i, before := range w.unchanged {
		w.addEnvironment(&m, i, snapshotFile{before.Snapshot, before.Fields, before.Searches})
	}
	m.SetFormat()
	m.Checksums = w.baseline.Manifest.Checksums
	before := *w.baseline.Manifest
	if text := m.Encode(); m.Build != w.baseline.Manifest.Build || !bytes.Equal(text, before.Encode()) {
		return nil // an id is only a part of a digest
	}
	return &m
}
