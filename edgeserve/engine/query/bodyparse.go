// This file parses a search body: the table of its members.

package query

import (
	"slices"
	"strings"

	"contentedge/edgeserve/wire/problem"
)

// bodyMember says how to parse a member of a body. A refused member says what to use instead.
type bodyMember struct {
	name    string
	code    string // of errors in its value
	parse   func(p *bodyParser, b *Body, m *value)
	refused string
}

// bodyMembers are the members of a body, in the order in which errors list them. init fills it,
// because the parsers refer to it.
var bodyMembers []bodyMember

func init() {
	bodyMembers = []bodyMember{
		{name: "from", code: problem.BadFrom, parse: (*bodyParser).fromMember},
		{name: "size", code: problem.BadSize, parse: (*bodyParser).sizeMember},
		{name: "query", code: problem.BadQuery, parse: (*bodyParser).queryMember},
		{name: "sort", code: problem.BadSort, parse: (*bodyParser).sortMember},
		{name: "track_scores", code: problem.BadBody, parse: (*bodyParser).trackScores},
		{name: "search_after", code: problem.BadSearchAfter, parse: (*bodyParser).searchAfter},
		{name: "post_filter", code: problem.BadQuery, parse: (*bodyParser).postFilter},
		{name: "min_score", code: problem.BadBody, parse: (*bodyParser).minScore},
		{name: "collapse", code: problem.BadCollapse, parse: (*bodyParser).collapse},
		{name: "rescore", code: problem.BadRescore, parse: (*bodyParser).rescores},
		{name: "aggs", code: problem.BadAggregation, parse: (*bodyParser).aggsMember},
		{name: "aggregations", code: problem.BadAggregation, parse: (*bodyParser).aggsMember},
		{name: "_source", code: problem.BadSource, parse: (*bodyParser).sourceMember},
		{name: "fields", code: problem.BadBody, parse: (*bodyParser).fieldsMember},
		{name: "docvalue_fields", code: problem.BadBody, parse: (*bodyParser).docvalueFields},
		{name: "stored_fields", code: problem.BadBody, parse: (*bodyParser).storedFields},
		{name: "script_fields", code: problem.BadBody, refused: "there are no scripts: use fields or _source"},
		{name: "runtime_mappings", code: problem.BadBody, refused: "there are no scripts: use a path or a sub-field of one"},
		{name: "explain", code: problem.BadBody, parse: (*bodyParser).explain},
		{name: "version", code: problem.BadBody, parse: (*bodyParser).version},
		{name: "seq_no_primary_term", code: problem.BadBody, parse: (*bodyParser).seqNo},
		{name: "track_total_hits", code: problem.BadTrackTotalHits, parse: (*bodyParser).totalHits},
		{name: "highlight", code: problem.BadHighlight, parse: (*bodyParser).highlightMember},
		{name: "suggest", code: problem.BadSuggest, parse: (*bodyParser).suggestMember},
		{name: "terminate_after", code: problem.BadBody, parse: (*bodyParser).terminateAfter},
		{name: "timeout", code: problem.BadBody, parse: (*bodyParser).timeout},
		{name: "profile", code: problem.BadBody, parse: (*bodyParser).profile},
		{name: "stats", code: problem.BadBody, parse: (*bodyParser).stats},
		{name: "ext", code: problem.BadBody, parse: (*bodyParser).empty},
		{name: "indices_boost", code: problem.BadBody, parse: (*bodyParser).empty},
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

func (member *bodyMember) read(p *bodyParser, b *Body, m *value) {
	if member.refused != "" {
		p.fail(m, problem.BadBody, "%s is not supported: %s", m.name, member.refused)
		return
	}
	member.parse(p, b, m)
}

// memberNames lists the members that are not refused.
func memberNames() string {
	var names []string
	for i := range bodyMembers {
		if bodyMembers[i].refused == "" {
			names = append(names, bodyMembers[i].name)
		}
	}
	return strings.Join(names, ", ")
}

// Parse parses a search body; blank or null is the first page of every item. Errors are *Error.
func Parse(raw []byte) (*Body, error) {
	b, err := ParsePart(raw)
	if err != nil {
		return nil, err
	}
	if err := b.CheckWindow(); err != nil {
		return nil, err
	}
	return b, nil
}

// ParsePart parses a body that URL parameters may complete. URI.Complete then checks the window.
func ParsePart(raw []byte) (*Body, error) {
	b, p := &Body{Size: DefaultSize}, new(bodyParser)
	if p.err = readJSON(string(raw), &p.root); p.err == nil {
		p.body(b)
	}
	if p.err != nil {
		return nil, p.err
	}
	b.Names = p.names
	return b, nil
}

func (p *bodyParser) body(b *Body) {
	switch p.root.kind {
	case kindObject:
	case kindNull:
		return
	default:
		p.fail(&p.root, problem.BadBody, "a search body must be a JSON object, not %s", kindNames[p.root.kind])
		return
	}
	for i := range p.root.items {
		if p.err != nil {
			return
		}
		m := &p.root.items[i]
		b.Beyond = b.Beyond || m.name != "query"
		if member := findMember(m.name); member != nil {
			member.read(p, b, m)
		} else {
			p.fail(m, problem.BadBody, "unknown member %q of the body; known members: %s", clip(m.name), memberNames())
		}
	}
	p.finish(b, &p.root)
	if b.NoID && b.Fields != nil { // hits of buckets may have both
		p.fail(p.root.member("stored_fields"), problem.BadBody, "stored_fields cannot be %s beside fields", noStored)
	}
	if m := p.root.member("aggregations"); m != nil && p.root.member("aggs") != nil {
		p.fail(m, problem.BadAggregation, "aggs and aggregations are the same member: give one of them")
	}
}

func (p *bodyParser) queryMember(b *Body, m *value) {
	p.named = false
	b.Query = p.query(m)
	b.Hits = b.Hits || p.named
}

func (p *bodyParser) aggsMember(b *Body, m *value) {
	b.Aggs = append(b.Aggs, p.aggregations(m)...)
	p.checkPipelines(m, b.Aggs, nil)
}
