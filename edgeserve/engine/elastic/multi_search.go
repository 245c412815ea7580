// This file answers _msearch, a request of several searches.

package elastic

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
)

// maxSearches limits the searches of a request.
const maxSearches = 16

// part is one of the searches of a request.
type part struct {
	index  string // "": the named indices do not exist, and the search allows that
	body   *query.Body
	err    error // the error of the named indices
	found  *found
	failed *problem.Problem
}

// multiSearch answers _msearch. As in Elasticsearch, a body that cannot be parsed fails the
// request, and a search that fails is an error among the responses.
func (c *Call) multiSearch() (*Response, error) {
	parts, err := c.parts()
	if err != nil {
		return nil, err
	}
	response := &Response{Size: 64, Fixed: true}
	for i := range parts {
		p := &parts[i]
		if i > 0 {
			work, failed := c.Next()
			if failed != nil {
				return nil, &Refused{failed}
			}
			c.Work = work
		}
		if err = p.err; err == nil && p.index != "" {
			p.found, err = c.find(p.index, p.body)
		}
		if err != nil {
			p.failed = c.Problem(err)
			response.Size += 6*len(p.failed.Message) + 512
			response.Fixed = response.Fixed && StatusOf(p.failed) < 429
			continue
		}
		if p.found == nil {
			response.Size += len(noneFound[address.ElasticSearch])
			continue
		}
		response.Size += p.found.size()
		response.Fixed = response.Fixed && !p.found.Timed
		for _, why := range p.found.Approximate {
			if !slices.Contains(response.Approximate, why) {
				response.Approximate = append(response.Approximate, why)
			}
		}
	}
	response.write = func(dst []byte) ([]byte, error) { return c.appendParts(dst, parts) }
	return response, nil
}

// Refused is an error that already holds its problem.
type Refused struct{ Problem *problem.Problem }

// Error returns the message.
func (e *Refused) Error() string { return e.Problem.Message }

func (c *Call) appendParts(dst []byte, parts []part) (_ []byte, err error) {
	dst = append(dst, `{"took":0,"responses":[`...)
	for i, p := range parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '{')
		switch {
		case p.failed != nil:
			dst = failureOf(p.failed, missingOf(p.failed, p.index)).append(dst)
		case p.found == nil:
			none := noneFound[address.ElasticSearch]
			if asInt, _ := c.flag("rest_total_hits_as_int"); asInt {
				none = noneFoundAsInt
			}
			dst = append(append(dst, none[1:len(none)-1]...), `,"status":200`...)
		default:
			if dst, err = p.found.append(dst, c.Work); err != nil {
				return nil, err
			}
			dst = append(dst, `,"status":200`...)
		}
		dst = append(dst, '}')
	}
	return append(dst, "]}"...), nil
}

// header is the line before a search.
type header struct {
	Index      any `json:"index"`
	Type       any `json:"type"`
	Types      any `json:"types"`
	Preference any `json:"preference"`
	Routing    any `json:"routing"`

	SearchType   any `json:"search_type"`
	RequestCache any `json:"request_cache"`
	Partial      any `json:"allow_partial_search_results"`
	Unavailable  any `json:"ignore_unavailable"`
	NoIndices    any `json:"allow_no_indices"`
	Wildcards    any `json:"expand_wildcards"`
	Throttled    any `json:"ignore_throttled"`
	Roundtrips   any `json:"ccs_minimize_roundtrips"`
}

// parts parses the lines of the body: a header and a search in turn. As in Elasticsearch, an empty first
// line is skipped, and a blank last line in the place of a header, too.
func (c *Call) parts() (parts []part, err error) {
	rest := bytes.TrimPrefix(c.Body, []byte{'\n'})
	if len(bytes.TrimSpace(rest)) == 0 {
		return nil, badParameter("", "request body or source parameter is required")
	}
	hits := 0
	for len(rest) > 0 {
		if len(parts) == maxSearches {
			return nil, badParameter("", "_msearch has more than %d searches", maxSearches)
		}
		first, after, ends := bytes.Cut(rest, []byte{'\n'})
		if ends && len(after) == 0 && len(parts) > 0 && len(bytes.TrimSpace(first)) == 0 {
			break
		}
		if ends && len(after) == 0 {
			return nil, badParameter("", "the last header of _msearch has no search: each search takes two lines")
		}
		second, after, alsoEnds := bytes.Cut(after, []byte{'\n'})
		if !ends || !alsoEnds {
			return nil, badParameter("", `The msearch request must be terminated by a newline [\n]`)
		}
		rest = after
		if len(bytes.TrimSpace(second)) == 0 {
			return nil, badParameter("", "search %d of _msearch is a blank line: without members it is {}", len(parts)+1)
		}
		p := part{}
		if err = c.indexOf(&p, first); err != nil {
			return nil, err
		}
		if p.body, err = c.parse(second); err != nil {
			return nil, err
		}
		if hits += p.body.Window.Size; hits > query.MaxWindow {
			return nil, badParameter("size", "the searches of _msearch have a size of more than %s together", strconv.Itoa(query.MaxWindow))
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// indexOf chooses the index of a search by its header, which has names in an array or joined by commas.
func (c *Call) indexOf(p *part, line []byte) error {
	var h header
	if err := parseJSON(line, &h); err != nil {
		return err
	}
	names, err := namesOf(h.Index)
	switch {
	case err != nil:
		return err
	case names == nil && c.Route.Env == "":
		return badParameter("index", "a header of _msearch without an index needs one in the address")
	case names == nil:
		names = c.Route.Indices()
	}
	ignore := c.params.Get(ignoreUnavailable) == "true"
	if h.Unavailable != nil {
		ignore = isTrue(h.Unavailable)
	}
	p.index, p.err = c.index(names, ignore, h.NoIndices == nil || isTrue(h.NoIndices))
	return nil
}

func isTrue(v any) bool { return v == true || v == "true" }

// namesOf returns the names in a member of a header, or nil without names.
func namesOf(v any) (names []string, err error) {
	list, several := v.([]any)
	if !several && v != nil && v != "" {
		list = []any{v}
	}
	for _, e := range list {
		name, ok := e.(string)
		if !ok || name == "" {
			return nil, badParameter("index", "a header of _msearch names an index, or several in an array")
		}
		names = append(names, strings.Split(name, ",")...)
	}
	return names, nil
}
