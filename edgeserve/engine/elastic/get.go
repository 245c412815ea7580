// This file answers _doc, _source and _mget: requests for items by their ids.

package elastic

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
)

const (
	// lookupSteps is the cost of finding an item by its id. docSteps is the cost of writing a document in addition to
	// the bytes of its item.
	lookupSteps, docSteps = 64, 8
	// docBytes is the approximate length of a document without its source and its names.
	docBytes = 100
)

// errItem is the error of an item that does not exist.
var errItem = &NotFound{Code: problem.UnknownItem, Message: "Document not found"}

// NotFound reports an item, an environment or an address that does not exist. Code decides the status.
// Name is the name of a missing environment.
type NotFound struct{ Code, Message, Name string }

// Error returns the message.
func (e *NotFound) Error() string { return e.Message }

// doc answers _doc.
func (c *Call) doc() (*Response, error) {
	if v := c.params.Get("version"); v != "" && v != "1" {
		return nil, &query.Error{Code: problem.VersionConflict, Parameter: "version", Position: -1, Message: fmt.Sprintf("[%s]: version conflict, current version [1] is different than the one provided [%.80s]", c.Route.ID, v)}
	}
	return c.item(func(dst []byte, s *hits.Source, fragment []byte) []byte {
		dst = hits.AppendNames(append(dst, '{'), c.Route.Env, c.Route.ID)
		return append(s.Append(append(dst, foundMembers...), fragment), '}')
	})
}

// foundMembers are in each document that is found. Versions are constant: a release replaces all documents.
const foundMembers = `,"_version":1,"_seq_no":0,"_primary_term":1,"found":true`

// appendMissing writes a document that does not exist. member is the member that says so.
func appendMissing(dst []byte, index, id, member string) []byte {
	dst = escape(append(dst, `{"_index":`...), index)
	dst = escape(append(dst, `,"_type":"_doc","_id":`...), id)
	return append(append(append(dst, ','), member...), '}')
}

// source answers _source.
func (c *Call) source() (*Response, error) {
	return c.item(func(dst []byte, s *hits.Source, fragment []byte) []byte {
		return s.AppendAlone(dst, fragment)
	})
}

// item answers a request for one item.
func (c *Call) item(write func(dst []byte, s *hits.Source, fragment []byte) []byte) (*Response, error) {
	selected, err := c.selected()
	if err != nil {
		return nil, err
	}
	fragment, found, err := hits.Item(c.environment().Items, c.Work, c.Route.ID)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, errItem
	}
	return &Response{Size: len(fragment) + len(c.Route.Env) + len(c.Route.ID) + 2*docBytes, Fixed: true, write: func(dst []byte) ([]byte, error) {
		return write(dst, hits.NewSource(selected), fragment), nil
	}}, nil
}

// selected returns which members of items the parameters select. A request for stored fields without a selection gets
// what storedSource says.
func (c *Call) selected() (*query.Source, error) {
	if c.params.Has("stored_fields") && !c.selects() {
		return storedSource(strings.Split(c.params.Get("stored_fields"), ",")), nil
	}
	b := &query.Body{}
	err := body.URI{Source: c.params.Get(address.ParamSource), SourceIncludes: c.params.Get(address.ParamSourceIncludes), SourceExcludes: c.params.Get(address.ParamSourceExcludes)}.Complete(b)
	return b.Show.Source, err
}

// selects reports whether the parameters select members of items.
func (c *Call) selects() bool {
	return slices.ContainsFunc(strings.Fields(sourceParams), c.params.Has)
}

// storedSource returns the source of a request for stored fields, of which only _source exists.
func storedSource(names []string) *query.Source {
	return &query.Source{None: !slices.Contains(names, query.SourceField)}
}

// wanted is a document that an _mget asks for.
type wanted struct {
	index, id string
	indexed   bool // the index exists
	item      []byte
	found     bool
	source    *query.Source
}

// multiGet answers _mget.
func (c *Call) multiGet() (*Response, error) {
	docs, err := c.wantedDocs()
	if err != nil {
		return nil, err
	}
	size := 0
	for i := range docs {
		w := &docs[i]
		if err := c.Work.Charge(lookupSteps); err != nil {
			return nil, err
		}
		index := c.Indices[w.index]
		if w.indexed = index != nil; !w.indexed {
			size += 6 * (docBytes + len(w.index) + len(w.id))
			continue
		}
	}
	if err := c.readItems(docs); err != nil {
		return nil, err
	}
	for i := range docs {
		if w := &docs[i]; w.indexed {
			size += 2*docBytes + len(w.index) + len(w.id) + len(w.item)
		}
	}
	return &Response{Size: size, Fixed: true, write: func(dst []byte) ([]byte, error) {
		dst = append(dst, `{"docs":[`...)
		for i := range docs {
			if i > 0 {
				dst = append(dst, ',')
			}
			source := hits.NewSource(docs[i].source)
			dst = c.appendWanted(dst, &docs[i], source)
			if err := c.Work.Charge(docSteps + source.Work()); err != nil {
				return nil, err
			}
		}
		return append(dst, "]}"...), nil
	}}, nil
}

