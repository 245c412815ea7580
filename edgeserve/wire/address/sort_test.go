package address

import (
	"strings"
	"testing"
)

func TestSortAdvice(t *testing.T) {
	const one = ": name one field; the body of a search takes an array of several"
	for _, c := range []struct {
		sort, list, body string
		cannot           bool // it is a mistake even below Data
	}{
		{"title", ": write sort=Data.title", `: write "Data.title"`, false},
		{"name", ": write sort=Name", `: write "Name"`, false},
		{"data.n", ": write sort=Data.n", `: write "Data.n"`, false},
		{"DATA.N.x", ": write sort=Data.N.x", `: write "Data.N.x"`, false},
		{"Data.n", ": write sort=Data.n", `: write "Data.n"`, false},
		{"Data.n:desc", ": write sort=Data.n&sortAsc=false", `: write {"Data.n":"desc"}`, true},
		{"Data.n:ASC", ": write sort=Data.n&sortAsc=true", `: write {"Data.n":"asc"}`, true},
		{"Data.n Descending", ": write sort=Data.n&sortAsc=false", `: write {"Data.n":"desc"}`, true},
		{"Data.n , desc", ": write sort=Data.n&sortAsc=false", `: write {"Data.n":"desc"}`, true},
		{"Data.n,asc", ": write sort=Data.n&sortAsc=true", `: write {"Data.n":"asc"}`, true},
		{"Data.n:-1", ": write sort=Data.n&sortAsc=false", `: write {"Data.n":"desc"}`, true},
		{"-Name", ": write sort=Name&sortAsc=false", `: write {"Name":"desc"}`, true},
		{"-Data.n", ": write sort=Data.n&sortAsc=false", `: write {"Data.n":"desc"}`, true},
		{"+created", ": write sort=Data.created&sortAsc=true", `: write {"Data.created":"asc"}`, true},
		{" createdat", ": write sort=CreatedAt&sortAsc=true", `: write {"CreatedAt":"asc"}`, true},
		{"Data.a,Data.b", one, one, true},
		{"Name:asc,CreatedAt:desc", one, one, true},
		{"Data.a,b", "", "", false}, // a name may have a comma
		{"Data.a:b", "", "", false},
		{"Data.a-1", "", "", false},
		{"Data.é", ": write sort=Data.é", `: write "Data.é"`, false},
		{"Data", "", "", false}, {"Data.", "", "", false}, {"", "", "", false}, {"-", "", "", true}, {":desc", "", "", false}, {"a&b", "", "", false}, {`a"b`, "", "", false}, {"a\nb", "", "", false},
		{strings.Repeat("a", 41), "", "", false}, {strings.Repeat("a,", 10000), "", "", false},
	} {
		if list, body := SortAdvice(c.sort, InList), SortAdvice(c.sort, InBody); list != c.list || body != c.body {
			t.Errorf("%.50q: %q, %q; want %q, %q", c.sort, list, body, c.list, c.body)
		}
		if got := CannotBePath(c.sort); got != c.cannot {
			t.Errorf("%.50q cannot be a path: %t", c.sort, got)
		}
	}
}

// An advice that is followed is a sort.
func FuzzSortAdvice(f *testing.F) {
	for _, sort := range []string{"-title", "Name:desc", "data.a b,asc", " x"} {
		f.Add(sort)
	}
	f.Fuzz(func(t *testing.T, sort string) {
		query, ok := strings.CutPrefix(SortAdvice(sort, InList), ": write ")
		if !ok {
			return
		}
		if _, err := ParseList(query, Standard); err != nil {
			t.Errorf("%q is to be %q: %v", sort, query, err)
		}
	})
}
