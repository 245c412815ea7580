// This file has the faults of origins that were seen in the wild, each as a change of one exchange.

package pulltest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/problem"
)

// Fault is a misbehaviour of an origin at a request. Several may come together.
type Fault struct {
	Name   string
	Before func(*Origin)   // before the response is computed
	Do     func(*Exchange) // changes the response
	After  func(*Origin)   // when the response was sent
}

// Only returns the fault for requests of one kind.
func (f Fault) Only(kind Kind) Fault {
	do := f.Do
	f.Do = func(x *Exchange) {
		if do != nil && x.Kind == kind {
			do(x)
		}
	}
	return f
}

// On returns the fault for one page of a walk.
func (f Fault) On(page int) Fault {
	do := f.Do
	f.Name = fmt.Sprintf("%s on page %d", f.Name, page)
	f.Do = func(x *Exchange) {
		if x.Kind == Page && x.Number == page {
			do(x)
		}
	}
	return f
}

// Status responds with a status and header fields, names and values in turn.
func Status(status int, fields ...string) Fault {
	return Fault{Name: fmt.Sprint("status ", status, " ", fields), Do: func(x *Exchange) {
		x.Fail(status, "some_code", "the origin is not well")
		for i := 0; i+1 < len(fields); i += 2 {
			x.Header.Set(fields[i], fields[i+1])
		}
	}}
}

// Busy responds 429 with a Retry-After, which is absent if it is "".
func Busy(retryAfter string) Fault {
	if retryAfter == "" {
		return Status(http.StatusTooManyRequests)
	}
	return Status(http.StatusTooManyRequests, httpfield.RetryAfter, retryAfter)
}

// BusyUntil responds 429 with a date as Retry-After, this long after the request.
func BusyUntil(wait time.Duration) Fault {
	return Fault{Name: fmt.Sprint("busy until ", wait, " later"), Do: func(x *Exchange) {
		Busy(time.Now().Add(wait).UTC().Format(http.TimeFormat)).Do(x)
	}}
}

// Body responds 200 with a body of a type.
func Body(name, contentType, body string) Fault {
	return Fault{Name: name, Do: func(x *Exchange) {
		x.Status, x.Body = http.StatusOK, []byte(body)
		x.Header.Set(httpfield.ContentType, contentType)
	}}
}

// Empty responds with an empty list and a total of 0.
func Empty() Fault {
	return Fault{Name: "an empty list", Do: func(x *Exchange) { x.Page(nil, 0) }}
}

// EmptyPage responds with no items, and the total of the list.
func EmptyPage() Fault {
	return Fault{Name: "no items", Do: func(x *Exchange) { x.Page(nil, len(x.Origin.Newest().Items)) }}
}

// Rewrite changes the body as text.
func Rewrite(name string, change func(string) string) Fault {
	return Fault{Name: name, Do: func(x *Exchange) { x.Body = []byte(change(string(x.Body))) }}
}

// Replace replaces a text of the body.
func Replace(old, with string) Fault {
	return Rewrite(fmt.Sprintf("%.30q for %.30q", with, old), func(s string) string { return strings.ReplaceAll(s, old, with) })
}

// Total replaces the total with the result of change.
func Total(name string, change func(total string) string) Fault {
	return Rewrite("totalItems "+name, func(s string) string {
		head, tail, ok := cutLast(s, `"totalItems":`)
		if !ok {
			return s
		}
		return head + change(strings.TrimSuffix(tail, "}")) + "}"
	})
}

func cutLast(s, at string) (head, tail string, ok bool) {
	i := strings.LastIndex(s, at)
	if i < 0 {
		return s, "", false
	}
	return s[:i+len(at)], s[i+len(at):], true
}

// ShortLast leaves out the last item of the last page.
func ShortLast() Fault {
	return Fault{Name: "the last page is short by one", Do: func(x *Exchange) {
		all := x.Origin.Newest().Items
		if x.Kind != Page || x.Number*x.Size < len(all) {
			return
		}
		x.Body = []byte(dropLast(string(x.Body)))
	}}
}

// dropLast drops the last item of a list of items that NewItem made.
func dropLast(body string) string {
	tail := strings.LastIndex(body, `],"totalItems"`)
	start := strings.LastIndex(body[:max(0, tail)], `{"Status":`)
	if start < 0 {
		return body
	}
	return strings.TrimSuffix(body[:start], ",") + body[tail:]
}

// Cut ends the connection in the middle of the body, which had a length or not.
func Cut(chunked bool) Fault {
	return Fault{Name: fmt.Sprint("the body is cut, chunked: ", chunked), Do: func(x *Exchange) {
		x.Chunked, x.CutAt = chunked, max(1, len(x.Body)/2)
	}}
}

// CutAtToken sends half of the JSON, as if that were all: the cut is after an item.
func CutAtToken() Fault {
	return Rewrite("half of the JSON, cut after an item", func(s string) string {
		if i := strings.Index(s[len(s)/2:], "},{"); i >= 0 {
			return s[:len(s)/2+i+1]
		}
		return s[:len(s)/2]
	})
}

