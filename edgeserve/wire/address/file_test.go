// These tests check that lists, canonical queries and file names are equivalent, and that no
// name leaves its directory.

package address

import (
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

const testEnv = "Project_1"

// checkList checks the invariants of a valid list.
func checkList(t *testing.T, l List) {
	t.Helper()
	query := l.Canonical()
	for _, d := range []Defaults{Standard, {Sort: "Name", Asc: true, Size: 7}} {
		again, err := ParseList(query, d)
		if err != nil || again != l || again.Canonical() != query {
			t.Fatalf("%+v became %q, which is %+v, %v", l, query, again, err)
		}
	}
	file, ok := l.File(testEnv)
	if !ok {
		return
	}
	checkFile(t, file)
	env, back, ok := parseListFile(file)
	if !ok || env != testEnv || back != l {
		t.Fatalf("%+v became %s, which is %s, %+v, %t", l, file, env, back, ok)
	}
}

// parseListFile is the inverse of File.
func parseListFile(path string) (env string, l List, ok bool) {
	r, ok := ParsePath("/" + path)
	if !ok || r.Kind != ListFile {
		return "", List{}, false
	}
	return r.Env, r.List, true
}

// checkFile checks that a name is portable and inside the lists of testEnv.
func checkFile(t *testing.T, file string) {
	t.Helper()
	if path.Clean(file) != file || !strings.HasPrefix(file, "cda/rest/v1/"+testEnv+"/contents-list/") || len(file) > 954 {
		t.Fatalf("%q leaves its directory, is not clean or too long", file)
	}
	for part := range strings.SplitSeq(file, "/") {
		if part == "" || len(part) > 210 || part[0] == '.' || part[0] == '_' || part[len(part)-1] == '.' || strings.Contains(part, "..") {
			t.Fatalf("%q has the component %q", file, part)
		}
	}
	if i := strings.IndexFunc(file, func(r rune) bool { return r > 0x7e || r != '/' && r != '.' && !isNameByte(byte(r)) }); i >= 0 {
		t.Fatalf("%q holds the byte %q", file, file[i])
	}
	if tail := file[len("cda/rest/v1/"+testEnv):]; strings.ToLower(tail) != tail {
		t.Fatalf("%q holds upper case", file)
	}
}

func TestParseListFileRefuses(t *testing.T) {
	for _, name := range []string{
		"", "manifest.json", "cda/rest/v1/demo/contents/a.json", "cda/rest/v1/demo/contents-list", "cda/rest/v1/demo/contents-list/",
		"/cda/rest/v1/demo/contents-list/sort-name-asc-10/page-1.json", "cda/rest/v1//contents-list/sort-name-asc-10/page-1.json",
		"cda/rest/v1/a/b/contents-list/sort-name-asc-10/page-1.json", "cda/rest/v1/../contents-list/sort-name-asc-10/page-1.json",
		"L/sort-name-asc-10", "L/sort-name-asc-10/", "L/sort-name-asc-10/page-1", "L/sort-name-asc-10/page-.json", "L/sort-name-asc-10/page-0.json",
		"L/sort-name-asc-10/page-01.json", "L/sort-name-asc-10/page-+1.json", "L/sort-name-asc-10/page-10000000.json", "L/sort-name-asc-10/page-1.json.gz",
		"L/sort-name-asc-10/page-1.json/", "L/sort-name-asc-10/x/page-1.json", "L/sort-name-asc-10/page-1.json/page-1.json",
		"L/sort-name-asc-0/page-1.json", "L/sort-name-asc-010/page-1.json", "L/sort-name-asc-" + strconv.Itoa(MaxSize+1) + "/page-1.json", "L/sort-name-asc-/page-1.json",
		"L/sort-name-up-10/page-1.json", "L/sort-Name-asc-10/page-1.json", "L/sort-data-asc-10/page-1.json", "L/sort--asc-10/page-1.json", "L/sort-name-asc-10-1/page-1.json",
		"L/name-/sort-name-asc-10/page-1.json", "L/name-A/sort-name-asc-10/page-1.json", "L/name-.616d_/sort-name-asc-10/page-1.json", "L/name-a",
		"L/status-a/name-a/sort-name-asc-10/page-1.json", "L/name-a/name-b/sort-name-asc-10/page-1.json", "L//sort-name-asc-10/page-1.json", "L/foo-a/sort-name-asc-10/page-1.json",
	} {
		name = strings.Replace(name, "L/", "cda/rest/v1/demo/contents-list/", 1)
		if env, l, ok := parseListFile(name); ok || env != "" || l != (List{}) {
			t.Errorf("%q: got %q, %+v, %t", name, env, l, ok)
		}
	}
}

// randomText has few different, awkward characters, so that near misses are frequent.
func randomText(rng *rand.Rand) string {
	alphabet := []string{"a", "z", "0", "9", "A", "Z", " ", "-", "_", ".", "/", "%", "+", "&", "=", "é", "e\u0301", "日本", "🙂", "\u212a", "2e", "~"}
	var b strings.Builder
	for range 1 + rng.IntN(12) {
		b.WriteString(alphabet[rng.IntN(len(alphabet))])
	}
	return b.String()
}

func randomList(rng *rand.Rand) List {
	maybe := func() string {
		if rng.IntN(2) == 0 {
			return ""
		}
		return randomText(rng)
	}
	sort := scalarFields[rng.IntN(len(scalarFields))]
	if rng.IntN(10) == 0 {
		sort = "Data." + randomText(rng)
	}
	return List{Name: maybe(), Template: maybe(), Status: maybe(), CreatedBy: maybe(),
		Sort: sort, Asc: rng.IntN(2) == 0, Page: 1 + rng.IntN(maxFilePage), Size: 1 + rng.IntN(MaxSize)}
}

func TestRandomLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	files := 0
	for range 20000 {
		l := randomList(rng)
		checkList(t, l)
		if _, ok := l.File(testEnv); ok {
			files++
		}
	}
	if files < 15000 {
		t.Errorf("only %d of 20000 lists have a file", files)
	}
}

