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

// checkRemoval refuses a release that removes too much of the current one in dir, which is "" for the first release.
// Ids decide: an environment whose items were all replaced has lost every item. Where the current snapshot cannot be
// read, the numbers of items decide. compared counts the removals that the writer has found already.
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
			change.Removed = n
			if err := current.withdraw(change, p.site.Envs[envs[change.ID]].Hidden.Withdrawn); err != nil {
				return err
			}
		case m.Format >= release.OldestFormat: // of older releases only the numbers are known
			if err := p.warn(c, change.ID+": removals were checked only by the number of items: the current snapshot cannot be read"); err != nil {
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

// withdraw subtracts the current items that are among ids from the removals of a change.
func (c *currentItems) withdraw(change *removal.Change, ids []string) error {
	if change.Removed == 0 || len(ids) == 0 {
		return nil
	}
	others, ok, err := c.without(change.ID, textIDs(ids))
	if ok {
		change.Withdraw(change.Before - others)
	}
	return err
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

// checkEmptied refuses environments whose items are all left out, unless the current release in dir has the
// environment: then it becomes empty, with a warning. A strict build does not take that warning for an error, as items
// that are held back on purpose never fail a build.
func (p *prepared) checkEmptied(c *BuildConfig, dir string) error {
	emptied := p.emptied()
	if len(emptied) == 0 {
		return nil
	}
	var current *release.Manifest
	var err error
	if dir != "" && !c.Removal.Allow && !p.view.AllowRemoval {
		if current, err = p.currentManifest(c, dir); err != nil {
			return err
		}
	}
	refused := false
	for _, env := range emptied {
		may := c.Removal.Allow || p.view.AllowRemoval || current.Environment(env.ID) != nil
		refused = refused || !may
		p.warnings = append(p.warnings, Diagnostic{File: filepath.Join(c.Content, env.ID), Message: "all items of the environment are left out: " + leftOut(env).Describe(),
			Hint: "--status, --scheduled and --expired deliver them; --allow-removal builds the environment without items", Warning: may, Note: may})
	}
	if refused {
		return &ContentError{p.warnings}
	}
	return nil
}

// emptied lists the environments of which every item is left out.
func (p *prepared) emptied() (list []*model.Env) {
	for i := range p.site.Envs {
		if env := &p.site.Envs[i]; p.summaries[i].Items == 0 && leftOut(env).Items() > 0 {
			list = append(list, env)
		}
	}
	return list
}
