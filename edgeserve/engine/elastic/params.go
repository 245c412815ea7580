// This file reads the parameters of an address.

package elastic

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
)

const (
	filterPath = "filter_path"
	pretty     = "pretty"
	// maxFilterPaths limits the patterns that each member of a response is matched against.
	maxFilterPaths = 100

	queryParams  = "analyzer source " + address.ParamQuery + " " + address.ParamDefaultField + " " + address.ParamDefaultOperator + " " + address.ParamAnalyzeWildcard + " " + address.ParamLenient
	searchParams = queryParams + " " + address.ParamFrom + " " + address.ParamSize + " sort rest_total_hits_as_int typed_keys " + textMembers + " " + listMembers
	// textMembers and listMembers are parameters that set members of a body with equal names. flagMembers may have no
	// value, which means false, but true for trackScores.
	textMembers  = "track_total_hits terminate_after " + flagMembers
	flagMembers  = trackScores + " version seq_no_primary_term explain"
	trackScores  = "track_scores"
	wholeParams  = address.ParamFrom + " " + address.ParamSize + " track_total_hits terminate_after" // integers
	listMembers  = "stored_fields docvalue_fields"
	sourceParams = address.ParamSource + " " + address.ParamSourceIncludes + " " + address.ParamSourceExcludes
)

// ignored are the parameters of all endpoints that would have no visible effect on a node.
var ignored = strings.Fields(`human error_trace source_content_type ignore_unavailable allow_no_indices expand_wildcards ignore_throttled
	preference routing timeout request_cache search_type batched_reduce_size ccs_minimize_roundtrips max_concurrent_shard_requests
	max_concurrent_searches pre_filter_shard_size allow_partial_search_results min_compatible_shard_node stats local master_timeout realtime refresh
	include_unmapped all_shards index rewrite include_defaults`)

// mustBeFalse are parameters that are refused unless they are false, which has no effect.
var mustBeFalse = strings.Fields("include_type_name")

// refusedParams maps parameters that are refused to what to use instead.
var refusedParams = map[string]string{
	"scroll":        noScroll,
	"suggest_field": "use the member suggest of the body",
	"suggest_mode":  "use the member suggest of the body",
	"suggest_size":  "use the member suggest of the body",
	"suggest_text":  "use the member suggest of the body",
}

// harmless has functions for some ignored parameters, which report whether a value is valid.
var harmless = map[string]func(value string) bool{
	"request_cache": isBool, "allow_partial_search_results": isBool, "ignore_unavailable": isBool, "allow_no_indices": isBool,
	"ignore_throttled": isBool, "ccs_minimize_roundtrips": isBool,
	"batched_reduce_size": atLeast(2), "max_concurrent_shard_requests": atLeast(1), "pre_filter_shard_size": atLeast(1),
	"timeout":          body.Duration,
	"search_type":      oneOf("query_then_fetch", "dfs_query_then_fetch"),
	"expand_wildcards": oneOf("open", "closed", "hidden", "none", "all"),
}

func isBool(value string) bool { return value == "" || value == "true" || value == "false" }

func atLeast(least int) func(string) bool {
	return func(value string) bool {
		n, err := strconv.Atoi(value)
		return err == nil && n >= least
	}
}

// oneOf returns a function that accepts a list of some of the words, joined by commas.
func oneOf(words ...string) func(string) bool {
	return func(value string) bool {
		for word := range strings.SplitSeq(value, ",") {
			if !slices.Contains(words, strings.ToLower(word)) {
				return false
			}
		}
		return true
	}
}

// parseParams reads the parameters of the address. known lists the parameters of the endpoint.
func (c *Call) parseParams(known string) error {
	var err error
	if c.params, err = url.ParseQuery(c.Query); err != nil {
		return badParameter("", "the query of the address cannot be decoded: percent signs precede two hexadecimal digits, parameters are separated by &")
	}
	names := strings.Fields(known)
	for _, name := range slices.Sorted(maps.Keys(c.params)) {
		values := c.params[name]
		c.params[name] = values[len(values)-1:] // the last value counts, as in Elasticsearch
		value := values[len(values)-1]
		switch {
		case refusedParams[name] != "":
			return badParameter(name, "this node does not support [%s]: %s", name, refusedParams[name])
		case harmless[name] != nil && !harmless[name](value):
			return badParameter(name, "Failed to parse the parameter [%s] with value [%.80s]", name, value)
		case slices.Contains(names, name) || name == filterPath || name == pretty || slices.Contains(ignored, name):
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

// path returns the path of the call in Elasticsearch's API.
func (c *Call) path() string {
	name := c.Route.Kind.ElasticName()
	switch {
	case c.Route.Kind == address.ElasticInfo:
		return "/"
	case c.Route.Kind == address.ElasticIndex:
		return "/" + c.Route.Env
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

// complete replaces members of a body by parameters, as Elasticsearch does.
func (c *Call) complete(b *query.Body) error {
	if a := c.params.Get("analyzer"); a != "" && a != standard {
		return badParameter("analyzer", "[query_string] analyzer [%.80s] not found", a)
	}
	for name := range strings.FieldsSeq(wholeParams) {
		value := c.params.Get(name)
		if _, err := strconv.ParseInt(value, 10, 32); err != nil && !isBool(value) {
			return badParameter(name, "Failed to parse int parameter [%s] with value [%.80s]", name, value)
		}
	}
	var u body.URI
	for _, name := range body.URIParameters() {
		*u.Parameter(name) = c.params.Get(name)
	}
	switch {
	case u.Q != "":
		b.Query = nil
	case c.params.Has(address.ParamQuery):
		b.Query = &query.MatchNone{} // a blank q matches nothing, as a query string without words
	}
	b.Window.HasFrom, b.Window.HasSize = b.Window.HasFrom && u.From == "", b.Window.HasSize && u.Size == ""
	b.Show.HasSource = b.Show.HasSource && u.Source+u.SourceIncludes+u.SourceExcludes == ""
	if s := c.params.Get("sort"); s != "" {
		keys, listed, err := body.ParseSort(s)
		if err != nil {
			return err
		}
		if !listed {
			keys = []query.SortKey{{Field: s, Asc: s != "_score"}}
		}
		b.Order.Keys = append(b.Order.Keys, keys...)
	}
	if err := u.Complete(b); err != nil {
		return err
	}
	for name := range strings.FieldsSeq(textMembers + " " + listMembers) {
		v := c.params.Get(name)
		if strings.Contains(flagMembers, name) {
			on, err := c.flag(name)
			if err != nil {
				return err
			}
			if c.params.Has(name) {
				v = strconv.FormatBool(on && (v != "" || name == trackScores))
			}
		}
		if v != "" {
			if err := body.SetMember(b, name, v, strings.Contains(listMembers, name)); err != nil {
				return err
			}
		}
	}
	return body.CheckSource(b)
}

// invalid reports a request without a member or a parameter that it needs.
func invalid(format string, args ...any) error {
	return &query.Error{Code: problem.MissingParameter, Message: "Validation Failed: 1: " + fmt.Sprintf(format, args...) + ";", Position: -1}
}

// badParameter reports a wrong parameter, or a wrong member of a body that is not a search.
func badParameter(name, format string, args ...any) error {
	return &query.Error{Code: problem.BadParameter, Parameter: name, Message: fmt.Sprintf(format, args...), Position: -1}
}
