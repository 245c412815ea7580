// This file repairs the current release of a store for nodes.

package ship

import (
	"context"

	"contentedge/edgeserve/wire/release"
)

// repairNodesFrom sends what the store lacks of the current release, from a directory that holds it.
func repairNodesFrom(ctx context.Context, c PublishConfig, p *release.Pointer, l *local, lease string) (*Repaired, error) {
	plan, err := l.missingForNodes(ctx, &c)
	if err != nil {
		return nil, err
	}
	r := &Repaired{Build: p.Build, Files: plan.report().Files, Sent: len(plan.work)}
	if !plan.complete {
		r.Sent++
	}
	if c.DryRun {
		return r, nil
	}
	if err := plan.send(ctx, &c); err != nil {
		return nil, err
	}
	w := &writer{PublishConfig: c, before: &pointerObject{Pointer: p}}
	return r, w.confirmForNodes(ctx, l, new(Report), lease, recordFor(c, l, p))
}

// missingForNodes finds what the store does not have of a release as it is on disk.
func (l *local) missingForNodes(ctx context.Context, c *PublishConfig) (*nodesPlan, error) {
	objects, err := objectsOf(ctx, l.Manifest, nil, lists{of: l.mediaLines()})
	if err == nil {
		err = l.stat(objects)
	}
	if err != nil {
		return nil, err
	}
	p := &nodesPlan{local: l}
	if p.work, err = l.absentFromList(ctx, c, objects); err != nil {
		return nil, err
	}
	_, raw, _, err := manifest(ctx, c.Store, l.Manifest.Build)
	p.complete = err == nil && string(raw) == string(l.Raw)
	if isDamaged(err) {
		err = nil
	}
	return p, err
}

// repairNodes reads every object of the current release, and replaces wrong ones by objects of complete releases.
func repairNodes(ctx context.Context, c PublishConfig, p *release.Pointer) (*Repaired, error) {
	m, _, _, err := manifest(ctx, c.Store, p.Build)
	if isDamaged(err) {
		return nil, notWhole(c.Store, p.Build, 1, release.ManifestName)
	}
	if err == nil {
		err = fillLike(ctx, c.Store, p.Kind, m, nil)
	}
	if isDamaged(err) {
		return nil, notWhole(c.Store, p.Build, 1, release.PartsDir)
	}
	if err != nil {
		return nil, err
	}
	objects, err := objectsOf(ctx, m, nil, lists{of: storedLines(c.Store)})
	if isDamaged(err) {
		return nil, notWhole(c.Store, p.Build, 1, release.MediaListDir)
	}
	if err != nil {
		return nil, err
	}
	files := make([]file, len(objects))
	for i, o := range objects {
		files[i] = o.file
	}
	return repairFiles(ctx, c, p, files, &Repaired{Build: p.Build, Files: len(files) + 1})
}
