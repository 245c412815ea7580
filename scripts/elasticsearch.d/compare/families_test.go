package compare

import "testing"

// A family needs both: its construct in the body, and its kind of difference.
func TestFamilies(t *testing.T) {
	for _, c := range []struct {
		body, difference string
		known            bool
	}{
		{`{"sort":["Data.b"]}`, `hit 0, a: .sort[0]: -2147483648, theirs -9223372036854775808`, true},
		{`{"sort":["Data.b"]}`, `hit 0, a: .sort[0]: 1, theirs 2`, false},
		{`{"query":{"match_all":{}}}`, `total 1, theirs 2`, false},
		{`{"terminate_after":1}`, `total 1, theirs 2`, true},
		{`{"aggs":{"a":{"percentiles":{"field":"a"}}}}`, `aggregations.a.values.50.0: 1, theirs 2`, true},
		{`{"aggs":{"a":{"max":{"field":"a"}}}}`, `aggregations.a.value: 1, theirs 2`, false},
		{`{"query":{"match":{"a":"b"}}}`, `hit 0: a, theirs b`, false},
	} {
		if got := FamilyOf([]byte(c.body), c.difference); (got != "") != c.known {
			t.Errorf("%s %s: %q", c.body, c.difference, got)
		}
	}
	for i, f := range families {
		if f.Name == "" || f.body == nil || f.difference == nil {
			t.Errorf("family %d is not whole", i)
		}
	}
}
