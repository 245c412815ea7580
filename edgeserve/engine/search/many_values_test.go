// This file tests that ways to collect many values at once find what the plain ways find.

package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
)

// `terms` collects the items of all values: as a list if they are few, else in a bit set.
func TestTermsAreAnyTerm(t *testing.T) {
	var items []string
	for i := range 4000 {
		items = append(items, fmt.Sprintf(`{"ContentID":"%04d","Data":{"rare":"v%03d","often":"v%03d","tags":["v%03d","w%d"],"words":"v%03d v%03d","n":%d,"day":"2020-01-%02d","ok":%v}}`,
			i, i%1000, i%3, i%500, i%2, i%400, i%5, i%40, 1+i%9, i%4 == 0))
	}
	r := snaptest.Open(t, snaptest.Env{Items: items})
	for field, lists := range map[string][]string{
		"Data.rare.keyword":  {`"v001"`, `"v007","v003"`, `"v003","v003"`, `"v004","v005","v006"`, `"v900","v000","v010","v020","v030","v040","v050"`, `"x","y"`, `"v001","x"`},
		"Data.often.keyword": {`"v000","v002"`, `"v000","v001","v002"`, `"x","v001"`},
		"Data.tags.keyword":  {`"v003","w1"`, `"w0","w1"`, `"v003","v007","v100"`},
		"Data.words":         {`"v001","v300"`, `"v300","v301","v302"`, `"x","v000","v004"`, `"x"`},
		"Data.n":             {`1,39`, `3,3.0,100`, `0,1,2,3,4,5,6`},
		"Data.day":           {`"2020-01-01","2020-01-09"`, `"2020"`, `"2020-01-02","2021"`},
		"Data.ok":            {`true`, `true,false`},
		"_id":                {`"0003","3999","x"`},
	} {
		for _, list := range lists {
			terms := fmt.Sprintf(`{"terms":{"%s":[%s],"boost":2}}`, field, list)
			var each []string
			for _, v := range strings.Split(list, ",") {
				each = append(each, fmt.Sprintf(`{"term":{"%s":%s}}`, field, v))
			}
			any := `{"constant_score":{"filter":{"bool":{"should":[` + strings.Join(each, ",") + `]}},"boost":2}}`
			for _, body := range []string{
				`%s`,
				`{"bool":{"must":{"match":{"Data.words":"v017"}},"filter":%s}}`,
				`{"bool":{"must":[{"match":{"Data.words":"v001"}},%s]}}`,
				`{"bool":{"must":{"match":{"Data.words":"v002"}},"must_not":%s}}`,
				`{"bool":{"should":[{"match":{"Data.words":"v003"}},%s]}}`,
			} {
				got, want := allHits(t, r, fmt.Sprintf(body, terms)), allHits(t, r, fmt.Sprintf(body, any))
				if !slices.Equal(got, want) {
					t.Errorf("%s: %d items, want %d", fmt.Sprintf(body, terms), len(got), len(want))
				}
			}
		}
	}
}

// A regular expression tests only strings with the substrings of its literals, where these are indexed.
func TestRegexpByGrams(t *testing.T) {
	parts := []string{"abc", "ABC", "xyz", "ab", "c", "É", "é", "bcd", " "}
	var names []string
	for i := range 9 * 9 * 9 * 9 {
		names = append(names, parts[i%9]+parts[i/9%9]+parts[i/81%9]+parts[i/729])
	}
	items := named(names...)
	by := snaptest.Open(t, snaptest.Env{Items: items, Grams: true})
	without := snaptest.Open(t, snaptest.Env{Items: items})
	for _, expr := range []string{
		`.*abc.*`, `.*bcxy.*`, `.*(abc|xyz)`, `.*(abc|xyz)bcd.*`, `.*(abc){2}.*`, `.*(abc)+xyz`, `.*ab[c]É.*`, `.*[aA][bB][cC]x.*`,
		`(.*abc.*)&(.*xyz.*)`, `~(.*abc.*)`, `(.*abc.*)&~(.*xyz.*)`, `.*abc?d.*`, `.*(abc)?xyz.*`, `.*abcdab`, `.*nowhere.*`, `.*\"cab\"c.*`,
	} {
		for _, option := range []string{"", `,"case_insensitive":true`, `,"rewrite":"top_terms_9"`} {
			query := fmt.Sprintf(`{"regexp":{"Name.keyword":{"value":"%s"%s}}}`, expr, option)
			got, want := allHits(t, by, query), allHits(t, without, query)
			if !slices.Equal(got, want) {
				t.Errorf("%s: %d items, want %d", query, len(got), len(want))
			}
		}
	}
}

// allHits is all matches of a query in order.
func allHits(t *testing.T, r *snapshot.Reader, query string) []snapshot.DocID {
	t.Helper()
	return evaluate(t, r, `{"size":10000,"query":`+query+`}`).Docs
}
