// This file tests pages and counts of composite aggregations, and bounds of histograms of dates.

package search_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
)

// aggregation evaluates one aggregation over all items.
func aggregation(t *testing.T, r *snapshot.Reader, agg string) (string, error) {
	t.Helper()
	result, err := searchtest.Aggregations(t, r, `{"size":0,"aggs":{"a":`+agg+`}}`)
	return strings.TrimSuffix(strings.TrimPrefix(result, `{"a":`), "}"), err
}

// numbered are items with the values as Data.d.
func numbered(values ...string) (items []string) {
	for i, v := range values {
		items = append(items, fmt.Sprintf(`{"ContentID":"C%03d","Data":{"d":%s}}`, i, v))
	}
	return items
}

// keysOf are the keys of buckets with their counts.
func keysOf(t *testing.T, result string) string {
	t.Helper()
	var out struct {
		Buckets []struct {
			Key   any
			Count int `json:"doc_count"`
		}
	}
	d := json.NewDecoder(strings.NewReader(result))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		t.Fatalf("%s: %v", result, err)
	}
	var keys []string
	for _, b := range out.Buckets {
		if m, ok := b.Key.(map[string]any); ok {
			b.Key = m["k"]
		}
		keys = append(keys, fmt.Sprintf("%v:%d", b.Key, b.Count))
	}
	return strings.Join(keys, " ")
}

// A JSON number after which a page begins is milliseconds, whatever the zone and the format; so is a
// string of a number without a format. Elasticsearch's values.
func TestCompositeAfterDates(t *testing.T) {
	r := searchtest.Snaptest(t, numbered(`"2024-01-01T00:30:00Z"`, `"2024-01-02T05:00:00Z"`, `"1969-12-30T00:00:00Z"`, `"1969-12-31T00:00:00Z"`, `"1970-01-01T00:00:02Z"`, `"2024-03-31T12:00:00Z"`))
	for _, c := range []struct{ source, after, want string }{
		{`"date_histogram":{"field":"Data.d","calendar_interval":"day"}`, `-86400000`, "0:1 1704067200000:1"},
		{`"date_histogram":{"field":"Data.d","calendar_interval":"day"}`, `"-86400000"`, "0:1 1704067200000:1"},
		{`"date_histogram":{"field":"Data.d","calendar_interval":"day"}`, `-2e3`, "0:1 1704067200000:1"},
		{`"date_histogram":{"field":"Data.d","calendar_interval":"day"}`, `2024`, "1704067200000:1 1704153600000:1"},
		{`"date_histogram":{"field":"Data.d","calendar_interval":"day"}`, `"2024"`, "1704067200000:1 1704153600000:1"},
		{`"date_histogram":{"field":"Data.d","calendar_interval":"day"}`, `1704067200000.7`, "1704153600000:1 1711843200000:1"},
		{`"date_histogram":{"field":"Data.d","calendar_interval":"day"}`, `99999999999999999999`, ""},
		{`"date_histogram":{"field":"Data.d","calendar_interval":"day","time_zone":"-03:30"}`, `1704079800000`, "1704166200000:1 1711855800000:1"},
		{`"date_histogram":{"field":"Data.d","calendar_interval":"day","time_zone":"Europe/Berlin"}`, `1704063600000`, "1704150000000:1 1711839600000:1"},
		{`"date_histogram":{"field":"Data.d","calendar_interval":"day","time_zone":"Europe/Berlin","format":"yyyy-MM-dd"}`, `"2024-01-01"`, "2024-01-02:1 2024-03-31:1"},
		{`"date_histogram":{"field":"Data.d","calendar_interval":"day","format":"epoch_second"}`, `"1704067200"`, "1704153600:1 1711843200:1"},
		{`"date_histogram":{"field":"Data.d","calendar_interval":"day","format":"yyyy-MM-dd||epoch_millis"}`, `"-86400000"`, "1970-01-01:1 2024-01-01:1"},
		{`"date_histogram":{"field":"Data.d","calendar_interval":"day","format":"yyyy-MM-dd"}`, `1704067200000`, "2024-01-02:1 2024-03-31:1"},
		{`"terms":{"field":"Data.d"}`, `-86400000`, "2000:1 1704069000000:1"},
		{`"terms":{"field":"Data.d","order":"desc"}`, `2000`, "-86400000:1 -172800000:1"},
	} {
		got, err := aggregation(t, r, `{"composite":{"size":2,"sources":[{"k":{`+c.source+`}}],"after":{"k":`+c.after+`}}}`)
		if err != nil {
			t.Errorf("%s after %s: %v", c.source, c.after, err)
		} else if keys := keysOf(t, got); keys != c.want {
			t.Errorf("%s after %s: %s, want %s", c.source, c.after, keys, c.want)
		}
	}
}

