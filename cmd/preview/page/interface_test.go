// This file tests that the page's scripts take the interface's names and limits from interface.js.

package page

import (
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
	codes "contentedge/edgeserve/wire/problem"
)

// TestScriptsTakeNamesFromTheServer finds texts and numbers in the scripts that the tables have.
func TestScriptsTakeNamesFromTheServer(t *testing.T) {
	files, err := fs.Glob(assets, "assets/*.js")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d scripts: %v", len(files), err)
	}
	for _, name := range files {
		text, err := assets.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, copied := range copies(otherLimits.ReplaceAllString(string(text), "")) {
			t.Errorf("%s has %s, which interface.js exports", name, copied)
		}
	}
}

func TestCopiesAreFound(t *testing.T) {
	size := strconv.Itoa(address.MaxSize)
	for text, want := range map[string]string{
		`ask("/cda/rest/v1/site/contents")`: "/cda/", `params.get('pageSize')`: "pageSize", "{ sortAsc: true }": "sortAsc", `sort = "CreatedAt"`: "CreatedAt",
		`code === "bad_size"`: "bad_size",
		"max: " + size + ",":  size, "max: " + size[:2] + "_" + size[2:] + ",": size, `const sort = params.get(parameter.sort), n = ` + size + "0": "",
	} {
		if got := strings.Join(copies(text), " "); got != want {
			t.Errorf("%s has %q, want %q", text, got, want)
		}
	}
}

var (
	quoted  = regexp.MustCompile("[\"'`]([A-Za-z_]+)[\"'`]|([A-Za-z_]+):")
	numbers = regexp.MustCompile(`\b[0-9][0-9_]*\b`)
	// otherLimits are constants that limit something else. Their values may equal the largest page size by chance.
	otherLimits = regexp.MustCompile(`const (maxLines|maxRemembered|maxString) = [0-9_]+;`)
)

// copies are the texts and numbers of a script that the tables have.
func copies(script string) (found []string) {
	known := map[string]bool{}
	for _, name := range append(address.ParameterNames(), address.ScalarFields()...) {
		known[name] = true
	}
	for _, word := range []string{"page", "select", "sort", "status", "Name", "Status"} { // words that scripts use for other things, too
		delete(known, word)
	}
	if strings.Contains(script, address.Root) {
		found = append(found, address.Root)
	}
	for _, m := range quoted.FindAllStringSubmatch(script, -1) {
		if name := m[1] + m[2]; known[name] || codes.Of(m[1]) != nil {
			found = append(found, name)
		}
	}
	for _, n := range numbers.FindAllString(script, -1) {
		if n = strings.ReplaceAll(n, "_", ""); n == strconv.Itoa(address.MaxSize) {
			found = append(found, n)
		}
	}
	return found
}

// The page without scripts names the address of lists.
func TestIndexNamesTheAddressOfLists(t *testing.T) {
	text, err := assets.ReadFile("assets/index.html")
	if want := "GET " + address.Contents.Path("ENV"); err != nil || strings.Count(string(text), address.Root) != 1 || !strings.Contains(string(text), want) {
		t.Errorf("index.html does not name %s: %v", want, err)
	}
}
