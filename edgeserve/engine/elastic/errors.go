// This file writes errors as Elasticsearch does.

package elastic

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
)

// types maps our error codes to Elasticsearch's types of errors.
var types = map[string]string{
	problem.MissingParameter:   "action_request_validation_exception",
	problem.VersionConflict:    "version_conflict_engine_exception",
	problem.BadJSON:            "json_parse_exception",
	problem.BadBody:            parsing,
	problem.UnknownQuery:       parsing,
	problem.UnknownOption:      parsing,
	problem.BadAggregation:     parsing,
	problem.BadSuggest:         illegal,
	problem.BadSource:          parsing,
	problem.TooDeep:            parsing,
	problem.BadQuery:           unparsed,
	problem.BadQueryString:     shard,
	problem.BadValue:           shard,
	problem.BadRegexp:          shard,
	problem.BadSort:            unparsed,
	problem.TooManyClauses:     "too_many_clauses",
	problem.TooManyBuckets:     "too_many_buckets_exception",
	problem.TooCostly:          rejected,
	problem.Overloaded:         rejected,
	problem.RateLimited:        rejected,
	problem.Timeout:            rejected,
	problem.NotReady:           rejected,
	problem.Unreadable:         rejected,
	problem.SearchUnavailable:  "no_shard_available_action_exception",
	problem.UnknownEnvironment: noIndex,
	problem.UnknownItem:        notFound,
	problem.UnknownRoute:       notFound,
	problem.MethodNotAllowed:   "method_not_allowed_exception",
	problem.BodyTooLarge:       "too_long_frame_exception",
	problem.ContentEncoding:    "media_type_header_exception",
	problem.Internal:           "exception",
}

const (
	parsing  = "parsing_exception"
	unparsed = "x_content_parse_exception"
	shard    = "query_shard_exception"
	rejected = "es_rejected_execution_exception"
	noIndex  = "index_not_found_exception"
	notFound = "resource_not_found_exception"
	illegal  = "illegal_argument_exception"
)

// evaluated maps error codes to the types of errors that Elasticsearch finds only when it evaluates a search.
var evaluated = map[string]string{
	problem.BadQuery:       shard,
	problem.BadAggregation: illegal,
	problem.BadBody:        illegal,
	problem.BadCollapse:    illegal,
	problem.BadHighlight:   illegal,
	problem.BadRescore:     illegal,
	problem.BadSearchAfter: illegal,
	problem.BadSuggest:     illegal,
	problem.BadFrom:        illegal,
	problem.BadSize:        illegal,
	problem.BadSort:        shard,
}

// inShard are the types of errors that Elasticsearch finds in a shard.
var inShard = map[string]bool{shard: true, "too_many_clauses": true, "too_many_buckets_exception": true}

// byMember are the members of a body in which unknown options have the type unparsed.
var byMember = []string{"aggs", "aggregations", "sort", "collapse", "highlight"}

// asEvaluated marks an error as found by evaluation.
func asEvaluated(err error) error {
	e, ok := errors.AsType[*query.Error](err)
	if !ok || types[e.Code] == rejected {
		return err
	}
	marked := *e
	marked.Evaluated = true
	return &marked
}

// namesOfPath returns the names and the numbers in the path of a member.
func namesOfPath(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(".[]", r) })
}

// typeOfAggregation returns the type of an error in an aggregation. An error in the value of an option, below the
// aggregation's name and type, has a type of its own.
func typeOfAggregation(path string) string {
	names := namesOfPath(path)
	slices.Reverse(names)
	if at := slices.IndexFunc(names, func(name string) bool { return name == "aggs" || name == "aggregations" }); at > 2 {
		return unparsed
	}
	return parsing
}

// typeOfOption returns the type of the error of an unknown option.
func typeOfOption(path string) string {
	names := namesOfPath(path)
	if len(names) > 1 && (slices.Contains(byMember, names[0]) || names[len(names)-2] == "bool") {
		return unparsed
	}
	return parsing
}

// tooManyRequests is the status of a search that costs too much, as in Elasticsearch.
const tooManyRequests = 429

