// This file repairs the current release of a store in place, and says what such a store cannot do.

package ship

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"contentedge/edgeserve/exitcode"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/checksums"
)

// ErrInPlace: the store has no other release than the current one.
var ErrInPlace = exitcode.NewUsage("a store in place has only the files of the current release")

// checkInPlace refuses to make another release of a store in place current.
func (w *writer) checkInPlace(build string) error {
	if w.before.kind() != release.KindInPlace {
		return nil
	}
	return fmt.Errorf("%w: run generator publish %s --public DIR, with the public directory of release %s", ErrInPlace, w.Store, build)
}

// repairLiveFrom compares every object below release.LiveDir with the current release in l, and sends what differs,
// whoever changed it.
func repairLiveFrom(ctx context.Context, c PublishConfig, o *pointerObject, l *local) (*Repaired, error) {
	if err := l.read(ctx, c.Jobs); err != nil {
		return nil, err
	}
	p := &live{writer: &writer{PublishConfig: c, before: o}, local: l, etags: map[string]string{}, repairs: true}
	plan := func() error {
		changes, err := p.fromListing(ctx)
		if err == nil {
			p.stages = inOrder(changes)
			p.count()
		}
		return err
	}
	if c.DryRun {
		r, _, err := liveLease(c.Store).read(ctx)
		if err != nil {
			return nil, err
		}
		p.state = r.liveState
		if err := plan(); err != nil {
			return nil, err
		}
		return p.repaired(), nil
	}
	if _, err := p.publishHolding(ctx, plan); err != nil {
		return nil, err
	}
	p.leaveLive(ctx, o.Pointer, o.raw)
	return p.repaired(), restoreRecord(ctx, c.Store, o.Build, recordFor(c, l, o.Pointer))
}

func (p *live) repaired() *Repaired {
	return &Repaired{Build: p.report.Build, Files: p.report.Files, Sent: p.report.Sent + p.report.Removed}
}

// repairLive reads every file of the current release, and says which are missing or damaged.
func repairLive(ctx context.Context, c PublishConfig, p *release.Pointer) (*Repaired, error) {
	m, _, _, err := manifest(ctx, c.Store, p.Build)
	if isDamaged(err) {
		return nil, notWhole(c.Store, p.Build, 1, release.ManifestName)
	}
	if err != nil {
		return nil, err
	}
	wrong, files, err := liveDamage(ctx, c, m, p.ManifestSHA256, func(f file) (bool, error) {
		return hasSum(ctx, c.Store, release.LiveKey(f.name), f.sum)
	})
	if err == nil && len(wrong) > 0 {
		err = notWhole(c.Store, p.Build, len(wrong), wrong[0])
	}
	if err != nil {
		return nil, err
	}
	return &Repaired{Build: p.Build, Files: files}, nil
}

// missingLive returns the files that a store in place lacks of its current release, whose manifest is given.
func missingLive(ctx context.Context, c PublishConfig, m *release.Manifest, sha256 string) ([]string, error) {
	there, err := listLive(ctx, c.Store)
	if err != nil {
		return nil, err
	}
	lacks, _, err := liveDamage(ctx, c, m, sha256, func(f file) (bool, error) {
		_, ok := there[f.name]
		return ok, nil
	})
	return lacks, err
}

// liveDamage returns the files of the current release that is does not accept, and how many the release has.
func liveDamage(ctx context.Context, c PublishConfig, m *release.Manifest, sha256 string, is func(file) (bool, error)) (wrong []string, files int, err error) {
	text, _, err := remoteListText(ctx, c.Store, release.KindInPlace, m)
	if err != nil || text == nil {
		return []string{release.ChecksumsName}, 0, err
	}
	all, err := readFiles(checksums.NewReader(bytes.NewReader(text)))
	if err != nil {
		return []string{release.ChecksumsName}, 0, nil
	}
	sums := topSums(sha256, m.Checksums.SHA256)
	for i, name := range topNames {
		all = append(all, file{name: name, sum: sums[i]})
	}
	bad, err := filter(ctx, cmp.Or(c.Jobs, DefaultJobs), all, func(f file) (bool, error) {
		ok, err := is(f)
		return !ok, err
	})
	for _, f := range bad {
		wrong = append(wrong, f.name)
	}
	return wrong, len(all), err
}
