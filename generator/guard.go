// This file compares what was prepared with the current release: a build that would
// remove too much of it is refused before anything is written.

package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"contentedge/edgeserve/release"
	"contentedge/generator/model"
	"contentedge/generator/output"
	"contentedge/generator/removal"
	"contentedge/generator/reuse"
)

// removed counts the items of the current release that the environment of a plan lacks.
// It is false where nothing but the manifest tells of those items.
type removed func(plan int) (n int, ok bool, err error)

// guard refuses a release that removes too much of the release in dir, "" for none.
// Ids decide, not numbers: an environment whose items were all replaced by others has
// lost them all. Where the old snapshot cannot be used the numbers have to do.
func (p *prepared) guard(c *Config, dir string, count removed) error {
	if c.Removal.Allow || dir == "" {
		return nil
	}
	m, err := p.currentManifest(c, dir)
	if err != nil || m == nil {
		return err
	}
	plans := make(map[string]int, len(p.plans))
	for i := range p.plans {
		plans[p.plans[i].ID] = i
	}
	changes := removal.Compare(m.Environments, func(id string) (int, bool) {
		i, ok := plans[id]
		if !ok {
			return 0, false
		}
		return p.sums[i].Items, true
	})
	for i := range changes {
		if change := &changes[i]; !change.Dropped {
			n, ok, err := count(plans[change.ID])
			switch {
			case err != nil:
				return err
			case ok:
				change.Removed = n
			case m.Format == release.Format: // of an older program's release its counts do
				if err := p.warn(c, change.ID+": removals were checked by the number of items alone: the current snapshot cannot be read"); err != nil {
					return err
				}
			}
		}
	}
	return c.Removal.Check(changes)
}

// currentManifest reads the manifest of the current release. Of one that cannot be used
// nobody knows what it had: the build goes on as a first build does, which mends it, and
// says so.
func (p *prepared) currentManifest(c *Config, dir string) (*release.Manifest, error) {
	b, err := os.ReadFile(filepath.Join(dir, release.ManifestName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var m *release.Manifest
	if err == nil {
		m, err = release.Parse(b)
	}
	var other *release.FormatError
	switch {
	case errors.As(err, &other):
		return &release.Manifest{Environments: other.Environments}, nil
	case err != nil:
		return nil, p.warn(c, fmt.Sprintf("the current release cannot be read, so removals were not checked: %v", err))
	}
	return m, nil
}

// warn notes that the guard could not do its work. A strict build ends with that: it can
// be told to go on.
func (p *prepared) warn(c *Config, message string) error {
	d := Diagnostic{File: c.Out, Warning: !c.Strict, Message: message, Hint: "look at what was built before it goes out; --allow-removal builds without looking"}
	p.warnings = append(p.warnings, d)
	if c.Strict {
		return &ContentError{p.warnings}
	}
	return nil
}

// guard is that of the release to be written.
func (w *releaseWriter) guard() error {
	dir, err := w.tx.Previous()
	if err != nil {
		return err
	}
	before := baseline{dir: dir}
	defer before.close()
	return w.prepared.guard(w.config, dir, func(i int) (int, bool, error) {
		if w.old[i] != nil {
			return w.old[i].Removed(), true, nil
		}
		return before.removed(w.plans[i].ID, w.docs[i])
	})
}

// guardPlan is the guard of a build that does not happen.
func (p *prepared) guardPlan(c *Config) error {
	if c.Out == "" {
		return nil
	}
	dir, err := output.Current(c.Out)
	if err != nil {
		return err
	}
	before := baseline{dir: dir}
	defer before.close()
	return p.guard(c, dir, func(i int) (int, bool, error) {
		return before.removed(p.plans[i].ID, itemIDs(p.site.Envs[i].Items))
	})
}

// baseline is the current release where a build takes nothing over from it. It is opened
// when it is needed.
type baseline struct {
	dir     string
	release *reuse.Release
	useless bool
}

// removed counts the items of an environment whose ids are not among those given.
func (b *baseline) removed(id string, ids reuse.IDs) (n int, ok bool, err error) {
	if b.release == nil && !b.useless {
		if b.release, err = reuse.Open(b.dir); err != nil {
			return 0, false, err
		}
		b.useless = b.release == nil
	}
	if b.useless {
		return 0, false, nil
	}
	return b.release.Removed(id, ids)
}

func (b *baseline) close() {
	if b.release != nil {
		b.release.Close()
	}
}

// itemIDs are the ids of items.
type itemIDs []model.Item

// Len is the number of items.
func (l itemIDs) Len() int { return len(l) }

// ID is the content id of an item.
func (l itemIDs) ID(i int) string { return l[i].ContentID }
