// This file reads the responses of an origin. The items in them stay as they are, byte for byte.

package pull

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/jsonscan"
)

// shape describes the form of an origin's lists.
const shape = `{"` + envelope.StatusMember + `":200,"` + envelope.DataMember + `":[…],"` + envelope.TotalMember + `":N}`

// published is the status of items that name none.
const published = "Published"

// stamp shows most edits of an item: editors who change the item change one of its members.
type stamp struct{ status, updated, published string }

// item is an item as an origin sent it.
type item struct {
	raw   []byte // points into the response
	id    string
	stamp stamp
}

// page is a list.
type page struct {
	release string // that answered; "" if the response names none
	total   int    // of all pages
	items   []item
	sent    time.Time // as of a response
	made    time.Time
}

// reader reads responses. It belongs to one goroutine.
type reader struct {
	set                     *settings
	envelope, array, object *jsonscan.Scanner
}

func newReader(set *settings) *reader {
	return &reader{set, jsonscan.New(), jsonscan.New(), jsonscan.New()}
}

// page reads a list.
func (r *reader) page(o *origin, resp *response) (*page, error) {
	p := &page{release: resp.release, sent: resp.sent, made: resp.made}
	return p, r.open(o, resp, true, func(data []byte, total int) error {
		p.total = total
		return r.items(data, func(it item) error {
			if len(p.items) == maxPage {
				return &OriginError{Address: resp.address, Message: fmt.Sprintf("the page has more than %d items", maxPage)}
			}
			p.items = append(p.items, it)
			return nil
		})
	})
}

// one reads a response for one item.
func (r *reader) one(o *origin, resp *response) (it item, err error) {
	return it, r.open(o, resp, false, func(data []byte, _ int) (err error) {
		it, err = r.item(data, "the item")
		return err
	})
}

// open takes the envelope off a response.
func (r *reader) open(o *origin, resp *response, list bool, use func(data []byte, total int) error) error {
	if m := resp.mediaType; m != "application/json" && m != "text/json" && !strings.HasSuffix(m, "+json") {
		return r.unlike(o, resp, fmt.Sprintf("the response is %s, not JSON in UTF-8", cmp.Or(m, "of an unknown type")))
	}
	at := jsoncursor.SkipSpace(resp.body, 0)
	if at == len(resp.body) {
		return errCut
	}
	if resp.body[at] != '{' {
		return r.unlike(o, resp, "the response is not an object")
	}
	members, end, err := r.envelope.ObjectLenient(resp.body, at)
	if err != nil {
		return r.broken(o, resp, at, err)
	}
	if jsoncursor.SkipSpace(resp.body, end) != len(resp.body) {
		return r.unlike(o, resp, "the response continues after its object")
	}
	parts, fault := envelopeOf(members)
	if fault != "" {
		return r.unlike(o, resp, fault)
	}
	total := 0
	if list {
		if total, fault = totalOf(parts[envelope.TotalMember]); fault != "" {
			return r.unlike(o, resp, fault)
		}
	}
	data, want := parts[envelope.DataMember], byte('{')
	if list {
		want = '['
	}
	if len(data) == 0 || data[0] != want {
		return r.unlike(o, resp, fmt.Sprintf("its %q is %s", envelope.DataMember, kindOf(data)))
	}
	return use(data, total)
}

func (r *reader) unlike(o *origin, resp *response, message string) error {
	return &OriginError{Address: resp.address, Message: fmt.Sprintf("%s: %q", message, o.quote(resp.body)), Hint: "an origin answers with " + shape}
}

// broken returns errCut for JSON that ends too early: another attempt may bring the rest.
func (r *reader) broken(o *origin, resp *response, at int, err error) error {
	f := jsonscan.SyntaxErrorOf(resp.body, at, err)
	if errors.Is(f.Err, io.ErrUnexpectedEOF) {
		return errCut
	}
	rest := &response{address: resp.address, body: resp.body[f.At:]}
	return r.unlike(o, rest, fmt.Sprintf("the response is no JSON from byte %d on", f.At))
}

