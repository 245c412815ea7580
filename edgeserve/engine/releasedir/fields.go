// This file makes readers only from a manifest, for releases whose items are searched elsewhere.

package releasedir

import (
	"fmt"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/release"
)

// openFields makes the readers of environments. It shares the readers of another release, which may be nil, if both
// manifests say the same of their environments.
func (d *Dir) openFields(before *Dir) error {
	d.FieldsOnly = true
	d.Readers = make(map[string]*snapshot.Reader, len(d.Manifest.Environments))
	var errs []error
	for i := range d.Manifest.Environments {
		env := &d.Manifest.Environments[i]
		if r := d.sameFields(before, env); r != nil {
			d.Readers[env.ID] = r
			continue
		}
		r, err := FieldsOnly(d.Manifest, env)
		if err != nil {
			errs = append(errs, fmt.Errorf("environment %s: %w", env.ID, err))
		}
		d.Readers[env.ID] = r
	}
	return Join(errs...)
}

func (d *Dir) sameFields(before *Dir, env *release.Environment) *snapshot.Reader {
	if before == nil || !before.FieldsOnly || before.Manifest.Defaults != d.Manifest.Defaults {
		return nil
	}
	if old := before.Manifest.Environment(env.ID); old == nil || old.Part() != env.Part() {
		return nil
	}
	return before.Readers[env.ID]
}

// FieldsOnly returns a Reader of no items with the fields of an environment, as its manifest lists them.
func FieldsOnly(m *release.Manifest, env *release.Environment) (*snapshot.Reader, error) {
	types := make([]snapshot.FieldType, len(env.Fields))
	for i, f := range env.Fields {
		t := snapshot.FieldType{Path: f.Path}
		var ok bool
		if t.Type, ok = snapshot.FindType(f.Type); !ok {
			return nil, fmt.Errorf("field %s has the type %q, which this program does not know", f.Path, f.Type)
		}
		for _, name := range f.SubFields {
			sub, ok := snapshot.FindSub(name)
			if !ok {
				return nil, fmt.Errorf("field %s has the sub-field %q, which this program does not know", f.Path, name)
			}
			t.Subs = append(t.Subs, sub)
		}
		types[i] = t
	}
	meta := snapshot.Meta{Env: env.ID, Sort: m.Defaults.Sort, Asc: m.Defaults.Asc}
	return snapshot.FieldsOnly(meta, env.LeftOut, types)
}
