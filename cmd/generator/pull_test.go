// These tests mirror an origin in the same process, as its users see it.

package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"contentedge/edgeserve/exitcode"
	"contentedge/generator/pull"
	"contentedge/generator/pull/pulltest"
)

// pulls runs the command with the flags of a line, and returns its output and its exit status.
func pulls(t *testing.T, url, flags string) (out, problems string, code int) {
	t.Helper()
	var o, e strings.Builder
	args := append([]string{"pull", url, "--env", pulltest.Env, "--rate", "1000", "--page-size", "4"}, strings.Fields(flags)...)
	err := dispatch(t.Context(), args, console{&o, &e})
	code = finish(t.Context(), err, &e)
	return o.String(), e.String(), code
}

func TestPullCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	origin := pulltest.New(9)
	url := origin.Listen(t)
	figures := regexp.MustCompile(`\d+(\.\d+)? ([KM]i)?B\b|\d+\.\d\d s\b|column \d+`) // which others' samples decide
	says := func(flags, want, problem string, exit int) {
		t.Helper()
		out, problems, code := pulls(t, url, flags)
		out = figures.ReplaceAllString(out, "N")
		problems = figures.ReplaceAllString(problems, "N")
		problems = strings.ReplaceAll(problems, url, "URL")
		if out != want || problems != problem || code != exit {
			t.Errorf("%s: exit %d, printed\n%s%s\nwant %d,\n%s%s", flags, code, out, problems, exit, want, problem)
		}
	}
	says("--dry-run", "environment  items  added  changed  removed  bytes    statuses\n"+
		"site         9      9      0        0        N  9 Published\n"+
		"would pull into content/site/pulled.ndjson: 4 requests, N, all items in N; proof: one release\n", "", 0)
	says("", "environment  items  added  changed  removed  bytes    statuses\n"+
		"site         9      9      0        0        N  9 Published\n"+
		"pulled into content/site/pulled.ndjson: 4 requests, N, all items in N; proof: one release\n", "", 0)
	says("", "environment  items  added  changed  removed  bytes    statuses\n"+
		"site         9      0      0        0        N  9 Published\n"+
		"nothing changed in content/site/pulled.ndjson: 1 request, N, changes only in N; proof: one release\n", "", 0)
	says("--quiet --full", "", "", 0)
	origin.Remove(pulltest.Sample(7).ID)
	origin.Put(pulltest.Sample(3).WithStatus("Draft"))
	says("", "environment  items  added  changed  removed  bytes    statuses\n"+
		"site         8      0      1        1        N  7 Published, 1 Draft\n"+
		"removed Content_0007\n"+
		"pulled into content/site/pulled.ndjson: 5 requests, N, all items in N; proof: one release\n",
		"generator: warning: 1 item with the status \"Draft\", which no item had before; builds leave it out until --status names it\n", 0)
	mirror, _ := os.ReadFile(filepath.Join("content", pulltest.Env, pull.FileName))

	origin.Put(pulltest.Sample(3).WithData(`{"a":1,"a":2}`))
	says("", "", "URL site: the mirror is unchanged\nContent_0003: the key \"a\" is given twice in this object\n"+
		"  hint: it is given first in N of this line; keep one of the two\ngenerator: refused: the content of the origin is wrong\n", 2)
	out, _, _ := pulls(t, url, "--json")
	var failed failure
	if err := json.Unmarshal([]byte(out), &failed); err != nil || failed.Exit != 2 || len(failed.Diagnostics) != 1 || failed.Diagnostics[0].Item != "Content_0003" {
		t.Errorf("%v: %s", err, out)
	}
	origin.Set(pulltest.Sample(1))
	says("", "", "REFUSED: this removes content of the mirror; nothing was changed\n"+
		"  site: 8 items now, 1 in the origin, which lacks 7 of the current items: 87.5% (at most 50% may go)\n"+
		"  hint: look at the content, or pass --allow-removal if this is meant; --max-removed PERCENT sets the bound\n"+
		"generator: refused: too much would be removed\n", 2)
	if out, _, _ = pulls(t, url, "--json"); !strings.Contains(out, `"error":"this removes content of the mirror"`) {
		t.Errorf("it prints %s", out)
	}
	origin.Play(pulltest.Always(pulltest.Status(404)))
	says("--full", "", "generator: URL/cda/rest/v1/site/contents?page=1&pageSize=4&sort=CreatedAt&sortAsc=true: the origin answers 404 Not Found: "+
		`"{\"status\":404,\"error\":{\"code\":\"some_code\",\"message\":\"the origin is not well\"}}"`+"\n"+
		"  hint: check --env, and the address: it is the part before /cda/\n", 1)
	if now, _ := os.ReadFile(filepath.Join("content", pulltest.Env, pull.FileName)); string(now) != string(mirror) {
		t.Error("the mirror changed")
	}
	says("--as other/", "", "generator: --as: \"other/\" cannot be the id of an environment\n"+
		"  hint: an id is 1 to 64 letters, digits, \"_\" or \"-\" and begins with a letter or digit\n", 3)
	origin.Play()
	origin.Set(pulltest.Sample(1), pulltest.Sample(2))
	out, _, code := pulls(t, url, "--allow-removal --json")
	var report pull.Report
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != 0 || report.Items != 2 || len(report.Removed) != 6 || report.Proof != pull.OnePage {
		t.Errorf("%v: %s", err, out)
	}
}

// TestPullFlagsOfZero: 0 is refused where it would mean the default.
func TestPullFlagsOfZero(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, flags := range []string{"--rate 0", "--max-wait 0s", "--full-every 0s", "--page-size 0"} {
		if _, problems, code := pulls(t, "http://127.0.0.1:1", flags); code != 3 || !strings.Contains(problems, "for "+strings.Fields(flags)[0]+":") {
			t.Errorf("%s: exit %d: %s", flags, code, problems)
		}
	}
}

// TestPullKey sends the key that a file or a variable has; its file wins over the variable.
func TestPullKey(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("key", []byte("from-a-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var got string
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("Authorization")
		w.WriteHeader(http.StatusForbidden)
	}))
	defer origin.Close()
	for _, c := range []struct{ variable, flags, want string }{
		{"", "", ""},
		{"hush", "", "Bearer hush"},
		{"", "--pull-key-file key", "Bearer from-a-file"},
		{"hush", "--pull-key-file key", "Bearer from-a-file"},
	} {
		t.Setenv(pull.KeyVariable, c.variable)
		_, problems, code := pulls(t, origin.URL, c.flags)
		if got != c.want || code != exitcode.Machine || strings.Contains(problems, "hush") || strings.Contains(problems, "from-a-file") {
			t.Errorf("%s %s: sent %q, exit %d: %s", c.variable, c.flags, got, code, problems)
		}
	}
	if _, problems, code := pulls(t, origin.URL, "--pull-key hush"); code != exitcode.Usage || strings.Contains(problems, "hush") {
		t.Errorf("exit %d: %s", code, problems)
	}
}
