// This file tests the mapping with hand-written requests, and with random ones against
// address.ParseList.
//
// testdata/vectors.json was written by hand for a tree of 2,030 items, with 20 items
// per page, ordered by UpdatedAt descending. testdata/tree.txt names the lists of that
// tree. Tests of generated web server configurations use both files, too.

package addresstest

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
)

type vectorFile struct {
	Env      string
	Defaults struct {
		Page, PageSize int
		Sort           string
		SortAsc        bool
	}
	Vectors []struct{ ID, Method, Target, Expect, File, Note string }
}

func readVectors(t *testing.T) (v vectorFile, d address.Defaults) {
	t.Helper()
	b, err := os.ReadFile("../testdata/vectors.json")
	if err == nil {
		err = json.Unmarshal(b, &v)
	}
	if err != nil || len(v.Vectors) != 268 {
		t.Fatalf("%d vectors, %v", len(v.Vectors), err)
	}
	return v, address.Defaults{Sort: v.Defaults.Sort, Asc: v.Defaults.SortAsc, Size: v.Defaults.PageSize}
}

// readTree reads the names of existing files.
func readTree(t *testing.T, env string) map[string]bool {
	t.Helper()
	f, err := os.Open("../testdata/tree.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	files := map[string]bool{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		name, pages, isList := strings.Cut(lines.Text(), " ")
		if strings.HasPrefix(name, "#") {
			continue
		}
		if !strings.HasPrefix(name, "/") {
			name = "/cda/rest/v1/" + env + "/contents-list/" + name
		}
		if !isList {
			files[name] = true
			continue
		}
		n, err := strconv.Atoi(pages)
		if err != nil {
			t.Fatal(err)
		}
		for p := 1; p <= n; p++ {
			files[name+"/page-"+strconv.Itoa(p)+".json"] = true
		}
	}
	return files
}

func TestMapVectors(t *testing.T) {
	v, d := readVectors(t)
	tree := readTree(t, v.Env)
	for _, vector := range v.Vectors {
		t.Run(vector.ID, func(t *testing.T) {
			got, ok := Map(vector.Method, vector.Target, d)
			got = "/" + got
			switch {
			case vector.Expect == "file" && (!ok || got != vector.File || !tree[got]):
				t.Errorf("%s %s (%s):\n got %s, %t, exists: %t\nwant %s", vector.Method, vector.Target, vector.Note, got, ok, tree[got], vector.File)
			case vector.Expect == "edge" && ok && tree[got]:
				t.Errorf("%s %s (%s): got %s, want the edge", vector.Method, vector.Target, vector.Note, got)
			}
			checkAgrees(t, vector.Method, vector.Target, d)
		})
	}
}

func TestTreeNamesAreLists(t *testing.T) {
	v, _ := readVectors(t)
	for file := range readTree(t, v.Env) {
		if !strings.Contains(file, "/contents-list/") {
			continue
		}
		if r, ok := address.ParsePath(file); !ok || r.Kind != address.ListFile {
			t.Errorf("%s is no list", file)
		} else if again, ok := r.List.File(r.Env); !ok || "/"+again != file {
			t.Errorf("%s is %+v, which has the file %s", file, r.List, again)
		}
	}
}

// checkAgrees checks that a web server never serves another file than the edge. It reports
// whether the web server serves a file.
func checkAgrees(t *testing.T, method, target string, d address.Defaults) bool {
	t.Helper()
	file, ok := Map(method, target, d)
	if !ok {
		return false
	}
	path, query, _ := strings.Cut(target, "?")
	r, known := address.ParsePath(path)
	want := path[1:] // the edge has no such path: a web server may serve the file of that name
	switch {
	case known && r.Kind == address.Contents:
		l, err := address.ParseList(query, d)
		if err != nil {
			t.Fatalf("%s is served from %s, but is %v", target, file, err)
		}
		want, known = l.File(r.Env)
		if !known {
			t.Fatalf("%s is served from %s, but has no file", target, file)
		}
	case known && r.Kind == address.Item:
		if show, err := address.ParseItem(query); !r.ByFile && (err != nil || show != (address.Show{})) {
			t.Fatalf("%s is served from %s, but shows %v, %v", target, file, show, err)
		}
		want = address.ItemFile(r.Env, r.ID)
	case known && r.Kind == address.ListFile:
		want, _ = r.List.File(r.Env)
	}
	if file != want {
		t.Fatalf("%s is served from %s, not from %s", target, file, want)
	}
	return true
}

func TestMapAgreesWithParseList(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	files := 0
	for range 30000 {
		pairs := randomQuery(rng)
		for range rng.IntN(3) {
			pairs = append(pairs, Names[rng.IntN(4)]+"="+sloppyEscape(rng, randomText(rng)))
		}
		if checkAgrees(t, "GET", "/cda/rest/v1/"+"demo"+"/contents?"+strings.Join(pairs, "&"), address.Standard) {
			files++
		}
	}
	if files < 3000 {
		t.Errorf("only %d of 30000 requests have a file", files)
	}
}

