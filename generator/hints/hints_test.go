package hints

import (
	"fmt"
	"reflect"
	"testing"

	"contentedge/edgeserve/leftout"
)

// TestNames reads the fields that a search and a list name.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		read func() ([]string, bool)
		want []string
		ok   bool
	}{
		{func() ([]string, bool) { return FieldsOf([]byte(`{"sort":["b"],"query":{"term":{"a":1}}}`)) }, []string{"a", "b"}, true},
		{func() ([]string, bool) { return FieldsOf([]byte(`{"sort":`)) }, nil, false},
		{func() ([]string, bool) { return PathsOf("sort=Data.a&Data.b=1&select=Name,Data.c*&utm=1") }, []string{"Data.c*", "Data.a", "Data.b"}, true},
		{func() ([]string, bool) { return PathsOf("") }, []string{}, true},
		{func() ([]string, bool) { return PathsOf("page=0") }, nil, false},
	} {
		if got, ok := c.read(); ok != c.ok || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q, %t, want %q", got, ok, c.want)
		}
	}
}

// TestHints shows which fields of a request are named: those that no item has, with what they may mean.
func TestHints(t *testing.T) {
	known := WithSubFields(WithSubFields(nil, "Name", []string{"keyword"}), "Data.title", nil)
	rules := leftout.Rules{Exclude: []string{"Data.body"}}
	got := fmt.Sprint(Unknown([]string{"Name.keyword", "name", "Data.titel", "Data", "Data.body.x", "Data.titel", "_score"}, known, rules))
	if want := "[{Data.body.x  Data.body} {Data.titel Data.title } {name Name }]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := Unknown([]string{"Data.x"}, nil, rules); len(got) != 0 {
		t.Errorf("%v without a field", got)
	}
	many := make([]string, 10*maxHints)
	for i := range many {
		many[i] = fmt.Sprint("Data.", i)
	}
	if got := Unknown(many, known, rules); len(got) != maxHints {
		t.Errorf("%d hints", len(got))
	}
}
