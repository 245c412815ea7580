// This file repeats walks until one is known to have read a single state of the origin.

package pull

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/retry"
)

// otherRelease is a release that no origin has.
const otherRelease = "0000000000000000"

// whole reads all items, and proves that they belong to one moment.
func (p *Puller) whole(ctx context.Context) (*collection, Proof, error) {
	pr := &prover{p: p}
	p.noIndex = false
	defer func() { pr.last.close() }()
	var shift *shiftError
	twice := 0 // walks, one after the other, that ended with the same id
	for try := 0; try <= maxRestarts; try++ {
		if err := pr.outlast(ctx); err != nil {
			return nil, "", err
		}
		before := shift
		items, proof, err := pr.try(ctx)
		switch {
		case errors.As(err, &shift):
			p.report.Restarts++
			pr.last.close()
			pr.last = nil // something changed since
			if twice++; shift.twice == "" || before != nil && before.twice != shift.twice {
				twice = 0
			}
		case err != nil:
			return nil, "", err
		case proof != "":
			return items, proof, nil
		default: // complete, but nothing proves it yet
			pr.last.close()
			pr.last, shift = items, &shiftError{reason: pr.doubt}
			p.report.Restarts++
		}
	}
	return nil, "", p.unproved(shift, twice)
}

// unproved is the error after the last walk.
func (p *Puller) unproved(shift *shiftError, twice int) error {
	if twice > maxRestarts {
		return p.set.refuse(Fault{ID: shift.twice, Message: fmt.Sprintf("the id came twice in each of %d walks", maxRestarts+1)})
	}
	return &OriginError{Address: p.set.URL + " " + p.set.Env, Message: fmt.Sprintf("%d walks over all pages did not prove one state of the origin: %s", maxRestarts+1, shift.reason),
		Hint: "pull again when fewer people edit; if it stays, the origin counts or sorts its items in another way than it lists them"}
}

// prover keeps the evidence from earlier walks of a run.
type prover struct {
	p      *Puller
	last   *collection // of the previous walk, if it was complete, or nil
	before index       // taken before the walk, or nil
	doubt  string      // why the last complete walk was not accepted

	cached bool // a cache answered requests of the last walk

	asked, pins bool // whether the origin was asked for a release that it does not have, and refused
}

// outlast waits until caches have dropped the pages of the last walk: the same pages again would prove
// nothing. It waits no longer than what is left for retries.
func (pr *prover) outlast(ctx context.Context) error {
	if !pr.cached {
		return nil
	}
	pr.cached = false
	wait := min(maxAge, max(0, pr.p.origin.budget.Left))
	pr.p.origin.budget.Take(wait)
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(wait):
		return nil
	}
}

// try walks once. Without an error and without a proof the items are complete, as far as counts say.
func (pr *prover) try(ctx context.Context) (items *collection, proof Proof, err error) {
	w, first, err := pr.p.first(ctx)
	if err != nil {
		return nil, "", err
	}
	defer func() {
		if err != nil {
			w.items.close()
		}
	}()
	pins, err := pr.honours(ctx, first.release)
	if err != nil {
		return nil, "", err
	}
	onePage := w.offset >= w.total
	switch {
	case pins:
		w.pin = first.release
	case !onePage && pr.before == nil:
		if pr.before, err = pr.p.index(ctx); err != nil {
			return nil, "", err
		}
		if pr.before != nil { // the first page was read before the index
			again, _, err := pr.p.first(ctx)
			if err != nil {
				return nil, "", err
			}
			w.items.close()
			w = again
		}
	}
	if err := w.rest(ctx); err != nil {
		return nil, "", err
	}
	w.items.release = w.pin
	switch {
	case onePage:
		return w.items, OnePage, nil
	case pins:
		return w.items, Pinned, nil
	}
	proof, err = pr.compare(ctx, w.items)
	return w.items, proof, err
}

// compare looks for a proof of a complete walk. Two equal walks prove nothing if a cache, or a node with an older
// release, gave the same old page to both.
func (pr *prover) compare(ctx context.Context, items *collection) (Proof, error) {
	indexed, stale, err := pr.compareIndex(ctx, items)
	pr.cached = items.made.Before(items.began)
	switch {
	case err != nil:
		return "", err
	case indexed:
		return Indexed, nil
	case stale || pr.last == nil || !pr.last.equal(items):
	case items.made.Before(pr.last.ended):
		pr.doubt = fmt.Sprintf("a cache before the origin answers with pages that are up to %s old", pr.p.origin.oldest)
	default:
		return TwoWalks, nil
	}
	return "", nil
}

// compareIndex compares the items with the indexes before and after the walk. It reports whether they
// prove the walk, or else whether they show that some items are old.
func (pr *prover) compareIndex(ctx context.Context, items *collection) (proved, stale bool, err error) {
	pr.doubt = "two walks, one after the other, read different items"
	if pr.before == nil {
		return false, false, nil
	}
	after, err := pr.p.index(ctx)
	if err != nil {
		return false, false, err
	}
	before := pr.before
	pr.before = after // also that before the next walk
	switch {
	case after == nil:
	case !before.equal(after):
		pr.doubt = "the origin's index changed during the walk"
	case after.fits(items):
		return true, false, nil
	case after.contradicts(items):
		pr.doubt = "some items have other times in the origin's pages than in its index"
		return false, true, nil
	default:
		pr.doubt = fmt.Sprintf("the origin's index has %d items that differ from the %d in its pages", len(after), len(items.entries))
	}
	return false, false, nil
}

// honours reports whether an origin refuses to answer from another release than the named one. A
// server may send the field for purposes of its own.
func (pr *prover) honours(ctx context.Context, release string) (bool, error) {
	if release == "" || pr.asked {
		return release != "" && pr.pins, nil
	}
	o, r := pr.p.origin, listRequest(pr.p.set.Env, 1, 1, address.FieldCreatedAt, true)
	r.pin = otherRelease
	_, err := fetch(ctx, o, r, isRejected, func(resp *response) (*page, error) { return pr.p.reader.page(o, resp) })
	if err != nil && !isRejected(err) {
		return false, err
	}
	pr.asked, pr.pins = true, statusOf(err) == http.StatusPreconditionFailed
	return pr.pins, nil
}

// isRejected reports whether an origin refuses the request itself, so that repeating it is useless.
func isRejected(err error) bool {
	status := statusOf(err)
	return status >= 400 && status < 500 && !retry.TemporaryStatus(status)
}
