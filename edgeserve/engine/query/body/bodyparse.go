// Package body parses search bodies and URL parameters into the tree of package query. It knows neither an index nor
// the types of fields. It enforces all limits that depend only on the body, so trees have a bounded size and depth.
//
//	bodyparse.go   the members of a body: body_*.go
//	query_types.go the query types: a file for each family, such as match.go
//	agg_types.go   the aggregation types: agg_*.go
//	table.go       the tables of options, which all files use
//	uri.go         URL parameters
//	saved.go       saved searches
//
// TestBody shows bodies and the trees that they become.
package body

import (
	"slices"
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

// bodyMember says how to parse a member of a body. refused says what to use instead of a member that is not supported.
type bodyMember struct {
	name    string
	code    string // the code of errors in its value
	parse   func(p *parser, b *query.Body, m *strictjson.Value)
	refused string
}

// bodyMembers are the members of a body, in the order in which errors list them. init fills the
// list, because the parsers refer to it.
var bodyMembers []bodyMember

func init() {
	bodyMembers = []bodyMember{
		{name: "from", code: problem.BadFrom, parse: parseFromMember},
		{name: "size", code: problem.BadSize, parse: parseSizeMember},
		{name: "query", code: problem.BadQuery, parse: parseQueryMember},
		{name: "sort", code: problem.BadSort, parse: parseSortMember},
		{name: "track_scores", code: problem.BadBody, parse: parseTrackScores},
		{name: "search_after", code: problem.BadSearchAfter, parse: parseSearchAfter},
		{name: "post_filter", code: problem.BadQuery, parse: parsePostFilter},
		{name: "min_score", code: problem.BadBody, parse: parseMinScore},
		{name: "collapse", code: problem.BadCollapse, parse: parseCollapse},
		{name: "rescore", code: problem.BadRescore, parse: parseRescores},
		{name: "aggs", code: problem.BadAggregation, parse: parseAggsMember},
		{name: "aggregations", code: problem.BadAggregation, parse: parseAggsMember},
		{name: "_source", code: problem.BadSource, parse: parseSourceMember},
		{name: "fields", code: problem.BadBody, parse: parseFieldsMember},
		{name: "docvalue_fields", code: problem.BadBody, parse: parseDocvalueFields},
		{name: "stored_fields", code: problem.BadBody, parse: parseStoredFields},
		{name: "script_fields", code: problem.BadBody, refused: "scripts are not supported: use fields or _source"},
		{name: "runtime_mappings", code: problem.BadBody, refused: "scripts are not supported: use a path or its sub-field"},
		{name: "explain", code: problem.BadBody, parse: parseExplain},
		{name: "version", code: problem.BadBody, parse: parseVersion},
		{name: "seq_no_primary_term", code: problem.BadBody, parse: parseSeqNo},
		{name: "track_total_hits", code: problem.BadTrackTotalHits, parse: parseTotalHits},
		{name: "highlight", code: problem.BadHighlight, parse: parseHighlightMember},
		{name: "suggest", code: problem.BadSuggest, parse: parseSuggestMember},
		{name: "terminate_after", code: problem.BadBody, parse: parseTerminateAfter},
		{name: "timeout", code: problem.BadBody, parse: parseTimeout},
		{name: "profile", code: problem.BadBody, parse: parseProfile},
		{name: "stats", code: problem.BadBody, parse: parseStats},
		{name: "ext", code: problem.BadBody, parse: parseEmpty},
		{name: "indices_boost", code: problem.BadBody, parse: parseEmpty},
		{name: "slice", code: problem.BadBody, refused: "a search has one slice: use search_after for long results"},
		{name: "pit", code: problem.BadBody, refused: "a release does not change: use search_after without it"},
	}
}

func findMember(name string) *bodyMember {
	i := slices.IndexFunc(bodyMembers, func(m bodyMember) bool { return m.name == name })
	if i < 0 {
		return nil
	}
	return &bodyMembers[i]
}

func (member *bodyMember) read(p *parser, b *query.Body, m *strictjson.Value) {
	if member.refused != "" {
		p.fail(m, problem.BadBody, "%s is not supported: %s", m.Name, member.refused)
		return
	}
	member.parse(p, b, m)
}

// Parse parses a search body. A blank body, or null, asks for the first page of all items. Errors are *query.Error.
func Parse(raw []byte) (*query.Body, error) {
	b, err := ParsePart(raw)
	if err != nil {
		return nil, err
	}
	if err := b.Window.Check(); err != nil {
		return nil, err
	}
	return b, nil
}

// ParsePart parses a body that URL parameters may complete. It does not check the window: URI.Complete does.
func ParsePart(raw []byte) (*query.Body, error) {
	b, p := &query.Body{Window: query.Window{Size: query.DefaultSize}}, new(parser)
	if p.err = readJSON(string(raw), &p.root); p.err == nil {
		parseBody(p, b)
	}
	if p.err != nil {
		return nil, p.err
	}
	b.Names = p.names
	return b, nil
}

func parseBody(p *parser, b *query.Body) {
	switch p.root.Kind {
	case strictjson.Object:
	case strictjson.Null:
		return
	default:
		p.fail(&p.root, problem.BadBody, "a search body must be a JSON object, not %s", p.root.Kind)
		return
	}
	for i := range p.root.Items {
		if p.err != nil {
			return
		}
		m := &p.root.Items[i]
		b.HasOtherMembers = b.HasOtherMembers || m.Name != "query"
		if member := findMember(m.Name); member != nil {
			member.read(p, b, m)
		} else {
			p.fail(m, problem.BadBody, "unknown member %q of the body; known members: %s", strictjson.Clip(m.Name), strings.Join(Members(), ", "))
		}
	}
	finish(p, b, p.root.Member("stored_fields"))
	if b.Show.NoID && b.Show.Fields != nil { // finish does not check this, because top_hits may have both
		p.fail(p.root.Member("stored_fields"), problem.BadBody, "stored_fields cannot be %s with fields", noStored)
	}
	if m := p.root.Member("aggregations"); m != nil && p.root.Member("aggs") != nil {
		p.fail(m, problem.BadAggregation, "aggs and aggregations are the same member: give only one")
	}
}

func parseQueryMember(p *parser, b *query.Body, m *strictjson.Value) {
	p.named = false
	b.Query = parseQuery(p, m)
	b.Show.AsHits = b.Show.AsHits || p.named
}

func parseAggsMember(p *parser, b *query.Body, m *strictjson.Value) {
	b.Aggs = parseAggregations(p, m)
	p.checkPipelines(m, b.Aggs, nil)
}
