// This file refuses, before anything is written, a build that would remove too much.

package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"contentedge/edgeserve/wire/release"
	"contentedge/generator/incremental"
	"contentedge/generator/model"
	"contentedge/generator/removal"
)

// checkRemoval refuses a release that removes too much of the current one in dir, which is "" if there
// is none. Ids decide: an environment whose items were all replaced has lost all of them. Where the
// current snapshot cannot be read, the numbers of items decide. compared counts the removals that the
// writer has found already.
func (p *prepared) checkRemoval(c *BuildConfig, dir string, compared func(env int) (removed int, ok bool)) error {
	if c.Removal.Allow || p.view.AllowRemoval || dir == "" {
		return nil
	}
	m, err := p.currentManifest(c, dir)
	if err != nil || m == nil {
		return err
	}
	envs := make(map[string]int, len(p.plans))
	for i := range p.plans {
		envs[p.plans[i].ID] = i
	}
	changes := removal.Compare(m.Environments, func(id string) (int, bool) {
		i, ok := envs[id]
		if !ok {
			return 0, false
		}
		return p.summaries[i].Items, true
	})
	current := currentItems{dir: dir}
	defer current.close()
	for i := range changes {
		change := &changes[i]
		if change.Dropped {
			continue
		}
		n, ok := compared(envs[change.ID])
		if !ok {
			if n, ok, err = current.removed(&p.site.Envs[envs[change.ID]]); err != nil {
				return err
			}
		}
		switch {
		case ok:
			if change.Removed = n; n > 0 {
				withdrawn, err := current.has(change.ID, p.site.Envs[envs[change.ID]].Hidden.Withdrawn)
				if err != nil {
					return err
				}
				change.Withdraw(withdrawn)
			}
		case m.Format >= release.OldestFormat: // of older releases only the numbers are known
			if err := p.warn(c, change.ID+": removals were checked by the number of items alone: the current snapshot cannot be read"); err != nil {
				return err
			}
		}
	}
	return c.Removal.Check(changes)
}

type currentItems struct {
	dir      string
	opened   bool
	baseline *incremental.Baseline // nil if damaged
}

// removed counts the current items that env lacks. It returns false if the current release is damaged.
func (c *currentItems) removed(env *model.Env) (n int, ok bool, err error) {
	return c.without(env.ID, itemIDs(env.Items))
}

// has counts the current items of an environment that are among ids.
func (c *currentItems) has(env string, ids []string) (int, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	all, ok, err := c.without(env, textIDs(nil))
	if err != nil || !ok {
		return 0, err
	}
	others, _, err := c.without(env, textIDs(ids))
	return all - others, err
}

// without counts the current items of an environment that are not among ids. It returns false if the current release
// is damaged.
func (c *currentItems) without(env string, ids incremental.IDs) (n int, ok bool, err error) {
	if !c.opened {
		if c.baseline, err = incremental.Open(c.dir); err != nil {
			return 0, false, err
		}
		c.opened = true
	}
	if c.baseline == nil {
		return 0, false, nil
	}
	if err := c.baseline.Complete(env); err != nil {
		return 0, false, err
	}
	return c.baseline.Removed(env, ids)
}

func (c *currentItems) close() {
	if c.baseline != nil {
		c.baseline.Close()
	}
}

// currentManifest reads the current manifest. A manifest that cannot be read is a warning, as the build
// replaces it.
func (p *prepared) currentManifest(c *BuildConfig, dir string) (*release.Manifest, error) {
	b, err := os.ReadFile(filepath.Join(dir, release.ManifestName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var m *release.Manifest
	if err == nil {
		m, err = release.ParseRows(b) // which have the numbers of items
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

// warn says that removals could not be checked. A strict build fails.
func (p *prepared) warn(c *BuildConfig, message string) error {
	d := Diagnostic{File: c.Out, Warning: !c.Strict, Message: message, Hint: "look at what was built before it goes out; --allow-removal builds without looking"}
	p.warnings = append(p.warnings, d)
	if c.Strict {
		return &ContentError{p.warnings}
	}
	return nil
}

type itemIDs []model.Item

// Len is the number of items.
func (l itemIDs) Len() int { return len(l) }

// ID is the content id of an item.
func (l itemIDs) ID(i int) string { return l[i].ContentID }

type textIDs []string

// Len is the number of ids.
func (l textIDs) Len() int { return len(l) }

// ID is an id.
func (l textIDs) ID(i int) string { return l[i] }

// checkEmptied refuses an environment of which every item is left out, if the current release in dir does not have
// it. There it becomes empty, with a warning.
func (p *prepared) checkEmptied(c *BuildConfig, dir string) error {
	var current *release.Manifest
	for i := range p.site.Envs {
		env := &p.site.Envs[i]
		out := leftOut(env)
		if p.summaries[i].Items > 0 || out.Items() == 0 {
			continue
		}
		if current == nil && dir != "" {
			var err error
			if current, err = p.currentManifest(c, dir); err != nil {
				return err
			}
		}
		found := Diagnostic{File: filepath.Join(c.Content, env.ID), Message: "all items of the environment are left out: " + out.Describe(),
			Hint: "--status, --scheduled and --expired deliver them; --allow-removal builds the environment without items"}
		found.Warning = c.Removal.Allow || p.view.AllowRemoval || current.Environment(env.ID) != nil
		p.warnings = append(p.warnings, found)
		if !found.Warning {
			return &ContentError{p.warnings}
		}
	}
	return nil
}
