// This file refuses a manifest that readers would not accept before anything is written.

package writer

import (
	"encoding/hex"
	"fmt"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/plan"
)

// CheckManifest returns a *plan.LimitError if the manifest of a release of environments, or the description of one,
// would be too large even if each path had no sub-field but keyword.
func CheckManifest(defaults address.Defaults, snapshotOnly bool, envs []Env) error {
	return checkManifest(defaults, snapshotOnly, envs, release.MaxManifest)
}

func checkManifest(defaults address.Defaults, snapshotOnly bool, envs []Env, most int) error {
	if len(envs) > release.MaxEnvironments {
		return refused(fmt.Errorf("a release has at most %d environments, and this one would have %d: build fewer environments with --env", release.MaxEnvironments, len(envs)))
	}
	total, largest := 0, 0
	for i := range envs {
		n := atMost(&envs[i])
		total, largest = total+n, max(largest, n)
	}
	if len(envs) > release.MaxWhole {
		total = 0
	}
	if max(total, largest) <= most {
		return nil
	}
	w := &Writer{c: ReleaseConfig{Defaults: defaults, SnapshotOnly: snapshotOnly}, envs: envs, unchanged: make([]*release.Environment, len(envs))}
	m := &release.Manifest{Defaults: release.Defaults{Sort: defaults.Sort, Asc: defaults.Asc, PageSize: defaults.Size}}
	for i := range envs {
		if envs[i].Carried != nil { // the current release has it
			m.Environments = append(m.Environments, release.Environment{ID: envs[i].Plan.ID})
			continue
		}
		w.addChanged(m, i, leastSnapshot(&envs[i]))
	}
	m.SetFormat()
	if !m.HasParts() {
		if len(m.Encode()) > most {
			return refused(tooLarge("the manifest", m))
		}
		return nil
	}
	for i := range m.Environments {
		if err := checkPart(m, i, most); err != nil {
			return refused(err)
		}
	}
	return nil
}

func refused(err error) error { return &plan.LimitError{Message: err.Error()} }

// checkPart refuses the description of an environment that is too large for readers.
func checkPart(m *release.Manifest, i, most int) error {
	e := &m.Environments[i]
	if len(e.Text()) <= most {
		return nil
	}
	one := *m
	one.Environments = m.Environments[i : i+1]
	one.Format = release.Format
	return tooLarge(fmt.Sprintf("the description of environment %q", e.ID), &one)
}

// The bytes of a manifest's members, at most, without the texts in them. A byte of a text takes six at most.
const (
	fieldBytes = 128
	valueBytes = 64
	envBytes   = 1024
	textGrowth = 6
)

// atMost estimates the bytes of an environment's description.
func atMost(e *Env) (n int) {
	n = envBytes
	for i := range e.Fields {
		n += fieldBytes + textGrowth*len(e.Fields[i].Path)
	}
	for i := range e.Plan.Families {
		f := &e.Plan.Families[i]
		for j := range f.Lists {
			n += valueBytes
			for _, name := range f.Filters {
				n += valueBytes + textGrowth*(len(name)+len(f.Lists[j].Address.Filter(name)))
			}
		}
	}
	for i := range e.Templates {
		n += envBytes * (1 + len(e.Templates[i].Paths)) // they are bounded by themselves
	}
	return n
}

// leastSnapshot describes a snapshot, as far as its paths tell.
func leastSnapshot(e *Env) (f snapshotFile) {
	f.Snapshot = release.Snapshot{File: release.SnapshotName(e.Plan.ID, [32]byte{}), SHA256: hex.EncodeToString(make([]byte, 32))}
	for i := range e.Fields {
		f.fields = append(f.fields, release.Field{Path: e.Fields[i].Path, Type: e.Fields[i].Type.String(), SubFields: []string{snapshot.SubKeyword.String()}})
	}
	return f
}
