// This file parses members of a body that do not change its matches: hints, and the form of totals.

package query

import (
	"math"
	"regexp"
	"strings"
)

// AllHits is a limit of totals that is not reached.
const AllHits = math.MaxInt32

// totalHits parses track_total_hits: whether, or how far, the total of Elasticsearch's own form is
// told. totalItems is always exact.
func (p *bodyParser) totalHits(b *Body, v *value) {
	b.HasTotalHits = true
	switch {
	case v.text == "true" && v.kind != kindNumber:
		b.TotalHits = AllHits
	case v.text == "false" && v.kind != kindNumber:
		b.TotalHits = -1
	default:
		b.TotalHits = p.integer(v, -1)
	}
}

// durations are numbers with a unit, as Elasticsearch writes them.
var durations = regexp.MustCompile(`^([0-9]+(\.[0-9]+)?(nanos|micros|ms|s|m|h|d)|-1|0)$`)

// Duration reports whether a text is a time value of Elasticsearch.
func Duration(text string) bool { return durations.MatchString(strings.ToLower(text)) }

// timeout has no effect: the server has one of its own.
func (p *bodyParser) timeout(_ *Body, m *value) {
	if m.kind != kindString && m.kind != kindNumber || !Duration(m.text) {
		p.wrongValue(m, "a time such as 500ms or 2s")
	}
}

func (p *bodyParser) terminateAfter(b *Body, m *value) { b.TerminateAfter = p.integer(m, 0) }

func (p *bodyParser) profile(b *Body, m *value) { b.Profile = p.bool(m) }

// stats has no effect: there are no groups of statistics.
func (p *bodyParser) stats(_ *Body, m *value) {
	if m.kind != kindArray {
		p.wrongValue(m, "an array of names")
		return
	}
	p.texts(m, maxFields)
}

// empty accepts a member without content.
func (p *bodyParser) empty(_ *Body, m *value) {
	if m.kind != kindArray && m.kind != kindObject || len(m.items) > 0 {
		p.wrongValue(m, "empty: leave it out")
	}
}

// SetMember sets a member of b from a parameter, as text or as a list of texts.
func (b *Body) SetMember(name, text string, list bool) error {
	root := value{kind: kindObject, items: []value{{kind: kindString, pos: 1, name: name, text: text}}}
	if list {
		v := &root.items[0]
		v.kind = kindArray
		for i, part := range splitList(text) {
			v.items = append(v.items, value{kind: kindString, pos: int32(i + 2), text: part})
		}
	}
	p := &bodyParser{root: root}
	findMember(name).read(p, b, &p.root.items[0])
	p.finish(b, &p.root)
	if p.err != nil {
		return p.err
	}
	return nil
}
