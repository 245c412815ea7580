// This file says why an address of Elasticsearch's API has no endpoint here, and what to use instead.

package elastic

import (
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
)

const (
	noScroll = "it keeps no state between requests; page with [search_after], or with [from] and [size]"
	readOnly = "this node is read-only: content changes with a release"
	noState  = "this node is not a cluster; it answers [/], and [INDEX], [_mapping] and [_field_caps] describe an index"
)

// unknown maps the beginning of an API path to the reason why it is not an endpoint. A beginning ends before a slash,
// or with the path.
var unknown = []struct{ names, reason string }{
	{"_search/scroll _scroll", "this node does not scroll: " + noScroll},
	{"_pit _search/point_in_time", "this node has no points in time: a release is one, which a search names in the header X-Release"},
	{"_search/template _msearch/template _render _scripts", "this node runs no templates and no scripts: send the body itself"},
	{"_search _count _field_caps _validate _analyze _mapping _doc _source", "this node searches one index at a time: name it in the path"},
	{"_bulk _create _update _delete_by_query _update_by_query _reindex _refresh _flush _forcemerge", readOnly},
	{"_cat _cluster _nodes _stats _tasks _aliases _alias _settings _all _resolve _search_shards _segments", noState},
}

// AppendUnknown writes the body of a problem whose path is not an endpoint.
func AppendUnknown(dst []byte, p *problem.Problem, path string) []byte {
	f := failureOf(p, "")
	if p.Code == problem.UnknownRoute {
		path = strings.TrimPrefix(path, address.ElasticNode)
		f.reason = "no handler found for uri [" + path + "]" + why(path)
	}
	return append(f.append(append(dst, '{')), '}')
}

// why returns the reason why a path is not an endpoint, or "" if the reason is unknown.
func why(path string) string {
	at := strings.Index(path, "/_")
	if at < 0 {
		return ""
	}
	if at > 0 && strings.HasSuffix(path, "/") && !strings.ContainsAny(path[:at], ",*") {
		return ": an address does not end with a slash"
	}
	for _, u := range unknown {
		for name := range strings.FieldsSeq(u.names) {
			if rest, ok := strings.CutPrefix(path[at+1:], name); ok && (rest == "" || rest[0] == '/') {
				return ": " + u.reason
			}
		}
	}
	return ""
}
