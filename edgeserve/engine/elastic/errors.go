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
)

// types are Elasticsearch's types of errors, by our codes.
var types = map[string]string{
	codeInvalid:    "action_request_validation_exception",
	codeConflict:   "version_conflict_engine_exception",
	query.CodeJSON: "json_parse_exception",
	query.CodeBody: parsing, query.CodeUnknownQuery: parsing, query.CodeUnknownOption: parsing, query.CodeAggregation: parsing, query.CodeSuggest: illegal,
	query.CodeSource: parsing, query.CodeTooDeep: parsing,
	query.CodeQuery:       unparsed,
	query.CodeQueryString: shard, "bad_value": shard, "bad_regexp": shard, query.CodeSort: unparsed, query.CodeTooManyClauses: "too_many_clauses",
	"too_many_buckets": "too_many_buckets_exception",
	"too_costly":       rejected, "overloaded": rejected, "timeout": rejected, "not_ready": rejected, "unreadable": rejected,
	"unknown_environment": noIndex, "unknown_item": notFound, "unknown_route": notFound, "method_not_allowed": "method_not_allowed_exception",
	"body_too_large": "too_long_frame_exception", "content_encoding": "media_type_header_exception", "internal": "exception",
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

// evaluated are the types of errors that a search finds, in place of those of the parser.
var evaluated = map[string]string{
	query.CodeQuery: shard, query.CodeAggregation: illegal, query.CodeBody: illegal, query.CodeCollapse: illegal, query.CodeHighlight: illegal,
	query.CodeRescore: illegal, query.CodeSearchAfter: illegal, query.CodeSuggest: illegal, query.CodeFrom: illegal, query.CodeSize: illegal, query.CodeSort: shard,
}

// inShard are the types of errors that Elasticsearch finds in its shards.
var inShard = map[string]bool{shard: true, "too_many_clauses": true, "too_many_buckets_exception": true}

// byMember are the members of bodies whose unknown options have another type.
var byMember = []string{"aggs", "aggregations", "sort", "collapse", "highlight"}

// asEvaluated marks an error that a search found.
func asEvaluated(err error) error {
	e, ok := errors.AsType[*query.Error](err)
	if !ok || types[e.Code] == rejected {
		return err
	}
	marked := *e
	marked.Evaluated = true
	return &marked
}

// namesOfPath are the names and the numbers of a member's path.
func namesOfPath(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(".[]", r) })
}

// typeOfAggregation is the type of an error in an aggregation: of its own, or of the value of an option, which
// stands below the name and the type of the aggregation.
func typeOfAggregation(path string) string {
	names := namesOfPath(path)
	slices.Reverse(names)
	if at := slices.IndexFunc(names, func(name string) bool { return name == "aggs" || name == "aggregations" }); at > 2 {
		return unparsed
	}
	return parsing
}

// typeOfOption is the type of an option that is unknown.
func typeOfOption(path string) string {
	names := namesOfPath(path)
	if len(names) > 1 && (slices.Contains(byMember, names[0]) || names[len(names)-2] == "bool") {
		return unparsed
	}
	return parsing
}

// tooManyRequests is the status of a search that costs too much, conflict that of a version which no document
// has.
const tooManyRequests, conflict = 429, 409

// codeConflict is the code of such a version.
const codeConflict = "version_conflict"

// StatusOf is the status of a problem on these endpoints.
func StatusOf(p *envelope.Error) int {
	switch p.Code {
	case "too_costly":
		return tooManyRequests
	case codeConflict:
		return conflict
	}
	return p.Status
}

// failure is a problem with the index that it belongs to.
type failure struct {
	*envelope.Error
	kind, reason, index string
	shard               bool // it is found in a shard
}

func failureOf(p *envelope.Error, index string) failure {
	f := failure{Error: p, kind: types[p.Code], reason: p.Message, index: index}
	if kind := evaluated[p.Code]; kind != "" && p.Evaluated {
		f.kind, f.shard = kind, true
	}
	f.shard = f.shard || inShard[f.kind]
	switch {
	case p.Code == query.CodeAggregation && !p.Evaluated:
		f.kind = typeOfAggregation(p.Parameter)
	case p.Code == query.CodeUnknownOption:
		f.kind = typeOfOption(p.Parameter)
	case f.kind == noIndex:
		f.reason = "no such index [" + index + "]"
	case f.kind == "":
		f.kind = illegal
	}
	return f
}

// AppendError writes the body of a problem. The route is that of its request, as far as it is
// known.
func AppendError(dst []byte, p *envelope.Error, route address.Route) []byte {
	if p.Code == "unknown_item" && route.Kind == address.ElasticDoc {
		return appendMissing(dst, route.Env, route.ID, `"found":false`)
	}
	if p.Code == "unknown_item" && route.Kind == address.ElasticExplain {
		return appendMissing(dst, route.Env, route.ID, `"matched":false`)
	}
	f := failureOf(p, missingOf(p, route.Env))
	f.shard = f.shard && route.Kind != address.ElasticExplain // it asks one shard alone
	if p.Code == "unknown_item" {
		f.reason = "Document not found [" + route.Env + "]/[_doc]/[" + route.ID + "]"
	}
	return append(f.append(append(dst, '{')), '}')
}

// missingOf is the index that does not exist, of several names, else the index of a request.
func missingOf(p *envelope.Error, index string) string {
	if p.Code == "unknown_environment" && p.Parameter != "" {
		return p.Parameter
	}
	return index
}

// append writes the members of a failed response: the error and its status.
func (f failure) append(dst []byte) []byte {
	dst = append(dst, `"error":`...)
	dst = f.appendError(dst)
	dst = append(dst, `,"status":`...)
	return strconv.AppendInt(dst, int64(StatusOf(f.Error)), 10)
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

// appendCause writes the members that say what is wrong. The line is always the first: a
// position counts bytes.
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

// escape writes a text that may repeat parts of the request.
func escape(dst []byte, s string) []byte { return envelope.HTMLEscapes.AppendString(dst, s) }