// StatusOf returns the status of a problem on Elasticsearch's endpoints.
func StatusOf(p *problem.Problem) int {
	if p.Code == problem.TooCostly {
		return tooManyRequests
	}
	return p.Status
}

// failure is a problem in Elasticsearch's words, with the index that the request reads.
type failure struct {
	*problem.Problem
	kind, reason, index string
	shard               bool // Elasticsearch finds the error in a shard
}

func failureOf(p *problem.Problem, index string) failure {
	f := failure{Problem: p, kind: types[p.Code], reason: p.Message, index: index}
	if kind := evaluated[p.Code]; kind != "" && p.Evaluated {
		f.kind, f.shard = kind, true
	}
	f.shard = f.shard || inShard[f.kind]
	switch {
	case p.Code == problem.BadAggregation && !p.Evaluated:
		f.kind = typeOfAggregation(p.Parameter)
	case p.Code == problem.UnknownOption:
		f.kind = typeOfOption(p.Parameter)
	case f.kind == noIndex:
		f.reason = "no such index [" + index + "]"
	case f.kind == "":
		f.kind = illegal
	}
	return f
}

// AppendError writes the body of a problem. route is the route of the request, as far as it is
// known.
func AppendError(dst []byte, p *problem.Problem, route address.Route) []byte {
	if p.Code == problem.UnknownItem && route.Kind == address.ElasticDoc {
		return appendMissing(dst, route.Env, route.ID, `"found":false`)
	}
	if p.Code == problem.UnknownItem && route.Kind == address.ElasticExplain {
		return appendMissing(dst, route.Env, route.ID, `"matched":false`)
	}
	f := failureOf(p, missingOf(p, route.Env))
	f.shard = f.shard && route.Kind != address.ElasticExplain // _explain asks one shard, and does not report it
	if p.Code == problem.UnknownItem {
		f.reason = "Document not found [" + route.Env + "]/[_doc]/[" + route.ID + "]"
	}
	return append(f.append(append(dst, '{')), '}')
}

// missingOf returns the name of the index that does not exist or, for other problems, the index of the request.
func missingOf(p *problem.Problem, index string) string {
	if p.Code == problem.UnknownEnvironment && p.Parameter != "" {
		return p.Parameter
	}
	return index
}

// append writes the members of a failed response: the error and its status.
func (f failure) append(dst []byte) []byte {
	dst = append(dst, `"error":`...)
	dst = f.appendError(dst)
	dst = append(dst, `,"status":`...)
	return strconv.AppendInt(dst, int64(StatusOf(f.Problem)), 10)
}

// appendError writes the value of error.
func (f failure) appendError(dst []byte) []byte {
	dst = append(dst, `{"root_cause":[{`...)
	dst = append(f.appendCause(dst), "}],"...)
	if !f.shard {
		return append(f.appendCause(dst), '}')
	}
	dst = append(dst, `"type":"search_phase_execution_exception","reason":"all shards failed","phase":"query","grouped":true,"failed_shards":[{"shard":0,"index":`...)
	dst = append(escape(dst, f.index), `,"node":"contentedge","reason":{`...)
	return append(f.appendCause(dst), "}}]}"...)
}

// appendCause writes the members that say what is wrong. The line is always 1, because a position counts
// the bytes of the whole body.
func (f failure) appendCause(dst []byte) []byte {
	dst = append(escape(append(dst, `"type":`...), f.kind), `,"reason":`...)
	dst = escape(dst, f.reason)
	switch {
	case f.kind == parsing && f.Position >= 0:
		dst = append(dst, `,"line":1,"col":`...)
		dst = strconv.AppendInt(dst, int64(f.Position)+1, 10)
	case f.kind == noIndex:
		dst = escape(append(dst, `,"resource.type":"index_or_alias","resource.id":`...), f.index)
		dst = append(dst, `,"index_uuid":"_na_"`...)
	}
	if f.kind == noIndex || f.kind == shard {
		dst = escape(append(dst, `,"index":`...), f.index)
	}
	return dst
}

// escape writes a text that may hold parts of the request.
func escape(dst []byte, s string) []byte { return envelope.HTMLEscapes.AppendString(dst, s) }
