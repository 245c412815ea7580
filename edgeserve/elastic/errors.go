// This file writes errors as Elasticsearch does.

package elastic

import (
	"strconv"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/envelope"
	"contentedge/edgeserve/query"
)

// types are Elasticsearch's types of errors, by our codes.
var types = map[string]string{
	codeInvalid:    "action_request_validation_exception",
	query.CodeJSON: "json_parse_exception",
	query.CodeBody: parsing, query.CodeUnknownQuery: parsing, query.CodeUnknownOption: parsing, query.CodeAggregation: parsing, query.CodeSuggest: illegal,
	query.CodeSource: parsing, query.CodeTooDeep: parsing,
	query.CodeQuery:       "x_content_parse_exception",
	query.CodeQueryString: shard, "bad_value": shard, "bad_regexp": shard, query.CodeSort: shard, query.CodeTooManyClauses: "too_many_clauses",
	"too_many_buckets": "too_many_buckets_exception",
	"too_costly":       rejected, "overloaded": rejected, "timeout": rejected, "not_ready": rejected, "unreadable": rejected,
	"unknown_environment": noIndex, "unknown_item": notFound, "unknown_route": notFound, "method_not_allowed": "method_not_allowed_exception",
	"body_too_large": "too_long_frame_exception", "content_encoding": "media_type_header_exception", "internal": "exception",
}

const (
	parsing  = "parsing_exception"
	shard    = "query_shard_exception"
	rejected = "es_rejected_execution_exception"
	noIndex  = "index_not_found_exception"
	notFound = "resource_not_found_exception"
	illegal  = "illegal_argument_exception"
)

// inShard are the types of errors that Elasticsearch finds in its shards.
var inShard = map[string]bool{shard: true, "too_many_clauses": true, "too_many_buckets_exception": true}

// tooManyRequests is the status of a search that costs too much.
const tooManyRequests = 429

// StatusOf is the status of a problem on these endpoints.
func StatusOf(p *envelope.Error) int {
	if p.Code == "too_costly" {
		return tooManyRequests
	}
	return p.Status
}

// failure is a problem with the index that it belongs to.
type failure struct {
	*envelope.Error
	kind, reason, index string
}

func failureOf(p *envelope.Error, index string) failure {
	f := failure{p, types[p.Code], p.Message, index}
	switch {
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
	if !inShard[f.kind] {
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