// A walk by after_key, a number without a format, sees each bucket once.
func TestCompositeWalksDates(t *testing.T) {
	var values []string
	for day := 1; day < 29; day++ {
		values = append(values, fmt.Sprintf(`"1969-12-%02dT03:00:00Z"`, day), fmt.Sprintf(`"2024-10-%02dT12:30:00Z"`, day))
	}
	r := searchtest.Snaptest(t, numbered(values...))
	for _, options := range []string{"", `,"time_zone":"Europe/London"`, `,"time_zone":"America/New_York"`, `,"time_zone":"+05:30","format":"yyyy-MM-dd"`, `,"format":"epoch_millis"`, `,"format":"epoch_second","time_zone":"Africa/Cairo"`, `,"order":"desc"`} {
		after, buckets := "", 0
		for range 100 {
			got, err := aggregation(t, r, `{"composite":{"size":5,"sources":[{"k":{"date_histogram":{"field":"Data.d","calendar_interval":"day"`+options+`}}}]`+after+`}}`)
			if err != nil {
				t.Fatal(err)
			}
			keys := keysOf(t, got)
			if keys == "" {
				break
			}
			buckets += strings.Count(keys, " ") + 1
			end := strings.Index(got, `,"buckets"`)
			after = `,"after":` + strings.TrimPrefix(got[:end], `{"after_key":`)
		}
		if buckets != len(values) {
			t.Errorf("%s: %d buckets, want %d", options, buckets, len(values))
		}
	}
}

// Numbers among bounds are milliseconds; one with a fraction is refused, as by Elasticsearch.
func TestDateBoundsInMilliseconds(t *testing.T) {
	r := searchtest.Snaptest(t, numbered(`"2024-01-01T00:30:00Z"`, `"2024-01-02T05:00:00Z"`, `"1969-12-31T00:00:00Z"`))
	for _, c := range []struct{ options, want string }{
		{`"hard_bounds":{"min":1703894400000,"max":1704240000000}`, "1704067200000:1 1704153600000:1"},
		{`"hard_bounds":{"min":1703894400000,"max":1704240000000},"time_zone":"-03:30"`, "1703993400000:1"},
		{`"hard_bounds":{"min":1703894400000,"max":1704240000000},"format":"yyyy-MM-dd"`, "1704067200000:1 1704153600000:1"},
		{`"hard_bounds":{"min":1703894400000,"max":1704240000000},"format":"epoch_second"`, "1704067200000:1 1704153600000:1"},
		{`"hard_bounds":{"min":-86400000,"max":2024}`, "-86400000:1"},
		{`"hard_bounds":{"min":1e12,"max":"2024-01-02"}`, "1704067200000:1"},
		{`"hard_bounds":{"min":1703894400000.5}`, "not a value of field"},
		{`"hard_bounds":{"min":1703894400000},"extended_bounds":{"min":1703894400000,"max":1703980800000},"format":"yyyy-MM-dd"`, "1703894400000:0 1703980800000:0 1704067200000:1 1704153600000:1"},
	} {
		got, err := aggregation(t, r, `{"date_histogram":{"field":"Data.d","calendar_interval":"day",`+c.options+`}}`)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", c.options, err)
			}
		} else if keys := keysOf(t, got); keys != c.want {
			t.Errorf("%s: %s, want %s", c.options, keys, c.want)
		}
	}
}

