package edgeserve

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/search"
)

func TestParseSearchParams(t *testing.T) {
	equal := func(pairs ...string) (e []search.Equal) {
		for i := 0; i < len(pairs); i += 2 {
			e = append(e, search.Equal{Field: pairs[i], Value: pairs[i+1]})
		}
		return e
	}
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
		{"unknown ignored", "name=a&page=1&Data.=x&utm=%zz&%zz=1", search.Params{}},
		{"stray separators", "&&Name=a&", search.Params{Equal: equal("Name", "a")}},
		{"equals in a value", "Name=a=b", search.Params{Equal: equal("Name", "a=b")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseSearchParams(c.raw)
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

func TestParseSearchParamsErrors(t *testing.T) {
	var many strings.Builder
	for i := range maxFilters + 1 {
		fmt.Fprintf(&many, "Data.f%d=x&", i)
	}
	for _, c := range []struct{ name, raw, code, parameter string }{
		{"twice", "Name=a&Name=b", "duplicate_parameter", "Name"},
		{"twice, once empty", "Name=&Name=b", "duplicate_parameter", "Name"},
		{"twice, once escaped", "Name=a&%4Eame=a", "duplicate_parameter", "Name"},
		{"data path twice", "Data.a=1&Data.a=1", "duplicate_parameter", "Data.a"},
		{"bad escape", "Name=%zz", "bad_query", "Name"},
		{"not UTF-8", "Name=%ff", "bad_query", "Name"},
		{"too many", many.String(), "too_many_parameters", fmt.Sprintf("Data.f%d", maxFilters)},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parseSearchParams(c.raw)
			e, ok := errors.AsType[*address.Error](err)
			if !ok || e.Code != c.code || e.Parameter != c.parameter {
				t.Errorf("got %#v", err)
			}
		})
	}
}