// Stall sends half of the body and then nothing more.
func Stall() Fault {
	return Fault{Name: "the body stops in the middle", Do: func(x *Exchange) { x.Stall = true }}
}

// Drip sends the body a byte at a time.
func Drip(pause time.Duration) Fault {
	return Fault{Name: fmt.Sprint("a byte each ", pause), Do: func(x *Exchange) { x.Drip = pause }}
}

// Drop ends the connection without a response.
func Drop() Fault {
	return Fault{Name: "the connection ends", Do: func(x *Exchange) { x.Drop = true }}
}

// Endless sends more and more items after the first ones.
func Endless() Fault {
	return Fault{Name: "an endless body", Do: func(x *Exchange) {
		raw := "," + Sample(0).Raw
		x.Body = []byte(strings.TrimSuffix(string(envelope.AppendListOpen(nil)), ",") + Sample(0).Raw)
		x.Endless = []byte(strings.Repeat(raw, 64<<10/len(raw)))
	}}
}

// Bomb sends this many zeros, compressed.
func Bomb(size int) Fault {
	return Fault{Name: "a gzip bomb", Do: func(x *Exchange) {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(envelope.AppendListOpen(nil))
		for zeros := bytes.Repeat([]byte(" "), 1<<20); size > 0; size -= len(zeros) {
			_, _ = z.Write(zeros)
		}
		_ = z.Close()
		x.Body = b.Bytes()
		x.Header.Set(httpfield.ContentEncoding, "gzip")
	}}
}

// TooBig refuses pages of more items than a limit.
func TooBig(limit, status int) Fault {
	return Fault{Name: fmt.Sprint("too big above ", limit), Do: func(x *Exchange) {
		if x.Kind == Page && x.Size > limit {
			x.Fail(status, problem.BodyTooLarge, "Response size too big. Maximum allowed response size: 7340032B.")
		}
	}}
}

// SlowAbove stalls on pages of more items than a limit.
func SlowAbove(limit int) Fault {
	return Fault{Name: fmt.Sprint("stalls above ", limit), Do: func(x *Exchange) { x.Stall = x.Kind == Page && x.Size > limit }}
}

// Redirect sends the client elsewhere. {path} stands for the path and query of the request.
func Redirect(to string) Fault {
	return Fault{Name: "a redirect to " + to, Do: func(x *Exchange) {
		x.Status, x.Body = http.StatusFound, nil
		x.Header.Set("Location", strings.ReplaceAll(to, "{path}", x.Request.URL.RequestURI()))
	}}
}

// OtherNode answers from the state before the newest one.
func OtherNode() Fault { return Fault{Name: "another node, one state older", Do: (*Exchange).Older} }

// Stale answers from the state before the newest one, as a CDN does that knows nothing of releases.
func Stale() Fault {
	return Fault{Name: "a stale page of a CDN", Do: func(x *Exchange) {
		x.Request.Header.Del(httpfield.Release)
		x.Older()
		x.Header.Set("Age", "86400")
	}}
}

// Unstable turns the order of items with equal timestamps at every other request.
func Unstable() Fault {
	return Fault{Name: "an unstable order", Do: func(x *Exchange) {
		if x.Kind != Page || x.N%2 == 0 {
			return
		}
		items := slices.Clone(x.Origin.Newest().Items)
		slices.Reverse(items) // equal timestamps stay equal
		by := x.Request.URL.Query().Get(address.ParamSort)
		slices.SortStableFunc(items, func(a, b Item) int {
			if by == address.FieldUpdatedAt {
				return a.UpdatedAt.Compare(b.UpdatedAt)
			}
			return a.CreatedAt.Compare(b.CreatedAt)
		})
		from := min((x.Number-1)*x.Size, len(items))
		x.Page(items[from:min(from+x.Size, len(items))], len(items))
	}}
}

// Then changes the content when the response was sent.
func Then(name string, change func(*Origin)) Fault { return Fault{Name: name, After: change} }

// Edit changes an item now.
func Edit(k int, text string) Fault {
	return Then(fmt.Sprintf("then an edit of %d", k), func(o *Origin) { o.Edit(k, text) })
}

// Create adds an item that was created now.
func Create(k int) Fault {
	return Then(fmt.Sprintf("then a creation of %d", k), func(o *Origin) {
		o.Put(NewItem(Sample(k).ID, time.Now(), time.Now(), "created"))
	})
}

// Remove removes items.
func Remove(ks ...int) Fault {
	return Then(fmt.Sprintf("then a removal of %d", ks), func(o *Origin) {
		for _, k := range ks {
			o.Remove(Sample(k).ID)
		}
	})
}

// Edit changes an item now.
func (o *Origin) Edit(k int, text string) {
	id := Sample(k).ID
	o.Change(func(items []Item) []Item {
		if n := slices.IndexFunc(items, func(i Item) bool { return i.ID == id }); n >= 0 {
			items[n] = NewItem(id, items[n].CreatedAt, time.Now(), text)
		}
		return items
	})
}