func TestFileAllocatesTheNameOnly(t *testing.T) {
	l := with(func(l *List) { l.Template, l.Status = "Common Page", "Published" })
	if n := testing.AllocsPerRun(100, func() { l.File(testEnv) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

func TestFields(t *testing.T) {
	fields := ScalarFields()
	for i, f := range fields {
		if !IsScalar(f) || fileFields[i] != strings.ToLower(f) {
			t.Errorf("field %s is spelled %s", f, fileFields[i])
		}
	}
	fields[0] = "changed"
	if slices.Contains(ScalarFields(), "changed") || IsScalar("changed") || IsScalar("Data") || IsScalar("") {
		t.Error("the fields can be changed, or Data counts as one")
	}
}

func TestIDs(t *testing.T) {
	tests := []struct {
		s       string
		env, id bool
	}{
		{"a", true, true}, {"Project_11111111-2222-4333-8444-555555555555", true, true}, {"0_-", true, true},
		{strings.Repeat("a", 64), true, true}, {strings.Repeat("a", 65), false, true},
		{strings.Repeat("a", 128), false, true}, {strings.Repeat("a", 129), false, false},
		{"", false, false}, {"_a", false, false}, {"-a", false, false}, {".a", false, false}, {"a.b", false, false},
		{"a/b", false, false}, {"..", false, false}, {"a b", false, false}, {"a\x00", false, false}, {"é", false, false}, {"a%41", false, false},
	}
	for _, test := range tests {
		if ValidEnv(test.s) != test.env || ValidID(test.s) != test.id {
			t.Errorf("%q: environment %t, id %t", test.s, ValidEnv(test.s), ValidID(test.s))
		}
	}
	if got := ItemFile("demo", "Content_1"); got != "cda/rest/v1/demo/contents/Content_1.json" {
		t.Errorf("item file %q", got)
	}
}

func TestCanonical(t *testing.T) {
	l := List{Name: "é&=", CreatedBy: "a b+c~", Sort: "Data.x y", Page: 2, Size: 10}
	const want = "searchByName=%C3%A9%26%3D&searchByCreatedBy=a%20b%2Bc~&page=2&pageSize=10&sort=Data.x%20y&sortAsc=false"
	if got := l.Canonical(); got != want || !utf8.ValidString(got) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func BenchmarkFile(b *testing.B) {
	for name, l := range map[string]List{
		"default": with(func(*List) {}),
		"filters": with(func(l *List) { l.Template, l.Status = "Common Page", "Published" }),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l.File(testEnv)
			}
		})
	}
}
