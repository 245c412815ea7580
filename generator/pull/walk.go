// This file walks over all pages of an environment.

package pull

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"contentedge/edgeserve/wire/address"
)

// shiftError is a walk into which another state of the origin came, or one that the origin counts
// otherwise. The walk begins again.
type shiftError struct {
	reason string
	twice  string // the id that came twice, if that is the reason
}

func (e *shiftError) Error() string { return e.reason }

func shifted(format string, args ...any) error {
	return &shiftError{reason: fmt.Sprintf(format, args...)}
}

// walk reads pages in the order of creation, in which an edit moves no item.
type walk struct {
	p      *Puller
	items  *collection
	size   int    // items a page
	offset int    // items read; a multiple of size
	total  int    // of the first page
	slow   int    // the page size at which a response took too long, or 0
	pin    string // the release that has to answer; "": any
}

// first reads the first page, which any release may answer.
func (p *Puller) first(ctx context.Context) (*walk, *page, error) {
	w := &walk{p: p, size: p.size}
	first, err := w.page(ctx)
	if err != nil {
		return nil, nil, err
	}
	if w.items, err = newCollection(p.set); err != nil {
		return nil, nil, err
	}
	w.total = first.total
	if n := len(first.items); n > w.size || n < w.size && n < w.total && n > 0 {
		w.size = n // the origin has a page size of its own
	}
	if err := w.take(first); err != nil {
		w.items.close()
		return nil, nil, err
	}
	return w, first, nil
}

// done reports whether all items were read.
func (w *walk) done() bool { return w.offset > 0 && w.offset >= w.total }

// rest reads the other pages.
func (w *walk) rest(ctx context.Context) error {
	for w.offset < w.total {
		next, err := w.page(ctx)
		if err != nil {
			return err
		}
		if err := w.take(next); err != nil {
			return err
		}
	}
	return w.end(ctx)
}

// end requests the page after a full last page: an origin that counts too few items has more there.
func (w *walk) end(ctx context.Context) error {
	if w.total == 0 || w.total%w.size != 0 {
		return nil
	}
	behind, err := w.page(ctx)
	if status := statusOf(err); status == http.StatusNotFound || status == http.StatusBadRequest {
		return nil // the page does not exist
	}
	if err != nil {
		return err
	}
	return w.take(behind)
}

// take adds a page to the items.
func (w *walk) take(p *page) error {
	n, number := len(p.items), w.offset/w.size+1
	switch {
	case p.total != w.total:
		return shifted("page 1 counts %d items in all, page %d counts %d", w.total, number, p.total)
	case w.pin != "" && p.release != w.pin:
		return shifted("page 1 is of release %q, page %d of %q", printable([]byte(w.pin)), number, printable([]byte(p.release)))
	case w.offset+n > w.total:
		return shifted("the origin counts %d items, but its pages have at least %d", w.total, w.offset+n)
	case n < w.size && w.offset+n < w.total:
		return shifted("page %d has %d items instead of %d: %d items of %d were read", number, n, min(w.size, w.total-w.offset), w.offset+n, w.total)
	}
	for _, it := range p.items {
		fresh, err := w.items.add(it)
		if err != nil {
			return err
		}
		if !fresh && w.pin != "" {
			return w.p.set.refuse(Fault{ID: it.id, Message: fmt.Sprintf("the id is given twice in release %s", printable([]byte(w.pin)))})
		}
		if !fresh {
			return &shiftError{fmt.Sprintf("%s came twice: %d items of %d were read", it.id, w.offset, w.total), it.id}
		}
	}
	if w.offset == 0 {
		w.items.began = p.sent
	}
	if w.offset == 0 || p.made.Before(w.items.made) {
		w.items.made = p.made
	}
	w.items.ended = time.Now()
	w.offset += n
	w.p.progress(w.offset, w.total)
	return nil
}

// page requests the next page. It makes pages smaller that are too large or take too long.
func (w *walk) page(ctx context.Context) (*page, error) {
	o := w.p.origin
	for {
		r := listRequest(w.p.set.Env, w.offset/w.size+1, w.size, address.FieldCreatedAt, true)
		r.pin = w.pin
		shrinks := func(err error) bool {
			return w.size > 1 && !w.done() && (tooLarge(err) || timedOut(err) && w.slow == w.size)
		}
		known := func(err error) bool {
			return shrinks(err) || w.size > 1 && timedOut(err) || statusOf(err) == http.StatusPreconditionFailed
		}
		got, err := fetch(ctx, o, r, known, func(resp *response) (*page, error) { return w.p.reader.page(o, resp) })
		switch {
		case err == nil:
			return got, nil
		case statusOf(err) == http.StatusPreconditionFailed && w.pin != "":
			return nil, shifted("release %q is no longer there", printable([]byte(w.pin)))
		case shrinks(err) && o.budget.Left > 0:
			w.shrink()
		case w.size > 1 && !w.done() && timedOut(err) && o.budget.Left > 0:
			w.slow = w.size
		default:
			return nil, o.explain(o.url(r), err)
		}
	}
}

// shrink halves the page, at least: what was read has to end where a page begins.
func (w *walk) shrink() {
	for w.size /= 2; w.offset%w.size != 0; w.size-- {
	}
	w.p.size = min(w.p.size, w.size)
}

func listRequest(env string, number, size int, sort string, asc bool) request {
	return request{path: address.Contents.Path(env), query: url.Values{
		address.ParamPage:     {strconv.Itoa(number)},
		address.ParamPageSize: {strconv.Itoa(size)},
		address.ParamSort:     {sort},
		address.ParamSortAsc:  {strconv.FormatBool(asc)},
	}}
}
