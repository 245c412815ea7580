// This file tests which values aggregations of terms include and exclude by patterns and partitions.

package search_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/searchtest"
)

// selectedKeys are the keys of an aggregation of terms, in order.
func selectedKeys(t *testing.T, options string) (keys []string, err error) {
	t.Helper()
	r := searchtest.Snaptest(t, []string{
		`{"ContentID":"a","Data":{"s":["ant","bee","cat"],"n":[1,2,3],"f":1.5}}`,
		`{"ContentID":"b","Data":{"s":["bat","é"],"n":[-4,5]}}`,
		`{"ContentID":"c"}`,
	})
	b, err := body.Parse([]byte(`{"size":0,"aggs":{"t":{"terms":{"size":100,"order":{"_key":"asc"},` + options + `}}}}`))
	if err != nil {
		return nil, err
	}
	res, err := search.Eval(t.Context(), r, b)
	if err != nil {
		return nil, err
	}
	var out struct {
		T struct{ Buckets []struct{ Key any } }
	}
	if err := json.Unmarshal(res.Aggregations, &out); err != nil {
		t.Fatal(err)
	}
	for _, bucket := range out.T.Buckets {
		keys = append(keys, fmt.Sprint(bucket.Key))
	}
	return keys, nil
}

func TestSelection(t *testing.T) {
	for _, c := range []struct{ options, want, fault string }{
		{`"field":"Data.s.keyword"`, "ant bat bee cat é", ""},
		{`"field":"Data.s.keyword","include":"b.*"`, "bat bee", ""},
		{`"field":"Data.s.keyword","include":".at","exclude":"[a-b].*"`, "cat", ""},
		{`"field":"Data.s.keyword","exclude":"b.*"`, "ant cat é", ""},
		{`"field":"Data.s.keyword","missing":"none","include":"n.*|é"`, "none é", ""},
		{`"field":"Data.s.keyword","missing":"none","exclude":"n.*|b.*"`, "ant cat é", ""},
		{`"field":"Data.s.keyword","include":"(b"`, "", "not a regular expression"},
		{`"field":"Data.n","include":"1.*"`, "", "no strings"},
		{`"field":"Data.f","include":{"partition":0,"num_partitions":2}`, "", "has fractions"},
	} {
		keys, err := selectedKeys(t, c.options)
		if got := strings.Join(keys, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.options, got, c.want)
		}
		if e, ok := errors.AsType[*query.Error](err); ok != (c.fault != "") || ok && !strings.Contains(e.Message, c.fault) {
			t.Errorf("%s: %v", c.options, err)
		}
	}
}

// TestPartitions: each value is in one partition, and not all are in the same.
func TestPartitions(t *testing.T) {
	for field, want := range map[string]string{
		`"Data.s.keyword","missing":"none"`: "ant bat bee cat none é",
		`"Data.n","missing":9`:              "-4 1 2 3 5 9",
	} {
		var all []string
		for i := range 3 {
			keys, err := selectedKeys(t, fmt.Sprintf(`"field":%s,"include":{"partition":%d,"num_partitions":3}`, field, i))
			if err != nil || len(keys) == 6 {
				t.Errorf("%s: partition %d has %v: %v", field, i, keys, err)
			}
			all = append(all, keys...)
		}
		slices.Sort(all)
		if got := strings.Join(all, " "); got != want {
			t.Errorf("%s: %s, want %s", field, got, want)
		}
	}
}
