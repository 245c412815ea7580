// This file reads the parameters of an address.

package elastic

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/query"
)

const (
	filterPath = "filter_path"
	// maxFilterPaths bounds the patterns that each member of a response is matched against.
	maxFilterPaths = 100
	// codeParameter is the code of a parameter that cannot be meant.
	codeParameter = "bad_parameter"
	// codeInvalid is the code of a request that lacks something.
	codeInvalid = "missing_parameter"

	queryParams  = "q df analyzer analyze_wildcard default_operator lenient source"
	searchParams = queryParams + " from size sort track_total_hits rest_total_hits_as_int typed_keys"
	sourceParams = "_source _source_includes _source_excludes"
)

// ignored are the parameters whose effect nobody can see here, of all endpoints.
var ignored = strings.Fields(`pretty human error_trace source_content_type ignore_unavailable allow_no_indices expand_wildcards ignore_throttled
	preference routing timeout terminate_after request_cache search_type batched_reduce_size ccs_minimize_roundtrips max_concurrent_shard_requests
	max_concurrent_searches pre_filter_shard_size allow_partial_search_results min_compatible_shard_node stats local master_timeout realtime refresh
	include_unmapped all_shards index rewrite include_defaults`)

// mustBeFalse are the parameters that may only say what holds anyway.
var mustBeFalse = strings.Fields("version seq_no_primary_term track_scores include_type_name explain")

// parseParams reads the parameters of the address. Those in known have a meaning.
func (c *Call) parseParams(known string) error {
	var err error
	if c.params, err = url.ParseQuery(c.Query); err != nil {
		return badParameter("", "the query of the address cannot be decoded: percent signs stand before two hexadecimal digits, parameters are separated by &")
	}
	names := strings.Fields(known)
	for _, name := range slices.Sorted(maps.Keys(c.params)) {
		values := c.params[name]
		c.params[name] = values[len(values)-1:] // as in Elasticsearch
		value := values[len(values)-1]
		switch {
		case slices.Contains(names, name) || name == filterPath || slices.Contains(ignored, name):
		case slices.Contains(mustBeFalse, name) && value == "false" || name == "format" && value == "json":
		case slices.Contains(mustBeFalse, name) || name == "format":
			return badParameter(name, "this node does not support [%s=%.80s]", name, value)
		default:
			return badParameter(name, "request [%s] contains unrecognized parameter: [%.80s]", c.path(), name)
		}
	}
	if source := c.params.Get("source"); source != "" && len(c.Body) == 0 {
		c.Body = []byte(source)
	}
	return nil
}

// path is the path of the call as a client of Elasticsearch sees it.
func (c *Call) path() string {
	name := c.Route.Kind.ElasticName()
	switch {
	case c.Route.Kind == address.ElasticInfo:
		return "/"
	case c.Route.Env == "":
		return "/" + name
	case c.Route.ID != "":
		return "/" + c.Route.Env + "/" + name + "/" + c.Route.ID
	}
	return "/" + c.Route.Env + "/" + name
}

// flag reads a parameter that is true or false. Without a value it is true.
func (c *Call) flag(name string) (bool, error) {
	if !c.params.Has(name) {
		return false, nil
	}
	switch c.params.Get(name) {
	case "", "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, badParameter(name, "Failed to parse value [%.80s] as only [true] or [false] are allowed.", c.params.Get(name))
}

// complete lets the parameters replace members of a body, as Elasticsearch does.
func (c *Call) complete(b *query.Body) error {
	if a := c.params.Get("analyzer"); a != "" && a != standard {
		return badParameter("analyzer", "[query_string] analyzer [%.80s] not found", a)
	}
	if t := c.params.Get("track_total_hits"); t != "" && t != "true" && t != "false" {
		if _, err := strconv.Atoi(t); err != nil {
			return badParameter("track_total_hits", "Failed to parse int parameter [track_total_hits] with value [%.80s]", t)
		}
	}
	u := query.URI{
		Q: c.params.Get("q"), DefaultField: c.params.Get("df"), DefaultOperator: c.params.Get("default_operator"),
		AnalyzeWildcard: c.params.Get("analyze_wildcard"), Lenient: c.params.Get("lenient"), From: c.params.Get("from"), Size: c.params.Get("size"),
		Source: c.params.Get("_source"), SourceIncludes: c.params.Get("_source_includes"), SourceExcludes: c.params.Get("_source_excludes"),
	}
	if u.Q != "" {
		b.Query = nil
	}
	b.HasFrom, b.HasSize = b.HasFrom && u.From == "", b.HasSize && u.Size == ""
	b.HasSource = b.HasSource && u.Source+u.SourceIncludes+u.SourceExcludes == ""
	if s := c.params.Get("sort"); s != "" {
		keys, listed, err := query.ParseSort(s)
		if err != nil {
			return err
		}
		if !listed {
			keys = []query.SortKey{{Field: s, Asc: s != "_score"}}
		}
		b.Sort = append(b.Sort, keys...)
	}
	return u.Complete(b)
}

// invalid is the error of a request that lacks something.
func invalid(format string, args ...any) error {
	return &query.Error{Code: codeInvalid, Message: "Validation Failed: 1: " + fmt.Sprintf(format, args...) + ";", Position: -1}
}

// badParameter is the error of a parameter, or of a member of a body that is no search.
func badParameter(name, format string, args ...any) error {
	return &query.Error{Code: codeParameter, Parameter: name, Message: fmt.Sprintf(format, args...), Position: -1}
}
