// This file decides the response to an item or a list: a file of the release, else computed from
// the snapshot. Both have the same bytes: fragments in an envelope.

package delivery

import (
	"net/netip"
	"time"

	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/serve/admission"
	"contentedge/edgeserve/serve/respcache"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// Request is one content request. An adapter fills in the exported members.
type Request struct {
	Client       netip.Addr // whose request it is
	Target, Body []byte     // as they were sent
	Gzipped      bool       // Body is compressed by gzip
	Accept       contentcoding.Accept
	Buffer       *[]byte // memory for the body of a response that is sent once; it may grow

	// LeaveLoop lets the caller's event loop go on without this request. Respond calls it, maybe
	// several times, before it waits or works for long. Nil: no event loop waits for the request.
	LeaveLoop func()
	Since     time.Time // when the request arrived; its time to search counts from then on

	// Cause is set with a problem that is the server's own fault; nil: there is none.
	Cause error

	// Timed is set with a response that depends on the clock.
	Timed bool

	served *Served
	reader *snapshot.Reader
	env    string
	kind   address.Kind
	permit *admission.Permit // nil before the request is admitted to search, which few have to be
	work   *search.WorkLimit // of a search; counts from then on
	held   int64             // bytes of the memory budget that the search holds
}

// Respond returns the response to a request by its route and raw query, or a problem. A large
// response is held for the client: the caller releases it.
func (v *Served) Respond(r *Request, route address.Route, query string) (*respcache.Response, *problem.Problem) {
	r.served, r.reader, r.env, r.kind = v, v.Generation.Readers[route.Env], route.Env, route.Kind
	if route.Kind.IsElastic() {
		own := *r // its functions keep it: other requests stay on the stack
		response, p := own.elastic(route, query)
		r.Cause, r.Timed = own.Cause, own.Timed
		return response, p
	}
	if r.reader == nil {
		return nil, problem.Of(problem.UnknownEnvironment)
	}
	switch route.Kind {
	case address.Item:
		return r.item(route.ID)
	case address.Search:
		return r.search(query)
	case address.ListFile:
		return r.list(route.List)
	case address.SavedSearch:
		return r.saved(route.ID, route.Page)
	}
	return r.listOfQuery(query)
}

func (r *Request) item(id string) (*respcache.Response, *problem.Problem) {
	name := address.ItemFile(r.env, id)
	entry, seenBefore := r.fileEntry(name, name, release.ClassItem, noLinks)
	if response, p := r.fromEntry(entry); response != nil || p != nil {
		return response, p
	}
	doc, ok := r.reader.Lookup(id)
	if !ok {
		return nil, problem.Of(problem.UnknownItem)
	}
	if !seenBefore && entry.IsComputed() {
		r.served.reportMissing(name)
	}
	spec := computedSpec{class: release.ClassItem, mayBeFile: true}
	spec.cacheIn(entry, seenBefore)
	fragment := r.reader.Fragment(doc)
	return r.compute(spec, envelope.ItemSize(len(fragment)), func(dst []byte) ([]byte, error) {
		return envelope.AppendItem(dst, fragment), nil
	})
}

func (r *Request) listOfQuery(rawQuery string) (*respcache.Response, *problem.Problem) {
	l, err := address.ParseList(rawQuery, r.served.Generation.Manifest.ListDefaults())
	if err == nil && r.served.resources.StrictParameters {
		err = address.KnownParameters(rawQuery)
	}
	if err != nil {
		return nil, ProblemOf(err)
	}
	return r.list(l)
}

func (r *Request) list(l address.List) (*respcache.Response, *problem.Problem) {
	links := linksOf{of: func(total int) []byte { return l.Links(r.kind, total) }, total: unknownTotal}
	spec := computedSpec{class: release.ClassList}
	name, key, family := "", "", r.served.Generation.Manifest.Family(r.env, l)
	if family != nil {
		name, spec.mayBeFile = l.File(r.env)
	}
	if spec.mayBeFile {
		key = r.prefix() + name
	} else {
		key = r.computedKey(l)
	}
	var entry *respcache.Entry
	var seenBefore bool
	look := spec.mayBeFile && !r.served.Generation.SnapshotOnly
	if look {
		entry, seenBefore = r.fileEntry(key, name, release.ClassList, links)
		if !seenBefore && entry.IsComputed() && family.HasPage(l) {
			r.served.reportMissing(name)
		}
	} else {
		entry = r.served.Cache.Get(key)
	}
	if response, p := r.fromEntry(entry); response != nil || p != nil {
		return response, p
	}
	if p := r.admit(); p != nil {
		return nil, p
	}
	defer r.permit.Release()
	if !look {
		// Only an admitted request counts as seen.
		entry, seenBefore = r.served.Cache.GetOrAddComputed([]byte(key), release.ClassList)
	}
	spec.cacheIn(entry, seenBefore)
	return r.evaluate(spec, kindList, search.FromList(l), links.of)
}

// linksOf makes the links of a response from its total, which may be unknown before that is read.
type linksOf struct {
	of    func(total int) []byte // nil: no links
	total int
}

const unknownTotal = -1

var noLinks linksOf

// prefix begins the keys of lists by their query: their links differ from those of list files.
func (r *Request) prefix() string {
	if r.kind == address.ListFile {
		return ""
	}
	return "?"
}

// computedKey is the key of a list that no node has in a file.
func (r *Request) computedKey(l address.List) string {
	var room [256]byte
	b := append(append(room[:0], r.prefix()...), r.env...)
	return string(l.AppendCanonical(append(b, '?')))
}

// fileEntry returns what is known of a file, and whether it was known before. An unreadable file
// counts as absent and is reported.
func (r *Request) fileEntry(key, name string, class release.Class, links linksOf) (entry *respcache.Entry, seenBefore bool) {
	entry, seenBefore, err := r.served.entryOf(key, name, class, links, r.LeaveLoop)
	if err != nil {
		r.served.reportUnreadable(err)
	}
	return entry, seenBefore
}

// fromEntry is Served.FromEntry for an entry or nil. It adds an alias for the next request.
func (r *Request) fromEntry(entry *respcache.Entry) (*respcache.Response, *problem.Problem) {
	if entry == nil {
		return nil, nil
	}
	response, p := r.served.FromEntry(entry, &r.Accept, r.Client, r.LeaveLoop)
	if response != nil {
		r.addAlias(entry)
	}
	return response, p
}

// addAlias lets the cache find an entry by the target of the request. Searches are found by
// their body too, and only Elasticsearch's may have none.
func (r *Request) addAlias(entry *respcache.Entry) {
	if entry.Class != release.ClassSearch || r.kind.IsElastic() && len(r.Body) == 0 {
		r.served.Cache.Alias(r.Target, entry)
	}
}
