// This file decides the response to a content request: a file of the release if there is one,
// else a response computed from the snapshot. Both have the same bytes: fragments in an
// envelope.

package edgeserve

import (
	"bytes"
	"net/netip"
	"strings"
	"time"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/admission"
	"contentedge/edgeserve/contentcoding"
	"contentedge/edgeserve/envelope"
	"contentedge/edgeserve/generation"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/release"
	"contentedge/edgeserve/respcache"
	"contentedge/edgeserve/search"
	"contentedge/edgeserve/snapshot"
)

// errWouldBlock is never sent: the request must be answered where waiting is allowed.
var errWouldBlock = newProblem(0, "", "")

// request is one content request, from Fiber or from the fast path, and the release that
// answers it. Its methods return a response or a problem; a large response is held for the
// caller.
type request struct {
	server *Server
	gen    *served
	reader *snapshot.Reader
	env    string

	client       netip.Addr // whose request it is
	target, body []byte     // as they were sent
	gzipped      bool       // body is, and has to be decoded
	accept       contentcoding.Accept

	// leaveLoop is called before work that takes long. Such a request must not wait; it
	// arrived at since. Nil: the request may wait.
	leaveLoop func()
	since     time.Time

	buffer *responseBuffer   // for the body of an answer that is sent once
	permit *admission.Permit // nil before the request has entered the gate of searches, which few have to
	budget *search.Budget    // counts from then on
	cause  error             // of a problem that is the server's own, for the log; nil: none
}

// content answers a request by its route and its raw query.
func (r *request) content(route address.Route, query string) (*respcache.Response, *problem) {
	switch route.Kind {
	case address.Item:
		return r.item(route.ID)
	case address.Search:
		return r.search(query)
	case address.ListFile:
		return r.list(route.List, pathForm)
	}
	return r.contents(query)
}

// item answers one content item.
func (r *request) item(id string) (*respcache.Response, *problem) {
	name := address.ItemFile(r.env, id)
	f, again, p := r.file(name, name, release.ClassItem, nil)
	if p != nil {
		return nil, p
	}
	if a, p := r.cached(f); a != nil || p != nil {
		return a, p
	}
	doc, ok := r.reader.Lookup(id)
	if !ok {
		return nil, errItem
	}
	if !again && f.IsComputed() {
		r.server.reportMissing(r.gen, name)
	}
	b := computedSpec{class: release.ClassItem, mayBeFile: true}
	b.cacheIn(f, again)
	fragment := r.reader.Fragment(doc)
	return r.respond(b, envelope.ItemSize(len(fragment)), func(dst []byte) ([]byte, error) {
		return envelope.AppendItem(dst, fragment), nil
	})
}

// computedSpec describes a computed response.
type computedSpec struct {
	class     release.Class
	mayBeFile bool             // it may be a file, here or on another node
	entry     *respcache.Entry // where its answer is kept; nil: nowhere
	link      []byte           // value of the Link header, may be empty
}

// cacheIn caches the response in an entry if the request was seen before: a request that comes
// once may never come again.
func (b *computedSpec) cacheIn(f *respcache.Entry, again bool) {
	if again && f.IsComputed() {
		b.entry = f
	}
}

// respond computes a response whose body, of about size bytes, is appended by write.
func (r *request) respond(b computedSpec, size int, write func(dst []byte) ([]byte, error)) (*respcache.Response, *problem) {
	buffer, taken, ok := r.takeBuffer(size)
	if !ok {
		return nil, errOverload
	}
	// A fault in the snapshot is a panic: then the memory is given back here.
	defer func() { r.server.responses.ResizeFor(r.client, taken, 0) }()
	body, err := write(buffer)
	if err != nil {
		return nil, r.reject(r.problemOf(err))
	}
	own := taken
	taken = 0
	return r.finishComputed(b, body, own)
}

// contents answers the query form of a list.
func (r *request) contents(rawQuery string) (*respcache.Response, *problem) {
	l, err := address.ParseList(rawQuery, r.gen.ListDefaults())
	if err != nil {
		return nil, problemOf(err)
	}
	return r.list(l, queryForm)
}

// list answers a list, with links in the form of the request.
func (r *request) list(l address.List, form form) (*respcache.Response, *problem) {
	links := func(total int) []byte { return form.links(l, total) }
	b := computedSpec{class: release.ClassList}
	name, key, family := "", "", r.gen.Family(r.env, l)
	if family != nil {
		name, b.mayBeFile = l.File(r.env)
	}
	if b.mayBeFile {
		key = form.key(name)
	} else {
		key = form.unfiledKey(r.env, l)
	}
	var f *respcache.Entry
	var again bool
	look := b.mayBeFile && !r.gen.SnapshotOnly
	if look {
		var p *problem
		if f, again, p = r.file(key, name, release.ClassList, links); p != nil {
			return nil, p
		}
		if !again && f.IsComputed() && generation.HasPage(family, l) {
			r.server.reportMissing(r.gen, name)
		}
	} else {
		f = r.gen.cache.Get(key)
	}
	if a, p := r.cached(f); a != nil || p != nil {
		return a, p
	}
	if p := r.admit(); p != nil {
		return nil, p
	}
	defer r.permit.Release()
	if !look {
		f, again = r.gen.cache.Computed([]byte(key), release.ClassList) // it is asked for once it has its turn
	}
	b.cacheIn(f, again)
	return r.evaluate(b, kindList, search.FromList(l), links)
}

