package answer

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/wire/address"
)

func TestParseSearchParams(t *testing.T) {
	equal := func(pairs ...string) (e []search.Equal) {
		for i := 0; i < len(pairs); i += 2 {
			e = append(e, search.Equal{Field: pairs[i], Value: pairs[i+1]})
		}
		return e
	}
	escaped := strings.Repeat("%C3%A9", address.MaxValue/2)
	for _, c := range []struct {
		name, raw string
		want      search.Params
	}{
		{"none", "", search.Params{}},
		{"plain", "Name=a&Status=b", search.Params{Equal: equal("Name", "a", "Status", "b")}},
		{"decoded", "N%61me=a+b%2Bc", search.Params{Equal: equal("Name", "a b+c")}},
		{"data path", "Data.a.b=c", search.Params{Equal: equal("Data.a.b", "c")}},
		{"data words", "Data=a+b", search.Params{Data: "a b"}},
		{"the rest", "CreatedAt=2021&Page=2&PageSize=3&Sort=Name&SortAsc=true",
			search.Params{CreatedAt: "2021", Page: "2", PageSize: "3", Sort: "Name", SortAsc: "true"}},
		{"empty is absent", "Name=&Page&Data.a=", search.Params{}},
		{"unknown ignored", "nam=a&utm=%zz&%zz=1&track_total_hits=true", search.Params{}},
		{"names in any case", "nAME=a&STATUS=b&createdby=c&templateid=d&createdat=2021&DATA=w&page=2&PAGESIZE=3&sort=Name&sortasc=true",
			search.Params{Equal: equal("Name", "a", "Status", "b", "CreatedBy", "c", "TemplateID", "d"), CreatedAt: "2021", Data: "w", Page: "2", PageSize: "3", Sort: "Name", SortAsc: "true"}},
		{"the path of Data as it is written", "data.Title=a&DATA.title=b&dAtA.%54=c", search.Params{Equal: equal("Data.Title", "a", "Data.title", "b", "Data.T", "c")}},
		{"a URI search", "Q=a+b&df=Name&default_operator=AND&analyze_wildcard=true&lenient=false&FROM=1&Size=2&_source=a&_source_includes=b&_SOURCE_excludes=c",
			search.Params{URI: body.URI{Q: "a b", DefaultField: "Name", DefaultOperator: "AND", AnalyzeWildcard: "true", Lenient: "false",
				From: "1", Size: "2", Source: "a", SourceIncludes: "b", SourceExcludes: "c"}}},
		{"stray separators", "&&Name=a&", search.Params{Equal: equal("Name", "a")}},
		{"long values", "Name=" + escaped + "&q=" + strings.Repeat("b", address.MaxValue+1),
			search.Params{Equal: equal("Name", strings.Repeat("é", address.MaxValue/2)), URI: body.URI{Q: strings.Repeat("b", address.MaxValue+1)}}},
		{"equals in a value", "Name=a=b", search.Params{Equal: equal("Name", "a=b")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseSearchParams(c.raw, false)
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

func TestParseSearchParamsErrors(t *testing.T) {
	var many strings.Builder
	for i := range address.MaxFilters + 1 {
		fmt.Fprintf(&many, "Data.f%d=x&", i)
	}
	for _, c := range []struct{ name, raw, code, parameter string }{
		{"twice", "Name=a&Name=b", "duplicate_parameter", "Name"},
		{"twice, once empty", "Name=&Name=b", "duplicate_parameter", "Name"},
		{"twice, once escaped", "Name=a&%4Eame=a", "duplicate_parameter", "Name"},
		{"twice in different case", "Name=a&nAmE=", "duplicate_parameter", "Name"},
		{"sort twice in different case", "sort=Name:asc&Sort=Name", "duplicate_parameter", "Sort"},
		{"data path twice, its prefix in different case", "Data.a=1&data.a=2", "duplicate_parameter", "Data.a"},
		{"bad escape in a name of lower case", "page=%zz", "bad_query", "Page"},
		{"q twice", "q=a&Q=b", "duplicate_parameter", "q"},
		{"data path twice", "Data.a=1&Data.a=1", "duplicate_parameter", "Data.a"},
		{"bad escape", "Name=%zz", "bad_query", "Name"},
		{"not UTF-8", "Name=%ff", "bad_query", "Name"},
		{"a long value", "Name=" + strings.Repeat("a", address.MaxValue+1), "value_too_long", "Name"},
		{"a long value, decoded", "data.a=" + strings.Repeat("%E6%97%A5", address.MaxValue/3+1), "value_too_long", "Data.a"},
		{"long words", "Data=" + strings.Repeat("a+", address.MaxValue), "value_too_long", "Data"},
		{"a long time", "CreatedAt=" + strings.Repeat("2", address.MaxValue+1), "value_too_long", "CreatedAt"},
		{"too many", many.String(), "too_many_parameters", fmt.Sprintf("Data.f%d", address.MaxFilters)},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseSearchParams(c.raw, false)
			e, ok := errors.AsType[*address.Error](err)
			if !ok || e.Code != c.code || e.Parameter != c.parameter {
				t.Errorf("got %#v", err)
			}
		})
	}
}

// TestUnknownSearchParams: who sends a parameter of another address is told; other unknown names count
// only where the operator wants it.
func TestUnknownSearchParams(t *testing.T) {
	for _, c := range []struct{ raw, unknown, strict string }{
		{"Name=a&utm_source=x", "", "utm_source"},
		{"searchByTemplateName=a", "searchByTemplateName", "searchByTemplateName"},
		{"SEARCHBYNAME=a", "SEARCHBYNAME", "SEARCHBYNAME"},
		{"updatedAt=2021", "updatedAt", "updatedAt"},
		{"PublishedAt=", "PublishedAt", "PublishedAt"},
		{"%zz=1", "", "%zz"},
		{"%ff=1", "", "\ufffd"},
		{"\xff\xff=1", "", "\ufffd"},
		{"&&=x&Data.a=1&page=2&q=a", "", ""},
		{strings.Repeat("\x80", 100) + "=1", "", "\ufffd"},
		{strings.Repeat("é", 100) + "=1", "", strings.Repeat("é", 20) + "…"},
	} {
		for _, strict := range []bool{false, true} {
			want := c.unknown
			if strict {
				want = c.strict
			}
			_, err := parseSearchParams(c.raw, strict)
			e, refused := errors.AsType[*address.Error](err)
			if refused != (want != "") || refused && (e.Code != "unknown_parameter" || e.Parameter != want) {
				t.Errorf("%q, strict %t: %#v, want %q", c.raw, strict, err, want)
			}
		}
	}
}
