package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/cluster"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/wire/problem"
)

// spanFor is the response to a request for the least and the greatest value of a field. ok is false for other requests.
func spanFor(r cluster.Request, least, most string) (response string, ok bool) {
	if !strings.Contains(string(r.Body), `"aggs":{"agg000":{"min":`) || !strings.Contains(string(r.Body), `"agg001":{"max":`) {
		return "", false
	}
	return fmt.Sprintf(`{"timed_out":false,"_shards":{"total":1,"successful":1},"hits":{"total":{"value":1,"relation":"eq"},"max_score":null,"hits":[]},"aggregations":{"agg000":{"value":%s},"agg001":{"value":%s}}}`, least, most), true
}

// spans is a Transport with a span of all items, and one of those that a query matches. It fails all other requests.
type spans struct {
	all, found [2]string
	asked      string // a for all, f for found, - for others
}

func (s *spans) Do(_ context.Context, r cluster.Request) ([]byte, func(), error) {
	of, letter := s.all, "a"
	if strings.Contains(string(r.Body), `"match"`) {
		of, letter = s.found, "f"
	}
	response, ok := spanFor(r, of[0], of[1])
	if !ok {
		s.asked += "-"
		return nil, nil, cluster.ErrUnavailable
	}
	s.asked += letter
	return []byte(response), func() {}, nil
}

// TestIntervals refuses histograms whose empty buckets would take the memory of nodes, and asks for few spans.
func TestIntervals(t *testing.T) {
	m, twin, _ := play(t)
	null, narrow, wide := [2]string{"null", "null"}, [2]string{"0.0", "1000.0"}, [2]string{"-1.0E9", "1.0E10"}
	dates := [2]string{"1.4E12", "1.7E12"}
	const few, many, inside = problem.SearchUnavailable, problem.TooManyBuckets, problem.NotAtCluster // few: it was sent
	for _, tt := range []struct {
		aggs       string
		all, found [2]string
		want       string
		asked      string
	}{
		{`{"histogram":{"field":"Data.stock","interval":1}}`, narrow, narrow, few, "a-"},
		{`{"histogram":{"field":"Data.stock","interval":1}}`, null, null, few, "a-"},
		{`{"histogram":{"field":"Data.stock","interval":0.001}}`, narrow, narrow, many, "af"},
		{`{"histogram":{"field":"Data.stock","interval":1}}`, wide, wide, many, "af"},
		{`{"histogram":{"field":"Data.stock","interval":1}}`, wide, narrow, few, "af-"},
		{`{"histogram":{"field":"Data.stock","interval":1}}`, wide, null, few, "af-"},
		{`{"histogram":{"field":"Data.stock","interval":1,"min_doc_count":1}}`, wide, wide, few, "-"},
		{`{"histogram":{"field":"Data.stock","interval":1,"missing":-1e9}}`, narrow, narrow, many, "af"},
		{`{"histogram":{"field":"Data.stock","interval":1,"extended_bounds":{"max":1e9}}}`, narrow, narrow, many, "af"},
		{`{"histogram":{"field":"Data.stock","interval":1,"extended_bounds":{"min":-1e9}}}`, narrow, narrow, many, "af"},
		{`{"histogram":{"field":"Data.stock","interval":1,"hard_bounds":{"min":0,"max":1000}}}`, wide, wide, few, "a-"},
		{`{"histogram":{"field":"Data.stock","interval":1,"hard_bounds":{"min":0}}}`, wide, wide, many, "af"},
		{`{"date_histogram":{"field":"CreatedAt","fixed_interval":"1d"}}`, dates, dates, few, "a-"},
		{`{"date_histogram":{"field":"CreatedAt","calendar_interval":"hour"}}`, dates, dates, many, "af"},
		{`{"date_histogram":{"field":"CreatedAt","fixed_interval":"1ms","format":"yyyy","time_zone":"Europe/Berlin"}}`, dates, dates, many, "af"},
		{`{"date_histogram":{"field":"CreatedAt","calendar_interval":"week"}}`, dates, dates, few, "-"},
		{`{"filter":{"match_all":{}},"aggs":{"h":{"date_histogram":{"field":"CreatedAt","calendar_interval":"hour"}}}}`, dates, dates, few, "a-"},
		{`{"filter":{"match_all":{}},"aggs":{"h":{"date_histogram":{"field":"CreatedAt","calendar_interval":"minute"}}}}`, dates, dates, inside, "af"},
		{`{"global":{},"aggs":{"h":{"histogram":{"field":"Data.stock","interval":1}}}}`, wide, narrow, inside, "a"},
		{`{"terms":{"field":"Name.keyword"}}`, wide, wide, few, "-"},
	} {
		s := &spans{all: tt.all, found: tt.found}
		x := cluster.New(m.Environments[0], twin, "site-1", 1, s)
		body := bodyOf(t, `{"size":0,"query":{"match":{"Name":"a"}},"aggs":{"x":`+tt.aggs+`}}`)
		_, err := x.Search(within(t.Context()), body, false)
		code := problem.SearchUnavailable
		if refused, ok := errors.AsType[*query.Error](err); ok {
			code = refused.Code
		}
		if code != tt.want || s.asked != tt.asked || err == nil {
			t.Errorf("%s of %v and %v: %v, asked %s\nwant %s, asked %s", tt.aggs, tt.all, tt.found, err, s.asked, tt.want, tt.asked)
		}
		s.asked = "" // the span of all items is remembered
		if _, err = x.Search(within(t.Context()), body, false); s.asked != strings.TrimPrefix(tt.asked, "a") {
			t.Errorf("%s again: %v, asked %s", tt.aggs, err, s.asked)
		}
	}
}
