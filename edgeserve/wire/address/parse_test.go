// These tests check how query strings are parsed: each parameter's meaning, the exact
// errors, and that order and unknown parameters change nothing.

package address

import (
	"errors"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// with returns the standard list after a change.
func with(change func(*List)) List {
	l := List{Sort: "CreatedAt", Page: 1, Size: 10}
	change(&l)
	return l
}

var parseTests = []struct {
	name, query string
	want        List
}{
	{"nothing", "", with(func(*List) {})},
	{"only separators", "&&&", with(func(*List) {})},
	{"all empty", "searchByName=&searchByTemplateName=&status=&searchByCreatedBy=&page=&pageSize=&sort=&sortAsc=", with(func(*List) {})},
	{"bare names", "searchByName&page&sort&sortAsc", with(func(*List) {})},
	{"every parameter", "searchByName=n&searchByTemplateName=t&status=s&searchByCreatedBy=c&page=2&pageSize=50&sort=Name&sortAsc=true",
		List{Name: "n", Template: "t", Status: "s", CreatedBy: "c", Sort: "Name", Asc: true, Page: 2, Size: 50}},
	{"other case is unknown", "PAGE=2&PageSize=3&searchbyname=x", with(func(*List) {})},
	{"unknown ones are ignored", "utm_source=a&utm_source=b&page[]=2&xpage=4&pagee=3&=5", with(func(*List) {})},
	{"unknown ones may hold anything", "x=%zz&y=%&\xff\x01é=\xff&%=1&%zz=2&pag%e=3&;page=4", with(func(*List) {})},
	{"escaped names are known", "%70age=3&page%53ize=20", with(func(l *List) { l.Page, l.Size = 3, 20 })},
	{"fully escaped longest name", "%73%65%61%72%63%68%42%79%54%65%6D%70%6C%61%74%65%4E%61%6D%65=t", with(func(l *List) { l.Template = "t" })},
	{"escaped unknown name that is longer", strings.Repeat("%70", 30) + "=1", with(func(*List) {})},
	{"leading zeros", "page=000000002&pageSize=010", with(func(l *List) { l.Page = 2 })},
	{"largest numbers", "page=999999999&pageSize=" + strconv.Itoa(MaxSize), with(func(l *List) { l.Page, l.Size = 999999999, MaxSize })},
	{"escaped digits", "page=%31%32", with(func(l *List) { l.Page = 12 })},
	{"plus and %20 are a space", "searchByName=a+b&searchByTemplateName=a%20b", with(func(l *List) { l.Name, l.Template = "a b", "a b" })},
	{"escaped plus", "searchByName=a%2Bb", with(func(l *List) { l.Name = "a+b" })},
	{"decoded once", "searchByName=%252F", with(func(l *List) { l.Name = "%2F" })},
	{"both cases of digits", "searchByName=%c3%B8", with(func(l *List) { l.Name = "ø" })},
	{"raw UTF-8", "searchByName=é", with(func(l *List) { l.Name = "é" })},
	{"equals sign in a value", "status=a=b", with(func(l *List) { l.Status = "a=b" })},
	{"semicolon is no separator", "status=a;page=2", with(func(l *List) { l.Status = "a;page=2" })},
	{"control bytes", "searchByName=%00%0A", with(func(l *List) { l.Name = "\x00\n" })},
	{"U+FFFD itself", "searchByName=%EF%BF%BD", with(func(l *List) { l.Name = "\uFFFD" })},
	{"not trimmed", "searchByName=+a+", with(func(l *List) { l.Name = " a " })},
	{"sort by a path", "sort=Data.a.b", with(func(l *List) { l.Sort = "Data.a.b" })},
	{"sortAsc alone", "sortAsc=true", with(func(l *List) { l.Asc = true })},
	{"sortAsc in upper case", "sortAsc=TRUE", with(func(l *List) { l.Asc = true })},
	{"sortAsc in mixed case", "sortAsc=%54rUe", with(func(l *List) { l.Asc = true })},
	{"false in upper case", "sort=Name&sortAsc=FALSE", with(func(l *List) { l.Sort = "Name" })},
	{"sort keeps the direction", "sort=Name", with(func(l *List) { l.Sort = "Name" })},
}

func TestParseList(t *testing.T) {
	for _, test := range parseTests {
		t.Run(test.name, func(t *testing.T) {
			got, err := ParseList(test.query, Standard)
			if err != nil || got != test.want {
				t.Errorf("%q:\n got %+v, %v\nwant %+v", test.query, got, err, test.want)
			}
		})
	}
}

func TestParseListDefaults(t *testing.T) {
	d := Defaults{Sort: "Name", Asc: true, Size: 25}
	for query, want := range map[string]List{
		"":                                   {Sort: "Name", Asc: true, Page: 1, Size: 25},
		"sortAsc=false":                      {Sort: "Name", Page: 1, Size: 25},
		"sort=Status&pageSize=10":            {Sort: "Status", Page: 1, Size: 10},
		"sort=&sortAsc=&pageSize=&page=0003": {Sort: "Name", Asc: true, Page: 3, Size: 25},
	} {
		if got, err := ParseList(query, d); err != nil || got != want {
			t.Errorf("%q: got %+v, %v; want %+v", query, got, err, want)
		}
	}
}

const sorts = "Status, CreatedBy, CreatedAt, PublishedBy, UpdatedAt, Name, PublishedAt, UpdatedBy, TemplateName, TemplateID, ContentID or a path such as Data.title"

func TestParseListErrors(t *testing.T) {
	page := func(v string) Error {
		return Error{"bad_page", `page must be an integer from 1, not "` + v + `"`, "page"}
	}
	size := func(v string) Error {
		return Error{"bad_page_size", `pageSize must be an integer from 1 to ` + strconv.Itoa(MaxSize) + `, not "` + v + `"`, "pageSize"}
	}
	sort := func(v string) Error {
		return Error{"bad_sort", "sort must be one of " + sorts + `, not "` + v + `"` + SortAdvice(v, InList), "sort"}
	}
	asc := func(v string) Error {
		return Error{"bad_sort_asc", `sortAsc must be true or false, not "` + v + `"`, "sortAsc"}
	}
	twice := func(p string) Error { return Error{"duplicate_parameter", p + " is given twice; give it once", p} }
	bytes := func(p string) Error {
		return Error{"bad_query", "the value of " + p + " must be UTF-8 text, with % only before two hexadecimal digits", p}
	}
	long := func(p string) Error {
		return Error{"value_too_long", "the value of " + p + " may have at most 1024 bytes; compare with a longer one by a query in the body of a search", p}
	}
	tests := map[string]Error{
		"page=0": page("0"), "page=000": page("000"), "page=-1": page("-1"), "page=abc": page("abc"), "page=1.5": page("1.5"), "page=1e3": page("1e3"),
		"page=99999999999999999999": page("99999999999999999999"), "page=1000000000": page("1000000000"), "page=0000000001": page("0000000001"),
		"page=%201": page(" 1"), "page=+1": page(" 1"), "page=%2B1": page("+1"), "page=%EF%BC%92": page("２"), "page=2;pageSize=5": page("2;pageSize=5"),
		"page=" + strings.Repeat("日", 30): page(strings.Repeat("日", 13) + "…"),
		"pageSize=0":                      size("0"), "pageSize=-5": size("-5"), "pageSize=ten": size("ten"), "pageSize=" + strconv.Itoa(MaxSize+1): size(strconv.Itoa(MaxSize + 1)), "pageSize=1.0": size("1.0"),
		"sort=Nope": sort("Nope"), "sort=data.title": sort("data.title"), "sort=Data": sort("Data"), "sort=Data.": sort("Data."), "sort=name": sort("name"), "sort=<b>": sort("<b>"),
		"sortAsc=yes": asc("yes"), "sortAsc=1": asc("1"), "sortAsc=True+": asc("True "), "sortAsc=T": asc("T"), "sortAsc=fal%C5%BFe": asc("falſe"),
		"page=1&page=1": twice("page"), "page&page=2": twice("page"), "page=2&p%61ge": twice("page"), "%73ort=&%73ort=": twice("sort"),
		"status=&x=1&status=Published": twice("status"), "sort=a&sort=b&page=1&page=2": twice("page"), "page=%zz&page=1": twice("page"),
		"searchByName=%": bytes("searchByName"), "searchByName=%2": bytes("searchByName"), "searchByName=a%2": bytes("searchByName"), "status=%zz": bytes("status"),
		"searchByName=%g1": bytes("searchByName"), "searchByName=%1g": bytes("searchByName"), "searchByName=%u00e9": bytes("searchByName"),
		"searchByTemplateName=%ff": bytes("searchByTemplateName"), "searchByCreatedBy=\xff": bytes("searchByCreatedBy"), "searchByName=%ED%A0%80": bytes("searchByName"),
		"searchByName=%C0%AF": bytes("searchByName"), "searchByName=Caf%C3": bytes("searchByName"), "page=%ff": bytes("page"), "sort=%": bytes("sort"), "sortAsc=%": bytes("sortAsc"),
		"searchByName=" + strings.Repeat("a", MaxValue+1): long("searchByName"), "searchByTemplateName=" + strings.Repeat("%E6%97%A5", MaxValue/3+1): long("searchByTemplateName"),
		"status=" + strings.Repeat("+", MaxValue+1): long("status"), "page=no&searchByCreatedBy=" + strings.Repeat("a", MaxValue+1): long("searchByCreatedBy"),
		"sort=no&sortAsc=no&pageSize=no&page=no": page("no"), "page=no&status=%": bytes("status"),
	}
	for query, want := range tests {
		t.Run(query, func(t *testing.T) {
			l, err := ParseList(query, Standard)
			var got *Error
			if !errors.As(err, &got) || *got != want || l != (List{}) {
				t.Errorf("%q:\n got %+v, %+v\nwant %+v", query, l, err, want)
			}
		})
	}
}

// randomQuery combines valid, unusual and invalid pairs.
func randomQuery(rng *rand.Rand) []string {
	odd := []string{"", "1", "2", "0", "abc", "true", "false", "Name", "Data.x", "name", "a+b", "%41", "%", "%ff", "é", "a=b", "..%2f..", "%EF%BF%BD", "10", "007"}
	names := append([]string{"utm", "p%61ge", "PAGE", ""}, parameterNames[:]...)
	pairs := make([]string, rng.IntN(7))
	for i := range pairs {
		pairs[i] = names[rng.IntN(len(names))] + "=" + odd[rng.IntN(len(odd))]
	}
	return pairs
}

func TestParameterOrderNeverMatters(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		pairs := randomQuery(rng)
		query := strings.Join(pairs, "&")
		l, err := ParseList(query, Standard)
		rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		l2, err2 := ParseList(strings.Join(pairs, "&"), Standard)
		if l != l2 || (err == nil) != (err2 == nil) || err != nil && *err.(*Error) != *err2.(*Error) {
			t.Fatalf("%q: %+v, %v\n%q: %+v, %v", query, l, err, pairs, l2, err2)
		}
	}
}