// file returns what is known of a file, and whether it was known before. An unreadable file
// counts as absent and is reported. A request that must not wait does not look at the disk.
func (r *request) file(key, name string, class release.Class, links func(total int) []byte) (f *respcache.Entry, again bool, p *problem) {
	if r.leaveLoop != nil && !r.gen.SnapshotOnly {
		f := r.gen.cache.Get(key)
		if f == nil || !f.IsComputed() && f.Cached(&r.accept) == nil {
			return nil, false, errWouldBlock
		}
	}
	f, again, err := r.gen.entry(key, name, class, links)
	if err != nil {
		r.server.reportUnreadable(r.gen, err)
	}
	return f, again, nil
}

// cached returns the response of a file or a cached computed response, if there is one, or the
// reason why it cannot be sent. The next request for the same target finds it without parsing.
func (r *request) cached(f *respcache.Entry) (*respcache.Response, *problem) {
	if f == nil {
		return nil, nil
	}
	a, p := r.server.cachedResponse(r.gen, f, &r.accept, r.client, r.leaveLoop == nil)
	if a != nil {
		r.remember(f)
	}
	return a, p
}

func (r *request) remember(f *respcache.Entry) {
	if f.Class != release.ClassSearch {
		r.gen.cache.Alias(r.target, f)
	}
}

// cachedResponse returns the response of an entry, if there is one, or the reason why it
// cannot be sent. A file without memory for its body is sent from the disk, if the request may
// wait.
func (s *Server) cachedResponse(g *served, f *respcache.Entry, accept *contentcoding.Accept, client netip.Addr, wait bool) (*respcache.Response, *problem) {
	a, err := g.response(f, accept, client)
	switch {
	case err != errNoMemory:
	case f.IsComputed():
		return nil, errOverload
	case !wait:
		return nil, errWouldBlock
	default:
		a, err = g.fromDisk(f, accept)
	}
	if err != nil && err != errNotCached {
		s.reportUnreadable(g, err)
	}
	return a, nil
}

// reportUnreadable logs the first file of a release that exists and cannot be read, and counts
// all.
func (s *Server) reportUnreadable(g *served, err error) {
	s.telemetry.unreadable.Inc()
	g.unreadable.Do(func() {
		s.log.Error("a file of the release is unreadable; another form of it or its snapshot answers instead", "error", err)
	})
}

// search answers a search body with its query parameters.
func (r *request) search(rawQuery string) (*respcache.Response, *problem) {
	if r.gzipped {
		if p := r.admit(); p != nil {
			return nil, p
		}
		defer r.permit.Release()
		if p := r.gunzip(); p != nil {
			return nil, r.reject(p)
		}
	}
	var room [respcache.MaxComputedKey]byte
	key, keyed := respcache.AppendSearchKey(room[:0], r.target, r.body)
	if keyed {
		if a, p := r.cached(r.gen.cache.GetTarget(key)); a != nil || p != nil {
			return a, p
		}
	}
	if r.permit == nil { // a coded body is behind the gate already
		if p := r.admit(); p != nil {
			return nil, p
		}
		defer r.permit.Release()
	}
	if len(r.body) >= longBody {
		if r.permit.NeedSlot() != nil {
			return nil, r.reject(errOverload)
		}
	}
	body, err := r.searchBody(rawQuery)
	if err != nil {
		return nil, r.reject(r.problemOf(err))
	}
	b := computedSpec{class: release.ClassSearch}
	if keyed {
		b.cacheIn(r.gen.cache.Computed(key, release.ClassSearch))
	}
	return r.evaluate(b, kindOf(body.Query), body, nil)
}

// gunzip replaces a gzip body by its content. It needs admission first: the content may be a
// thousand times as long, up to the limit.
func (r *request) gunzip() *problem {
	if len(r.body) == 0 {
		return nil
	}
	body, err := contentcoding.Gunzip(r.body, r.server.cfg.BodyLimit)
	switch {
	case err == contentcoding.ErrTooLong:
		return errBodySize
	case err != nil:
		return errGzip
	}
	r.body = body
	return nil
}

// longBody is the length of a search body that takes long to parse.
const longBody = 16 << 10

// The cost of parsing a body, in steps of the budget: for each byte, and for each value. A
// list has about as many values as commas.
const (
	byteSteps  = 1
	valueSteps = 24
)