// randomQuery returns up to six pairs, many of them invalid.
func randomQuery(rng *rand.Rand) []string {
	odd := []string{"", "1", "2", "0", "abc", "true", "false", "Name", "Data.x", "name", "a+b", "%41", "%", "%ff", "é", "a=b", "..%2f..", "%EF%BF%BD", "10", "007"}
	names := append([]string{"utm", "p%61ge", "PAGE", "", "select", "Data.x", "sel%65ct", "%44ata.x", "Data."}, Names...)
	pairs := make([]string, rng.IntN(7))
	for i := range pairs {
		pairs[i] = names[rng.IntN(len(names))] + "=" + odd[rng.IntN(len(odd))]
	}
	return pairs
}

// randomText returns text with characters that a token must encode.
func randomText(rng *rand.Rand) string {
	alphabet := []string{"a", "z", "0", "9", "A", "Z", " ", "-", "_", ".", "/", "%", "+", "&", "=", "é", "e\u0301", "日本", "🙂", "\u212a", "2e", "~"}
	var b strings.Builder
	for range 1 + rng.IntN(12) {
		b.WriteString(alphabet[rng.IntN(len(alphabet))])
	}
	return b.String()
}

const nameBytes = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_"

// sloppyEscape escapes some bytes of a text, in either case, as clients do.
func sloppyEscape(rng *rand.Rand, text string) string {
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		switch {
		case c == ' ' && rng.IntN(2) == 0:
			b.WriteByte('+')
		case strings.IndexByte(nameBytes, c) >= 0 && rng.IntN(4) > 0 || rng.IntN(20) == 0:
			b.WriteByte(c)
		default:
			digits := "0123456789abcdef"
			if rng.IntN(2) == 0 {
				digits = strings.ToUpper(digits)
			}
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}

func TestMapRefuses(t *testing.T) {
	for name, target := range map[string]string{
		"size beyond the limit": "/cda/rest/v1/demo/contents?pageSize=" + strconv.Itoa(address.MaxSize+1), "five digits": "/cda/rest/v1/demo/contents?pageSize=99999",
		"raw UTF-8": "/cda/rest/v1/demo/contents?searchByName=é", "raw space": "/cda/rest/v1/demo/contents?utm=a b", "raw control byte": "/cda/rest/v1/demo/contents?utm=\x01",
		"escaped control byte": "/cda/rest/v1/demo/contents?utm=%0a", "escaped name": "/cda/rest/v1/demo/contents?utm%2d=1", "sort by a path": "/cda/rest/v1/demo/contents?sort=Data.title",
		"delete": "/cda/rest/v1/demo/contents?utm=%7f", "number sign": "/cda/rest/v1/demo/contents?utm=#x", "a part of true": "/cda/rest/v1/demo/contents?sortAsc=T",
		"true in upper case": "/cda/rest/v1/demo/contents?sortAsc=TRUE", "false in mixed case": "/cda/rest/v1/demo/contents?sortAsc=False",
		"select": "/cda/rest/v1/demo/contents?select=Name", "empty select": "/cda/rest/v1/demo/contents?page=1&select", "two paths": "/cda/rest/v1/demo/contents?Data.slug=a&Data.x",
		"path without a name": "/cda/rest/v1/demo/contents?Data.=a", "escaped path": "/cda/rest/v1/demo/contents?%44ata.slug=a", "item with select": "/cda/rest/v1/demo/contents/a?x=1&select=Name", "escaped": "/cda/rest/v1/demo/contents/a?sel%65ct=Name", "bare": "/cda/rest/v1/demo/contents/a?%73elect",
		"dot file": "/a/.b.json", "only a suffix": "/.json", "suffix as a name": "/a/.json", "two slashes": "/a//b.json", "no slash": "a.json", "escape": "/a%2e.json", "nothing": "",
	} {
		if file, ok := Map("GET", target, address.Standard); ok {
			t.Errorf("%s: %s is served from %s", name, target, file)
		}
	}
}

func FuzzMap(f *testing.F) {
	f.Add("/cda/rest/v1/demo/contents?searchByTemplateName=%43ommon+Page&page=2&utm=%20")
	f.Add("/cda/rest/v1/demo/contents-list/name-.2e2e_/sort-name-asc-20/page-2.json?x")
	f.Add("/cda/rest/v1/demo/contents/Content_1?page=0")
	f.Add("/cda/rest/v1/demo/contents/Content_1?x&%73elect=Name")
	f.Add("/manifest.json")
	f.Fuzz(func(t *testing.T, target string) {
		if checkAgrees(t, "GET", target, address.Standard) && strings.Contains(strings.SplitN(target, "?", 2)[0], "/.") {
			t.Fatalf("%q has a file", target)
		}
	})
}
