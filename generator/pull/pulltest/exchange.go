// This file answers one request: as a healthy origin does, then as faults change the response.

package pulltest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/problem"
)

// Kind is the kind of resource that a request names.
type Kind int

const (
	Other   Kind = iota
	Page         // a page of a list
	Index        // a search
	OneItem      // an item by its id
	File         // a media file
)

// Exchange is a request and its response. Faults change the response before it is sent.
type Exchange struct {
	Origin  *Origin
	Request *http.Request
	N       int // of the request, since Play
	Kind    Kind
	Number  int // of the page, from 1
	Size    int // of the page

	Status int
	Header http.Header
	Body   []byte

	CutAt   int           // if > 0: the connection ends after this many bytes of the body
	Drip    time.Duration // if > 0: the pause before each byte
	Stall   bool          // the body stops in the middle, and the connection stays open
	Chunked bool          // the body has no Content-Length
	Endless []byte        // if any: repeated after the body until the client disconnects
	Drop    bool          // the connection ends without a response

	body []byte // of the request
	id   string // of the item
	elastic,
	search bool
}

func (x *Exchange) read() {
	q := x.Request.URL.Query()
	x.Number, x.Size = atLeastOne(q.Get(address.ParamPage), 1), atLeastOne(q.Get(address.ParamPageSize), address.DefaultPageSize)
	x.body, _ = io.ReadAll(io.LimitReader(x.Request.Body, 1<<20))
	route, _ := address.ParsePath(x.Request.URL.Path)
	x.id = route.ID
	x.elastic, x.search = route.Kind == address.ElasticSearch, x.Kind == Index
}

func atLeastOne(text string, otherwise int) int {
	if n, err := strconv.Atoi(text); err == nil && n >= 1 {
		return n
	}
	return otherwise
}

// AnswerFrom makes the response that a healthy origin gives in a state.
func (x *Exchange) AnswerFrom(s *State) {
	x.Status, x.Header, x.Body = http.StatusOK, http.Header{}, nil
	x.Header.Set(httpfield.ContentType, "application/json")
	if x.Origin.Releases {
		x.Header.Set(httpfield.Release, s.Release)
		if want := x.Request.Header.Get(httpfield.Release); want != "" && want != s.Release {
			x.Fail(http.StatusPreconditionFailed, problem.ReleaseMismatch, "this node serves release "+s.Release)
			return
		}
	}
	if x.Origin.Version != "" {
		x.Header.Set(httpfield.Release, x.Origin.Version)
	}
	switch {
	case x.Kind == Page:
		x.list(s)
	case x.Kind == Index && x.Origin.Index:
		x.answerSearch(s)
	case x.Kind == OneItem:
		x.item(s)
	case x.Kind == File && x.Origin.Files[x.Request.URL.Path] != "":
		x.Body = []byte(x.Origin.Files[x.Request.URL.Path])
		x.Header.Set(httpfield.ContentType, "image/png")
	default:
		x.Fail(http.StatusNotFound, problem.UnknownRoute, "no such address")
	}
}

func (x *Exchange) item(s *State) {
	for _, i := range s.Items {
		if i.ID == x.id {
			x.Body = envelope.AppendItem(nil, []byte(i.Raw))
			return
		}
	}
	x.Fail(http.StatusNotFound, problem.UnknownItem, "no such item")
}

// Fail makes the response an error of the interface.
func (x *Exchange) Fail(status int, code, message string) {
	x.Status = status
	x.Body = envelope.AppendError(nil, problem.Problem{Status: status, Code: code, Message: message, Position: -1})
}

// Older answers from the state before the newest one.
func (x *Exchange) Older() {
	x.Origin.mu.Lock()
	s := x.Origin.states[max(0, len(x.Origin.states)-2)]
	x.Origin.mu.Unlock()
	x.AnswerFrom(s)
}

func (x *Exchange) list(s *State) {
	q := x.Request.URL.Query()
	if x.Size > address.MaxSize {
		x.Fail(http.StatusBadRequest, problem.BadPageSize, "pageSize must be an integer from 1 to 10000")
		return
	}
	size := x.Size
	if m := x.Origin.MaxSize; m > 0 {
		size = min(size, m)
	}
	items := selected(s.Items, q)
	sortItems(items, cmp.Or(q.Get(address.ParamSort), address.FieldCreatedAt), q.Get(address.ParamSortAsc) == "true")
	from := min((x.Number-1)*size, len(items))
	x.Page(items[from:min(from+size, len(items))], len(items))
}

// Page makes the response a page of items.
func (x *Exchange) Page(items []Item, total int) {
	fragments := make([][]byte, len(items))
	for n, i := range items {
		fragments[n] = []byte(i.Raw)
	}
	x.Status, x.Body = http.StatusOK, envelope.AppendList(nil, fragments, total)
}

