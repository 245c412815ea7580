package compare

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/cluster/translate"

	"elasticsearch/index"
)

// partsJudge judges two engines that find one item, but for what the test says of a body.
func partsJudge(t *testing.T, theirs func(body string) (status int, text string)) *Judge {
	page := `{"hits":{"total":{"value":1},"hits":[{"_id":"a","_score":1}]}}`
	serve := func(answer func(string) (int, string)) *index.Client {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var text strings.Builder
			_ = r.Write(&text)
			status, body := answer(text.String())
			if body == "" {
				body = page
			}
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}))
		t.Cleanup(s.Close)
		return index.New(s.URL)
	}
	return NewJudge(Endpoint(serve(func(string) (int, string) { return 200, "" })), serve(theirs))
}

// A clause that only Elasticsearch refuses does not excuse the rest of the body.
func TestCompareParts(t *testing.T) {
	const refusal = `Can only use wildcard queries on keyword, text and wildcard fields`
	refuse := func(body string) (int, string) {
		if strings.Contains(body, `"wildcard"`) || strings.Contains(body, `"regexp"`) {
			return 400, refusal
		}
		return 200, ""
	}
	wrong := func(body string) (int, string) {
		if status, text := refuse(body); status != 200 {
			return status, text
		}
		return 200, `{"hits":{"total":{"value":2},"hits":[]}}`
	}
	const body = `{"query":{"bool":{"must":[{"wildcard":{"Data.n":"1*"}},{"term":{"Name":"a"}}]}},"sort":["_doc"]}`
	two := strings.Replace(body, `{"term":{"Name":"a"}}`, `{"regexp":{"Data.n":"1"}}`, 1)
	for _, test := range []struct {
		name, body string
		theirs     func(string) (int, string)
		spared     []string
		difference string
	}{
		{"one clause", body, refuse, []string{"wildcard"}, ""},
		{"two clauses", two, func(body string) (int, string) {
			status, text := refuse(body)
			if strings.Contains(body, `"wildcard"`) {
				text += " wildcard"
			}
			return status, text
		}, []string{"wildcard", "regexp"}, ""},
		{"a fault in the rest", body, wrong, []string{"wildcard"}, "total 1, theirs 2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			v, err := partsJudge(t, test.theirs).CompareParts("site", translate.NewFields(nil), []byte(test.body))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(v.Spared, test.spared) || !strings.Contains(v.Difference, test.difference) || (v.Reason == "") != (test.difference != "") {
				t.Errorf("%+v", v)
			}
		})
	}
	v, err := partsJudge(t, func(string) (int, string) { return 400, refusal }).CompareParts("site", translate.NewFields(nil), []byte(body))
	if err != nil || v.Reason == "" || len(v.Spared) > 0 {
		t.Errorf("a body that is refused whatever is left out: %+v %v", v, err)
	}
}

// TestPartsOf checks that each part is left out once, and nothing else changes.
func TestPartsOf(t *testing.T) {
	const body = `{"aggs":{"a":{"aggs":{"b":{"max":{"field":"Data.n"}}},"terms":{"field":"Name.keyword"}}},"query":{"term":{"Data.n":{"value":"<1>"}}},"sort":["_doc",{"Data.n":"asc"}]}`
	var got []string
	for _, p := range partsOf([]byte(body)) {
		got = append(got, p.name+" "+string(p.rest))
	}
	for _, want := range []string{
		`sort {"aggs":{"a":{"aggs":{"b":{"max":{"field":"Data.n"}}},"terms":{"field":"Name.keyword"}}},"query":{"term":{"Data.n":{"value":"<1>"}}},"sort":[{"Data.n":"asc"}]}`,
		`max {"aggs":{"a":{"aggs":{},"terms":{"field":"Name.keyword"}}},"query":{"term":{"Data.n":{"value":"<1>"}}},"sort":["_doc",{"Data.n":"asc"}]}`,
		`term {"aggs":{"a":{"aggs":{"b":{"max":{"field":"Data.n"}}},"terms":{"field":"Name.keyword"}}},"query":{"match_all":{}},"sort":["_doc",{"Data.n":"asc"}]}`,
		`terms {"aggs":{},"query":{"term":{"Data.n":{"value":"<1>"}}},"sort":["_doc",{"Data.n":"asc"}]}`,
	} {
		if !slices.Contains(got, want) {
			t.Errorf("lacks %s in\n%s", want, strings.Join(got, "\n"))
		}
	}
	if parts := partsOf([]byte("null")); len(parts) > 0 {
		t.Errorf("parts of null: %v", parts)
	}
}
