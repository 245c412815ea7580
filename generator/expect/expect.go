// Package expect tests searches: it reads files of expectations and compares responses with them.
// The caller sends the requests.
package expect

import (
	"encoding/json"
	"fmt"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/model"
)

// File is a file of expectations.
type File struct {
	Name  string
	Text  []byte
	Tests []Test
}

// Test is a request with the expectations of its response.
type Test struct {
	File       string
	Line, Col  int
	Name       string
	Target     string // of the request
	Body       []byte // of a search, or nil
	BodyAt     int    // offset of the body in the file
	expected   []check
	maxFall    float64 // in percent; negative: no bound
	fromSearch bool    // the response is Elasticsearch's
}

// check is one expectation.
type check struct {
	what string // the member of the test, and the path in it
	want func(r *response) (expected, got string, ok bool)
}

// Request returns the request of a test as its file has it, in one line.
func (t *Test) Request() string {
	if t.Body != nil {
		return string(compact(t.Body))
	}
	return t.Target
}

// Failure is an expectation that failed.
type Failure struct {
	What     string `json:"what"`
	Expected string `json:"expected"`
	Got      string `json:"got"`
}

// String returns the failure in a line.
func (f Failure) String() string {
	return fmt.Sprintf("%s: expected %s, got %s", f.What, f.Expected, f.Got)
}

// Run compares a response with the expectations of its test.
func (t *Test) Run(body []byte) ([]Failure, error) {
	r, err := t.read(body)
	if err != nil {
		return nil, err
	}
	var failed []Failure
	for _, c := range t.expected {
		if expected, got, ok := c.want(r); !ok {
			failed = append(failed, Failure{c.what, expected, got})
		}
	}
	return failed, nil
}

// Compares reports whether the test limits the change between two releases.
func (t *Test) Compares() bool { return t.maxFall >= 0 }

// Compare compares the total of a response with the total of another release's response to the same
// request.
func (t *Test) Compare(body, other []byte) ([]Failure, error) {
	now, err := t.read(body)
	if err != nil {
		return nil, err
	}
	before, err := t.read(other)
	if err != nil {
		return nil, err
	}
	fall := float64(before.total - now.total)
	if fall <= 0 || fall*100 <= t.maxFall*float64(before.total) {
		return nil, nil
	}
	return []Failure{{"maxFall", fmt.Sprintf("at most %v %% fewer than the %d of the other release", t.maxFall, before.total),
		fmt.Sprintf("%d, %.1f %% fewer", now.total, fall*100/float64(before.total))}}, nil
}

// response is what a test reads of a response.
type response struct {
	total        int
	ids          []string
	items        []any
	aggregations any // nil without aggregations
}

// read reads a response: a page of items, one item, or Elasticsearch's.
func (t *Test) read(body []byte) (*response, error) {
	var all struct {
		Data         any
		TotalItems   int
		Aggregations any
		Hits         struct {
			Total struct{ Value int }
			Hits  []struct {
				ID     string `json:"_id"`
				Source any    `json:"_source"`
			}
		}
	}
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.UseNumber()
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("%s: the response is no JSON: %w", t.Name, err)
	}
	r := &response{total: all.TotalItems, aggregations: all.Aggregations}
	if t.fromSearch {
		r.total = all.Hits.Total.Value
		for _, h := range all.Hits.Hits {
			r.ids, r.items = append(r.ids, h.ID), append(r.items, h.Source)
		}
		return r, nil
	}
	list, ok := all.Data.([]any)
	if !ok {
		list, r.total = []any{all.Data}, 1
	}
	for _, item := range list {
		members, _ := item.(map[string]any)
		id, _ := members[address.FieldContentID].(string)
		r.ids, r.items = append(r.ids, id), append(r.items, item)
	}
	return r, nil
}

// Parse reads a file of expectations. Its faults are diagnostics.
func Parse(name string, text []byte) (*File, []model.Diagnostic) {
	p := &parser{file: &File{Name: name, Text: text}, maxFall: -1}
	root := p.tree()
	if root != nil {
		p.read(root)
	}
	if len(p.found) > 0 {
		return nil, p.found
	}
	return p.file, nil
}