// searchBody parses the body and the query parameters of a search.
func (r *request) searchBody(rawQuery string) (*query.Body, error) {
	values := bytes.Count(r.body, []byte{','}) + strings.Count(rawQuery, ",")
	if err := r.budget.Charge(byteSteps*(len(r.body)+len(rawQuery)) + valueSteps*values); err != nil {
		return nil, err
	}
	if rawQuery == "" {
		return query.Parse(r.body)
	}
	body, err := query.ParsePart(r.body)
	if err != nil {
		return nil, err
	}
	params, err := parseSearchParams(rawQuery)
	if err != nil {
		return nil, err
	}
	params.Defaults = r.gen.ListDefaults()
	return search.WithParams(body, params)
}

// problemOf is the function of that name, but a search without a slot in time is an overload.
func (r *request) problemOf(err error) *problem {
	if err == search.ErrTimeout && r.permit.Shed() {
		return errOverload
	}
	return problemOf(err)
}

// reject counts a search that is refused.
func (r *request) reject(p *problem) *problem {
	r.server.telemetry.rejected.Inc(p.Code)
	return p
}

// admit waits until the request may be evaluated, or returns a problem if that takes too long.
// It comes before parsing: a parsed body takes many times the memory.
func (r *request) admit() *problem {
	if r.leaveLoop != nil {
		var late bool
		if r.permit, late = r.server.searches.TryEnter(r.client, r.since, r.leaveLoop); late {
			return r.reject(errOverload)
		}
		if r.permit == nil {
			return errWouldBlock
		}
		r.budget = search.NewBudget(r.permit)
		return nil
	}
	if r.permit = r.server.searches.Enter(r.client); r.permit == nil {
		return r.reject(errOverload)
	}
	r.budget = search.NewBudget(r.permit)
	return nil
}

// detach leaves the event loop, before work that takes long without a pause.
func (r *request) detach() {
	switch {
	case r.permit != nil:
		r.permit.Detach()
	case r.leaveLoop != nil:
		r.leaveLoop()
	}
}

// evaluate answers a search of the snapshot, with links if it is a list.
func (r *request) evaluate(b computedSpec, kind string, body *query.Body, links func(total int) []byte) (*respcache.Response, *problem) {
	r.server.telemetry.searches.Inc(kind)
	result, err := search.EvalWithin(r.budget, r.reader, body)
	if err != nil {
		p := r.problemOf(err)
		if p == errInternal || p == errUnreadable {
			r.cause = err
		}
		return nil, r.reject(p)
	}
	if links != nil {
		b.link = links(result.Total)
	}
	if result.Timed {
		b.entry = nil
	}
	size := hitBytes(r.reader, result.Docs) + len(result.Aggregations)
	return r.respond(b, envelope.ListSize(len(result.Docs), size, result.Total), func(dst []byte) ([]byte, error) {
		dst, err := r.appendHits(envelope.AppendListOpen(dst), result.Docs, body.Source)
		if err != nil {
			return nil, err
		}
		return envelope.AppendListClose(dst, result.Total, result.Aggregations), nil
	})
}

// hitBytes is the length of the hits' fragments.
func hitBytes(reader *snapshot.Reader, docs []snapshot.DocID) (n int) {
	for _, doc := range docs {
		n += len(reader.Fragment(doc))
	}
	return n
}

const (
	// maxRun is the number of fragments that are copied at once.
	maxRun = 64
	// hitSteps and copiedPerStep are the cost of copying a hit, and of its bytes.
	hitSteps      = 4
	copiedPerStep = 64
	// codedPerStep is the number of bytes that are compressed in a step.
	codedPerStep = 2
)

// appendHits copies the hits' fragments. Neighbours, which lists in the default order have,
// are one copy.
func (r *request) appendHits(dst []byte, docs []snapshot.DocID, source *query.Source) ([]byte, error) {
	if source != nil {
		return r.appendFiltered(dst, docs, source)
	}
	for i := 0; i < len(docs); {
		n := 1
		for n < maxRun && i+n < len(docs) && docs[i+n] == docs[i]+snapshot.DocID(n) {
			n++
		}
		run := r.reader.Fragments(docs[i], docs[i]+snapshot.DocID(n))
		if err := r.budget.Charge(hitSteps*n + len(run)/copiedPerStep); err != nil {
			return dst, err
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, run...)
		i += n
	}
	return dst, nil
}

// appendFiltered is appendHits for a body with a _source filter.
func (r *request) appendFiltered(dst []byte, docs []snapshot.DocID, source *query.Source) ([]byte, error) {
	filter := envelope.NoSource()
	if !source.None {
		filter = envelope.NewSourceFilter(source.Includes, source.Excludes)
	}
	for i, doc := range docs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = filter.Append(dst, r.reader.Fragment(doc))
		if err := r.budget.Charge(hitSteps + filter.Work()); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// canCompress charges the cost of compressing a body, if the budget has so much left. Else the
// response is sent uncompressed.
func (r *request) canCompress(size int) bool {
	steps := size / codedPerStep
	return r.budget.Affords(steps) && r.budget.Charge(steps) == nil
}