// In the hour that is repeated a clock without an offset shows offset 0 where that is one of both,
// wherever dates are read in a zone.
func TestRepeatedHour(t *testing.T) {
	r := searchtest.Snaptest(t, numbered(`"2024-10-27T00:30:00Z"`, `"2024-10-27T01:30:00Z"`, `"2024-10-27T02:30:00Z"`))
	for text, want := range map[string]int{
		`{"query":{"range":{"Data.d":{"gte":"2024-10-27T01:00:00","time_zone":"Europe/London"}}}}`:                                                                             2,
		`{"query":{"range":{"Data.d":{"gte":"27/10/2024 01","format":"dd/MM/yyyy HH","time_zone":"Europe/Lisbon"}}}}`:                                                          2,
		`{"query":{"range":{"Data.d":{"gte":"2024-10-27T02:00:00","time_zone":"Europe/Berlin"}}}}`:                                                                             3,
		`{"query":{"query_string":{"query":"Data.d:>=2024-10-27T01\\:00\\:00","time_zone":"Europe/Dublin"}}}`:                                                                  2,
		`{"query":{"query_string":{"query":"Data.d:[2024-10-27T01 TO *]","time_zone":"Atlantic/Canary"}}}`:                                                                     2,
		`{"aggs":{"a":{"date_range":{"field":"Data.d","time_zone":"Europe/London","ranges":[{"from":"2024-10-27T01:00:00"}]}}}}`:                                               2,
		`{"aggs":{"a":{"date_histogram":{"field":"Data.d","fixed_interval":"1h","hard_bounds":{"min":"2024-10-27T01:00:00"},"time_zone":"Europe/London","min_doc_count":1}}}}`: 2,
	} {
		b, err := body.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		res, err := search.Eval(t.Context(), r, b)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got := res.Total
		if b.Aggs != nil {
			got = 0
			for _, bucket := range strings.Split(string(res.Aggregations), `"doc_count":`)[1:] {
				got += int(bucket[0] - '0')
			}
		}
		if got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

// Formats write all digits of integers, where keys are values.
func TestFormatsKeepDigits(t *testing.T) {
	r := searchtest.Snaptest(t, numbered(`12345678901234567`, `-9007199254740993`, `9223372036854775807`))
	for agg, want := range map[string]string{
		`{"terms":{"field":"Data.d","format":"0","order":{"_key":"asc"}}}`: `"key_as_string":"-9007199254740993" "key_as_string":"12345678901234567" "key_as_string":"9223372036854775807"`,
		`{"rare_terms":{"field":"Data.d"}}`:                                `"key":-9007199254740993 "key":12345678901234567 "key":9223372036854775807`,
	} {
		got, err := aggregation(t, r, agg)
		if err != nil {
			t.Fatal(err)
		}
		for part := range strings.SplitSeq(want, " ") {
			if !strings.Contains(got, part) {
				t.Errorf("%s: %s, want %s", agg, got, part)
			}
		}
	}
}

// Numbers that bound ranges of dates are milliseconds, strings are dates.
func TestRangesOfDates(t *testing.T) {
	r := searchtest.Snaptest(t, numbered(`"2024-03-01T08:00:00Z"`, `"2024-01-01T00:00:00Z"`, `"1970-01-01T00:00:00Z"`))
	for options, want := range map[string]string{
		`"ranges":[{"from":1704067200000}]`:                         `{"buckets":[{"key":"2024-01-01T00:00:00.000Z-*","from":1.7040672E12,"from_as_string":"2024-01-01T00:00:00.000Z","doc_count":2}]}`,
		`"ranges":[{"from":0,"to":1e12}],"format":"yyyy-MM-dd"`:     `{"buckets":[{"key":"1970-01-01-2001-09-09","from":0.0,"from_as_string":"1970-01-01","to":1.0E12,"to_as_string":"2001-09-09","doc_count":1}]}`,
		`"ranges":[{"from":-1.5,"to":1.5}],"format":"epoch_millis"`: `{"buckets":[{"key":"-1-1","from":-1.5,"from_as_string":"-1","to":1.5,"to_as_string":"1","doc_count":1}]}`,
		`"ranges":[{"from":"2024"}],"keyed":true`:                   `{"buckets":{"2024-01-01T00:00:00.000Z-*":{"from":1.7040672E12,"from_as_string":"2024-01-01T00:00:00.000Z","doc_count":2}}}`,
		`"ranges":[{"from":"1704067200000"}]`:                       `{"buckets":[{"key":"2024-01-01T00:00:00.000Z-*","from":1.7040672E12,"from_as_string":"2024-01-01T00:00:00.000Z","doc_count":2}]}`,
	} {
		if got, err := aggregation(t, r, `{"range":{"field":"Data.d",`+options+`}}`); err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", options, got, err, want)
		}
	}
	if _, err := aggregation(t, r, `{"range":{"field":"Data.d","ranges":[{"from":"abc"}]}}`); err == nil {
		t.Error("a text that is not a date is taken")
	}
}

// An empty pattern finds nothing, and a page without room for hits has no best score.
func TestEmptyPatternsAndPages(t *testing.T) {
	r := searchtest.Snaptest(t, numbered(`""`, `"word"`))
	for text, total := range map[string]int{
		`{"query":{"wildcard":{"Data.d":""}}}`:                                               0,
		`{"query":{"wildcard":{"Data.d.keyword":{"value":"","case_insensitive":true}}}}`:     0,
		`{"query":{"wildcard":{"Data.d.keyword":{"value":"","rewrite":"scoring_boolean"}}}}`: 0,
		`{"query":{"prefix":{"Data.d.keyword":""}}}`:                                         2,
		`{"query":{"term":{"Data.d.keyword":""}}}`:                                           1,
		`{"size":0,"from":1}`: 2,
		`{"size":0,"from":1,"sort":"_id","track_scores":true}`: 2,
		`{"size":0,"query":{"match":{"Data.d":"word"}}}`:       1,
	} {
		b, err := body.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		res, err := search.EvalHits(scorer.NewWorkLimit(t.Context()), r, b)
		if err != nil || res.Total != total {
			t.Errorf("%s: %v %v, want %d", text, res, err, total)
		} else if b.Window.Size == 0 && !math.IsNaN(float64(res.Scores.Best)) {
			t.Errorf("%s: best score %v", text, res.Scores.Best)
		}
	}
}
