// Package elastic answers the read endpoints of Elasticsearch 7 in Elasticsearch's own words. To its
// clients a node looks like Elasticsearch, and an environment like an index. A hits.Evaluator finds
// the hits. The package knows no HTTP.
//
// Call.Respond evaluates a request. It returns a Response with the size of the body, which
// Response.Write then writes. So the caller can take memory in between.
package elastic

import (
	"net/url"
	"strings"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
)

// Call is a request of an endpoint.
type Call struct {
	Route   address.Route
	Query   string // the query of the address, as the client sent it
	Body    []byte
	Release string // the id of the release

	Indices map[string]*Index
	Work    *scorer.WorkLimit
	// Next ends a search of a request with several searches, and admits the next search.
	Next func() (*scorer.WorkLimit, *problem.Problem)
	// Problem turns the error of one of several searches into a problem.
	Problem func(error) *problem.Problem
	// Count counts an evaluated search by its outermost query.
	Count func(query.Node)

	params url.Values
}

// Index is an environment. Items evaluates requests. Fields describes the fields, whichever evaluator Items is.
type Index struct {
	Items  hits.Evaluator
	Fields fields.Resolver
}

// Response is the answer to a Call.
type Response struct {
	Size  int  // the approximate length of the body in bytes
	Fixed bool // the body stays the same while the release is served
	// Approximate says why results are approximate; nil if they are exact.
	Approximate []string

	write func(dst []byte) ([]byte, error)
}

// Write appends the body. Call it once: it also gives back the memory of aggregations.
func (r *Response) Write(dst []byte) (body []byte, err error) {
	defer snapshot.Recover(&err)
	return r.write(dst)
}

// written returns a fixed response with a body that exists already.
func written(body []byte) *Response {
	return &Response{Size: len(body), Fixed: true, write: func(dst []byte) ([]byte, error) { return append(dst, body...), nil }}
}

// endpoints maps each kind of address to the method that answers it and the parameters that it reads.
var endpoints = map[address.Kind]struct {
	params string
	answer func(*Call) (*Response, error)
}{
	address.ElasticInfo:        {"", (*Call).info},
	address.ElasticSearch:      {searchParams + " " + sourceParams + " " + indexParams, (*Call).search},
	address.ElasticMultiSearch: {"typed_keys rest_total_hits_as_int " + ignoreUnavailable, (*Call).multiSearch},
	address.ElasticCount:       {queryParams + " terminate_after min_score " + indexParams, (*Call).count},
	address.ElasticDoc:         {sourceParams + " stored_fields version version_type", (*Call).doc},
	address.ElasticSource:      {sourceParams, (*Call).source},
	address.ElasticMultiGet:    {sourceParams + " stored_fields", (*Call).multiGet},
	address.ElasticMapping:     {indexParams, (*Call).mapping},
	address.ElasticFieldCaps:   {"fields " + indexParams, (*Call).fieldCaps},
	address.ElasticValidate:    {queryParams + " explain " + indexParams, (*Call).validate},
	address.ElasticExplain:     {queryParams + " stored_fields " + sourceParams, (*Call).explain},
	address.ElasticAnalyze:     {"analyzer field text", (*Call).analyze},
	address.ElasticIndex:       {indexParams, (*Call).describe},
}

// Parameters returns the names of the parameters that an endpoint reads. It accepts others, which have no effect.
func Parameters(kind address.Kind) []string {
	return append(strings.Fields(endpoints[kind].params), filterPath, pretty)
}

// Respond evaluates a call. Errors are the evaluator's errors, *NotFound, *Refused, and *query.Error with codes that
// AppendError knows.
func (c *Call) Respond() (response *Response, err error) {
	defer snapshot.Recover(&err)
	endpoint := endpoints[c.Route.Kind]
	if err := c.parseParams(endpoint.params); err != nil {
		return nil, err
	}
	if c.Route.Env != "" && !c.Route.Kind.NamesIndices() {
		if response, err = c.chooseIndex(endpoint.params); err != nil {
			return nil, err
		}
	}
	if response == nil {
		if response, err = endpoint.answer(c); err != nil {
			return nil, err
		}
	}
	if paths := c.params.Get(filterPath); paths != "" {
		if response, err = c.filtered(response, paths); err != nil {
			return nil, err
		}
	}
	if indented, err := c.flag(pretty); err != nil || !indented {
		return response, err
	}
	return c.transform(response, 1+prettySpace, appendIndented), nil
}

// transformedPerStep is the number of bytes of a body that transform changes in a step.
const transformedPerStep = 8

// environment returns the environment that the call names. Respond has made sure that it exists.
func (c *Call) environment() *Index { return c.Indices[c.Route.Env] }

// filtered returns a response with only the parts that a filter_path selects.
func (c *Call) filtered(response *Response, paths string) (*Response, error) {
	var includes, excludes []string
	for path := range strings.SplitSeq(paths, ",") {
		if rest, exclude := strings.CutPrefix(path, "-"); exclude {
			if rest == "" {
				return nil, badParameter(filterPath, "filters cannot be null or empty")
			}
			excludes = append(excludes, rest)
		} else if path != "" {
			includes = append(includes, path)
		}
	}
	if len(includes)+len(excludes) > maxFilterPaths {
		return nil, badParameter(filterPath, "filter_path has more than %d paths", maxFilterPaths)
	}
	return c.transform(response, 1, envelope.NewPathFilter(includes, excludes).Append), nil
}

// transform replaces the body of a response. change appends the new body, of at most maxGrowth times the size.
func (c *Call) transform(response *Response, maxGrowth int, change func(dst, body []byte) []byte) *Response {
	write := response.write
	response.Size *= 1 + maxGrowth // both bodies are in memory for a moment
	response.write = func(dst []byte) ([]byte, error) {
		start := len(dst)
		dst, err := write(dst)
		if err != nil {
			return nil, err
		}
		end := len(dst)
		if err := c.Work.Charge((end - start) / transformedPerStep); err != nil {
			return nil, err
		}
		dst = change(dst, dst[start:end])
		return dst[:start+copy(dst[start:], dst[end:])], nil
	}
	return response
}

// info answers the address of the node itself. Clients check the version, its flavour and the tagline.
func (c *Call) info() (*Response, error) {
	body := append([]byte(nil), `{"name":"contentedge","cluster_name":"contentedge","cluster_uuid":`...)
	body = appendString(body, c.Release)
	return written(append(body, `,"version":{"number":"7.10.2","build_flavor":"default","build_type":"tar","build_hash":"unknown",`+
		`"build_date":"2021-01-13T00:42:12.435326Z","build_snapshot":false,"lucene_version":"8.7.0",`+
		`"minimum_wire_compatibility_version":"6.8.0","minimum_index_compatibility_version":"6.0.0-beta1"},"tagline":"You Know, for Search"}`...)), nil
}

func appendString(dst []byte, s string) []byte { return envelope.JavaEscapes.AppendString(dst, s) }