// envelopeOf returns the members of an envelope by name. The object may have other members.
func envelopeOf(members []jsonscan.Member) (parts map[string][]byte, fault string) {
	parts = map[string][]byte{envelope.StatusMember: nil, envelope.DataMember: nil, envelope.TotalMember: nil}
	for _, m := range members {
		name := string(jsoncursor.Unquote(m.Name))
		old, ok := parts[name]
		if ok && old != nil {
			return nil, fmt.Sprintf("it has %q twice", name)
		}
		if ok {
			parts[name] = m.Value
		}
	}
	if status := parts[envelope.StatusMember]; string(status) != "200" {
		return nil, fmt.Sprintf("its %q is %s, not 200", envelope.StatusMember, short(status))
	}
	return parts, ""
}

func totalOf(value []byte) (total int, fault string) {
	if len(value) == 0 || bytes.Trim(value, "0123456789") != nil && len(bytes.Trim(value, "0123456789")) > 0 {
		return 0, fmt.Sprintf("its %q is %s, not a whole number", envelope.TotalMember, short(value))
	}
	total, err := strconv.Atoi(string(value))
	if err != nil || total > maxItems {
		return 0, fmt.Sprintf("its %q is %s; a mirror has at most %d items", envelope.TotalMember, short(value), maxItems)
	}
	return total, ""
}

// short returns a JSON value for a message.
func short(value []byte) string {
	if value == nil {
		return "missing"
	}
	return printable(value)
}

func kindOf(value []byte) string {
	if len(value) == 0 {
		return "missing"
	}
	return jsonscan.KindName(value[0])
}

// items cuts an array into items.
func (r *reader) items(data []byte, take func(item) error) error {
	n := 0
	return r.array.ArrayLenient(data, 0, func(start, end int) error {
		n++
		it, err := r.item(data[start:end:end], fmt.Sprintf("item %d of a page", n))
		if err != nil {
			return err
		}
		return take(it)
	})
}

// item finds the id of an item. Everything else is checked by the reader of builds.
func (r *reader) item(raw []byte, name string) (item, error) {
	if raw[0] != '{' {
		return item{}, r.set.refuse(Fault{Message: name + " is " + kindOf(raw) + ", not an object"})
	}
	members, _, err := r.object.ObjectLenient(raw, 0)
	if err != nil {
		return item{}, r.set.refuse(Fault{Message: name + " cannot be read: " + err.Error()})
	}
	it := item{raw: raw}
	var id []byte
	for _, m := range members {
		switch string(jsoncursor.Unquote(m.Name)) {
		case address.FieldContentID:
			id = m.Value
		case address.FieldStatus:
			it.stamp.status = text(m.Value)
		case address.FieldUpdatedAt:
			it.stamp.updated = text(m.Value)
		case address.FieldPublishedAt:
			it.stamp.published = text(m.Value)
		}
	}
	it.stamp.status = cmp.Or(it.stamp.status, published)
	if it.id = text(id); !address.ValidID(it.id) {
		return it, r.set.refuse(Fault{Message: name + ": its " + address.FieldContentID + " is " + short(id) + ", which is not an id",
			Hint: `an id is 1 to 128 letters, digits, "_" or "-" and begins with a letter or digit`})
	}
	if len(raw) > documents.MaxSize {
		return it, r.set.refuse(Fault{ID: it.id, Message: fmt.Sprintf("this item has %d bytes; an item may have %d", len(raw), documents.MaxSize)})
	}
	return it, nil
}

// text returns the text of a string; "" for other values.
func text(value []byte) string {
	if len(value) < 2 || value[0] != '"' {
		return ""
	}
	return string(jsoncursor.Unquote(value))
}

// line returns an item as a line: white space between its tokens goes if it has line ends.
func (it *item) line() []byte {
	if bytes.ContainsAny(it.raw, "\r\n") {
		return jsonscan.AppendCompact(nil, it.raw)
	}
	return it.raw
}

func (s *settings) refuse(faults ...Fault) *RefusedError {
	return &RefusedError{Address: s.URL + " " + s.Env, Faults: faults}
}
