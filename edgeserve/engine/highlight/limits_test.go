package highlight_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/searchtest"
)

// Memory holds all highlights at once: highlights of whole long values are refused, their fragments are
// not.
func TestTooLong(t *testing.T) {
	var items []string
	for i := range 12 {
		items = append(items, fmt.Sprintf(`{"ContentID":"C_%02d","CreatedAt":"2021-01-01T00:00:00.000Z","Name":"n","Data":{"t":"%s"}}`, i, strings.Repeat("bread ", 50_000)))
	}
	r := searchtest.Snaptest(t, items)
	const body = `{"size":12,"query":{"match":{"Data.t":"bread"}},"highlight":{"number_of_fragments":%d,"fields":{"Data.t":{}}}}`
	var e *query.Error
	if _, err := ask(t, r, fmt.Sprintf(body, 0)); !errors.As(err, &e) || e.Code != "too_costly" || e.Parameter != "highlight" {
		t.Errorf("whole values: %v", err)
	}
	if got, err := ask(t, r, fmt.Sprintf(body, 1)); err != nil || len(got) != 12 {
		t.Errorf("a fragment each: %d, %v", len(got), err)
	}
}

// Fragments of one word each cost most for their length.
func TestManyFragments(t *testing.T) {
	var items []string
	for i := range 100 {
		items = append(items, fmt.Sprintf(`{"ContentID":"C_%02d","CreatedAt":"2021-01-01T00:00:00.000Z","Name":"n","Data":{"t":"%s"}}`, i, strings.Repeat("a ", 8000)))
	}
	r := searchtest.Snaptest(t, items)
	const body = `{"size":%d,"query":{"match":{"Data.t":"a"}},"highlight":{"type":"plain","fragment_size":1,"number_of_fragments":10,"fields":{"Data.t":{}}}}`
	var e *query.Error
	if _, err := ask(t, r, fmt.Sprintf(body, 100)); !errors.As(err, &e) || e.Code != "too_costly" {
		t.Errorf("800,000 fragments: %v", err)
	}
	if got, err := ask(t, r, fmt.Sprintf(body, 20)); err != nil || len(got) != 20 {
		t.Errorf("160,000 fragments: %d, %v", len(got), err)
	}
}

// A highlight_query with an error is refused, even if no hit has the field.
func TestQueryOfField(t *testing.T) {
	r := searchtest.Snaptest(t, []string{`{"ContentID":"a","CreatedAt":"2021-01-01T00:00:00.000Z","Name":"Fox","Data":{"n":1}}`})
	const body = `{"query":%s,"highlight":{"fields":{"Name":{"highlight_query":%s}}}}`
	var e *query.Error
	if _, err := ask(t, r, fmt.Sprintf(body, `{"match_all":{}}`, `{"term":{"Data.n":"x"}}`)); !errors.As(err, &e) || e.Code != "bad_value" {
		t.Errorf("a wrong query: %v", err)
	}
	want := highlights{"a": {"Name": {"<em>Fox</em>"}}}
	if got, err := ask(t, r, fmt.Sprintf(body, `{"match_all":{}}`, `{"match":{"Name":"fox"}}`)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, %v", got, err)
	}
}