func selected(items []Item, q url.Values) []Item {
	status := q.Get(address.ParamStatus)
	return slices.DeleteFunc(slices.Clone(items), func(i Item) bool { return status != "" && i.Status != status })
}

func sortItems(items []Item, field string, ascending bool) {
	slices.SortStableFunc(items, func(a, b Item) int {
		c := 0
		switch field {
		case address.FieldCreatedAt:
			c = a.CreatedAt.Compare(b.CreatedAt)
		case address.FieldUpdatedAt:
			c = a.UpdatedAt.Compare(b.UpdatedAt)
		case address.FieldName:
			c = cmp.Compare(a.Name, b.Name)
		}
		if !ascending {
			c = -c
		}
		return cmp.Or(c, cmp.Compare(a.ID, b.ID))
	})
}

// answerSearch knows searches for all items in the order of ids or dates: an index needs no more.
func (x *Exchange) answerSearch(s *State) {
	var body struct {
		From   int
		Size   *int
		Source []string `json:"_source"`
		Sort   []map[string]any
		Query  map[string]any
	}
	if err := json.Unmarshal(x.body, &body); err != nil || len(body.Query) > 1 || len(body.Query) == 1 && body.Query["match_all"] == nil {
		x.Fail(http.StatusBadRequest, problem.BadBody, "this origin knows no such search")
		return
	}
	size := address.DefaultPageSize
	if body.Size != nil {
		size = *body.Size
	}
	if body.From+size > address.MaxSize {
		x.Fail(http.StatusBadRequest, problem.BadSize, "from + size must be at most 10000")
		return
	}
	items := slices.Clone(s.Items)
	for _, by := range body.Sort {
		for field, order := range by {
			if field != address.FieldContentID {
				sortItems(items, field, order == "asc")
			}
		}
	}
	from := min(body.From, len(items))
	page := items[from:min(from+size, len(items))]
	sources := make([][]byte, len(page))
	for n, i := range page {
		sources[n] = source(i, body.Source)
	}
	if !x.elastic {
		x.Body = envelope.AppendList(nil, sources, len(items))
		return
	}
	x.Body = elasticHits(page, sources, len(items))
}

func elasticHits(page []Item, sources [][]byte, total int) []byte {
	type hit struct {
		Index  string          `json:"_index"`
		ID     string          `json:"_id"`
		Source json.RawMessage `json:"_source"`
		Sort   []string        `json:"sort"`
	}
	hits := make([]hit, len(page))
	for n, i := range page {
		hits[n] = hit{Env, i.ID, sources[n], []string{i.ID}}
	}
	b, _ := json.Marshal(map[string]any{"took": 0, "timed_out": false, "hits": map[string]any{
		"total": map[string]any{"value": total, "relation": "eq"}, "max_score": nil, "hits": hits}})
	return b
}

func source(i Item, names []string) []byte {
	if names == nil {
		return []byte(i.Raw)
	}
	all := map[string]json.RawMessage{}
	_ = json.Unmarshal([]byte(i.Raw), &all)
	var b bytes.Buffer
	for _, name := range address.Fields {
		if slices.Contains(names, name) && all[name] != nil {
			b.WriteString(`,"` + name + `":` + string(all[name]))
		}
	}
	return []byte("{" + strings.TrimPrefix(b.String(), ",") + "}")
}

// send writes the response as the faults say.
func (x *Exchange) send(w http.ResponseWriter) {
	if x.Drop {
		panic(http.ErrAbortHandler)
	}
	for name, values := range x.Header {
		w.Header()[name] = values
	}
	if !x.Chunked && x.Endless == nil && w.Header().Get(httpfield.ContentLength) == "" {
		w.Header().Set(httpfield.ContentLength, strconv.Itoa(len(x.Body)))
	}
	w.WriteHeader(x.Status)
	flush := http.NewResponseController(w).Flush
	switch {
	case x.CutAt > 0:
		_, _ = w.Write(x.Body[:min(x.CutAt, len(x.Body))])
		_ = flush()
		panic(http.ErrAbortHandler)
	case x.Stall:
		_, _ = w.Write(x.Body[:len(x.Body)/2])
		_ = flush()
		x.Origin.waits(x.Request)
	case x.Drip > 0:
		x.drip(w, flush)
	default:
		_, _ = w.Write(x.Body)
		if x.Chunked {
			_ = flush() // otherwise a short body gets a length
		}
	}
	for len(x.Endless) > 0 {
		if _, err := w.Write(x.Endless); err != nil {
			return
		}
	}
}

// waits until the client or the origin goes away.
func (o *Origin) waits(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-o.closed:
	}
}

func (x *Exchange) drip(w io.Writer, flush func() error) {
	for n := range x.Body {
		select {
		case <-time.After(x.Drip):
		case <-x.Request.Context().Done():
			return
		case <-x.Origin.closed:
			return
		}
		if _, err := w.Write(x.Body[n : n+1]); err != nil || flush() != nil {
			return
		}
	}
}