func TestUnescapeAgreesWithStandardLibrary(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const alphabet = "%%%+=aF09gé\xff ."
	for range 20000 {
		b := make([]byte, rng.IntN(10))
		for i := range b {
			b[i] = alphabet[rng.IntN(len(alphabet))]
		}
		want, err := url.QueryUnescape(string(b))
		got, ok := unescape(string(b))
		if ok != (err == nil && utf8.ValidString(want)) || ok && got != want {
			t.Fatalf("%q: got %q, %t; the standard library gives %q, %v", b, got, ok, want, err)
		}
	}
}

func TestParseListAllocations(t *testing.T) {
	for query, most := range map[string]float64{
		"":                           0,
		"page=2&pageSize=20":         0,
		"utm_source=%20x&sort=Name":  0,
		"searchByName=am&status=Any": 0,
		"searchByTemplateName=Common%20Page&status=Published&page=2": 1,
		"searchByName=a+b&searchByTemplateName=Common%20Page":        2,
	} {
		if n := testing.AllocsPerRun(100, func() { _, _ = ParseList(query, Standard) }); n > most {
			t.Errorf("%q: %v allocations, at most %v wanted", query, n, most)
		}
	}
}

func FuzzParseList(f *testing.F) {
	for _, test := range parseTests {
		f.Add(test.query)
	}
	f.Add("page=1&page=%zz&sort=Data.&sortAsc=%74rue")
	f.Fuzz(func(t *testing.T, query string) {
		l, err := ParseList(query, Standard)
		if err != nil {
			if _, ok := err.(*Error); !ok || l != (List{}) {
				t.Fatalf("%q: %+v, %#v", query, l, err)
			}
			return
		}
		checkList(t, l)
	})
}

func BenchmarkParseList(b *testing.B) {
	for name, query := range map[string]string{
		"default": "",
		"page":    "page=2&pageSize=20",
		"filters": "searchByTemplateName=Article&status=Published&page=3&sort=Name&sortAsc=true",
		"escaped": "searchByTemplateName=Common%20Page&status=Published&page=3",
		"tracked": "utm_source=newsletter&utm_medium=email&utm_campaign=2024-05&fbclid=IwAR0000000000000000&page=2",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ParseList(query, Standard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