// readItems reads the items of documents: all items of an index at once, if the index is on other machines.
func (c *Call) readItems(docs []wanted) (err error) {
	far := map[string][]*wanted{}
	for i := range docs {
		w := &docs[i]
		if !w.indexed {
			continue
		}
		if _, ok := c.Indices[w.index].Items.(hits.ItemsReader); ok {
			far[w.index] = append(far[w.index], w)
		} else if w.item, w.found, err = c.Indices[w.index].Items.Item(w.id); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(far)) {
		list := far[name]
		ids := make([]string, len(list))
		for i, w := range list {
			ids[i] = w.id
		}
		items, err := c.Indices[name].Items.(hits.ItemsReader).ItemsOf(c.Work, ids)
		if err != nil {
			return err
		}
		for i, w := range list {
			w.item, w.found = items[i], items[i] != nil
		}
	}
	return nil
}

func (c *Call) appendWanted(dst []byte, w *wanted, s *hits.Source) []byte {
	switch {
	case !w.indexed:
		dst = escape(append(dst, `{"_index":`...), w.index)
		dst = escape(append(dst, `,"_type":null,"_id":`...), w.id)
		f := failureOf(c.Problem(missingIndex(w.index)), w.index)
		return append(f.appendError(append(dst, `,"error":`...)), '}')
	case !w.found:
		return appendMissing(dst, w.index, w.id, `"found":false`)
	}
	dst = hits.AppendNames(append(dst, '{'), w.index, w.id)
	return append(s.Append(append(dst, foundMembers...), w.item), '}')
}

// docID is an id. A body may write it as a string, a number or a boolean.
type docID string

// UnmarshalJSON takes the text of a scalar. null is not an id.
func (id *docID) UnmarshalJSON(raw []byte) error {
	switch raw[0] {
	case '"':
		return json.Unmarshal(raw, (*string)(id))
	case '[', '{':
		return badParameter("_id", "an id is a text, not %.80s", raw)
	case 'n':
		return nil
	}
	*id = docID(raw)
	return nil
}

// storedFields are names of stored fields. A body may write one name without a list.
type storedFields []string

// UnmarshalJSON takes the texts of a list or of one scalar. null asks for nothing.
func (s *storedFields) UnmarshalJSON(raw []byte) error {
	switch raw[0] {
	case 'n':
		return nil
	case '[':
	default:
		raw = slices.Concat([]byte{'['}, raw, []byte{']'})
	}
	var names []any
	if err := json.Unmarshal(raw, &names); err != nil {
		return err
	}
	*s = storedFields{}
	for _, name := range names {
		switch name := name.(type) {
		case map[string]any, []any:
			return badParameter("stored_fields", "a stored field is a name, not %.80s", raw)
		case string:
			*s = append(*s, name)
		}
	}
	return nil
}

// multiGetBody is the body of _mget. The members about versions have no effect: a release has one version of each
// document.
type multiGetBody struct {
	IDs  []docID `json:"ids"`
	Docs []struct {
		Index       string          `json:"_index"`
		ID          docID           `json:"_id"`
		Source      json.RawMessage `json:"_source"`
		Stored      storedFields    `json:"stored_fields"`
		Type        any             `json:"_type"`
		Routing     any             `json:"routing"`
		Version     int             `json:"version"`
		VersionType string          `json:"version_type"`
	} `json:"docs"`
}

// wantedDocs parses the body of _mget.
func (c *Call) wantedDocs() (docs []wanted, err error) {
	selected, err := c.selected()
	if err != nil {
		return nil, err
	}
	if isBlank(c.Body) || isNull(c.Body) {
		return nil, errNoObject
	}
	var request multiGetBody
	if err := parseJSON(c.Body, &request); err != nil {
		return nil, err
	}
	for _, id := range request.IDs {
		docs = append(docs, wanted{index: c.Route.Env, id: string(id), source: selected})
	}
	for _, d := range request.Docs {
		w := wanted{index: cmp.Or(d.Index, c.Route.Env), id: string(d.ID), source: selected}
		if d.Stored != nil && !c.selects() {
			w.source = storedSource(d.Stored)
		}
		if d.Source != nil {
			part, err := body.ParsePart(slices.Concat([]byte(`{"_source":`), d.Source, []byte{'}'}))
			if err != nil {
				return nil, err
			}
			w.source = part.Show.Source
		}
		docs = append(docs, w)
	}
	switch {
	case len(docs) == 0:
		return nil, invalid("no documents to get")
	case len(docs) > query.MaxWindow:
		return nil, badParameter("docs", "_mget has more than %d documents", query.MaxWindow)
	}
	for i, w := range docs {
		switch {
		case w.index == "":
			return nil, invalid("index is missing for doc %d", i)
		case w.id == "":
			return nil, invalid("id is missing for doc %d", i)
		}
	}
	return docs, nil
}

// parseJSON parses a body that is not a search. A blank body leaves v unchanged.
func parseJSON(raw []byte, v any) error {
	raw = bytes.Trim(bytes.TrimPrefix(raw, []byte(strictjson.ByteOrderMark)), " \t\r\n")
	if len(raw) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil && d.More() {
		return badParameter("", "the body holds more than one JSON value")
	}
	if e, ok := errors.AsType[*query.Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return badParameter(e.Field, "[%s] cannot be %s", e.Field, e.Value)
	}
	if err != nil {
		return badParameter("", "the body cannot be parsed: %.200s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}
