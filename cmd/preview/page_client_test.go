// This file runs previews in tests, and is their client.

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"contentedge/cmd/scripttest"
)

// site is a preview that runs in the test's process.
type site struct {
	t        *testing.T
	dir      string // holds the directory content
	base     string // URL
	stdout   *scripttest.Transcript
	stderr   *scripttest.Transcript
	follows  *bufio.Reader // its events
	lastID   string        // of the event that was read last
	client   *http.Client
	stop     context.CancelFunc
	unfollow func()
}

// startSite starts a preview of files with flags, and waits for its first build.
func startSite(t *testing.T, files map[string]string, flags ...string) *site {
	t.Helper()
	t.Cleanup(runtime.GC) // closes the file of the session, which other tests would count
	t.Setenv("TMPDIR", t.TempDir())
	ctx, stop := context.WithCancel(t.Context())
	s := &site{t: t, dir: t.TempDir(), stdout: &scripttest.Transcript{}, stderr: &scripttest.Transcript{}, stop: stop,
		client: &http.Client{Transport: &http.Transport{}}}
	t.Cleanup(s.client.CloseIdleConnections)
	for name, text := range files {
		s.write(name, text)
	}
	ended := make(chan error, 1)
	args := append([]string{"--addr", "127.0.0.1:0", "--content", filepath.Join(s.dir, "content")}, flags...)
	go func() { ended <- start(ctx, args, s.stdout, s.stderr) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	line := regexp.MustCompile(`the page is at (http://\S+)/`)
	for begin := time.Now(); s.base == ""; time.Sleep(time.Millisecond) {
		if m := line.FindStringSubmatch(s.stdout.All()); m != nil {
			s.base = m[1]
		}
		if time.Since(begin) > scripttest.Patience {
			t.Fatalf("no address is printed\n%s%s", s.stdout.All(), s.stderr.All())
		}
	}
	s.follow()
	if name, data := s.event(); name != "state" {
		t.Fatalf("the first event is %s %s", name, data)
	}
	for begin := time.Now(); !s.state().ended(1); s.event() {
		if time.Since(begin) > scripttest.Patience {
			t.Fatal("the first build does not end")
		}
	}
	return s
}

// write replaces a file below content, at once: a build never sees an empty file.
func (s *site) write(name, text string) {
	s.t.Helper()
	name = filepath.Join(s.dir, "content", name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		s.t.Fatal(err)
	}
	beside := filepath.Join(s.dir, "new")
	err := os.WriteFile(beside, []byte(text), 0o644)
	if err == nil {
		err = os.Rename(beside, name)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// do sends a request with header fields and returns the response with its body.
func (s *site) do(method, target, body string, fields ...string) (*http.Response, string) {
	s.t.Helper()
	req, err := http.NewRequest(method, s.base+target, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if target == "" || body == "" {
		req.Body = http.NoBody
	}
	for _, field := range fields {
		name, value, _ := strings.Cut(field, ": ")
		req.Header.Set(name, value)
		if name == "Host" {
			req.Host = value
		}
	}
	a, err := s.client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return a, string(b)
}

// read decodes the answer to a GET.
func (s *site) read(target string, into any) {
	s.t.Helper()
	a, body := s.do("GET", target, "")
	if err := json.Unmarshal([]byte(body), into); err != nil || a.StatusCode != 200 {
		s.t.Fatalf("%s: %d %s, %v", target, a.StatusCode, body, err)
	}
}

// post sends JSON as the page does.
func (s *site) post(target, body string) (*http.Response, string) {
	s.t.Helper()
	return s.do("POST", target, body, "Origin: "+s.base, "Content-Type: application/json")
}

// siteState is the part of a state that tests look at.
type siteState struct {
	View, Served struct{ As string }
	Building     bool
	Ready        bool
	Build        *siteBuild
	Environments []struct {
		ID        string
		Items     int
		Templates []struct {
			Name     string
			Items    int
			Statuses map[string]int
		}
	}
	Sequence string
}

// siteBuild is the part of a build that tests look at.
type siteBuild struct {
	Number      int
	Phase       string
	Build       string
	Diagnostics []struct {
		File    string
		Line    int
		Message string
		Source  []struct {
			Line   int
			Text   string
			Marked bool
		}
	}
	Changes struct {
		Items      []struct{ Environment, ID, Name, Change string }
		ItemsTotal int
		Addresses  []string
		PurgeKeys  []string
	}
}

// ended reports whether a build has ended.
func (s siteState) ended(number int) bool { return s.Build != nil && s.Build.Number >= number }

func (s *site) state() (st siteState) {
	s.t.Helper()
	s.read("/-/api/state", &st)
	return st
}

// follow connects to the events, behind the one that was read last.
func (s *site) follow() {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), "GET", s.base+"/-/events", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if s.lastID != "" {
		req.Header.Set("Last-Event-ID", s.lastID)
	}
	a, err := s.client.Do(req)
	if err != nil || a.StatusCode != 200 {
		s.t.Fatal(a, err)
	}
	if s.unfollow != nil {
		s.unfollow()
	}
	s.unfollow = func() { a.Body.Close() }
	s.t.Cleanup(s.unfollow)
	s.follows = bufio.NewReader(a.Body)
}

// event reads the next event.
func (s *site) event() (name, data string) {
	s.t.Helper()
	id := ""
	for {
		line, err := s.follows.ReadString('\n')
		if err != nil {
			s.t.Fatal(err)
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch field {
		case "id":
			id = value
		case "event":
			name = value
		case "data":
			data = value
		case "":
			if value == "" && id != "" {
				s.checkOrder(name, id)
				s.lastID = id
				return name, data
			}
		}
	}
}

// checkOrder checks that no event is lost or comes twice.
func (s *site) checkOrder(name, id string) {
	s.t.Helper()
	_, last, begun := strings.Cut(s.lastID, "-")
	if !begun {
		return
	}
	n, err := strconv.Atoi(last)
	if _, number, _ := strings.Cut(id, "-"); err != nil || number != strconv.Itoa(n+1) {
		s.t.Fatalf("the event %s %s comes after %s", name, id, s.lastID)
	}
}

// until reads events until a build ends that a test accepts.
func (s *site) until(what string, accept func(siteBuild) bool) siteBuild {
	s.t.Helper()
	for begin := time.Now(); ; {
		name, data := s.event()
		if name == "built" || name == "failed" {
			var b siteBuild
			if err := json.Unmarshal([]byte(data), &b); err != nil {
				s.t.Fatal(err)
			}
			if accept(b) {
				return b
			}
		}
		if time.Since(begin) > scripttest.Patience {
			s.t.Fatalf("no build %s; the last event is %s %s", what, name, data)
		}
	}
}

// anItem is an item in a few members, and those that are given.
func anItem(n, members string) string {
	id := "Content_00000000-0000-4000-8000-" + strings.Repeat("0", 12-len(n)) + n
	return `{"ContentID":"` + id + `","Name":"Item ` + n + `","TemplateName":"Page","CreatedAt":"2026-01-02T00:00:00Z"` + members + `}`
}

const firstID, secondID = "Content_00000000-0000-4000-8000-000000000001", "Content_00000000-0000-4000-8000-000000000002"

// small is a site of three items.
func small() map[string]string {
	return map[string]string{
		"site/one.json": anItem("1", `,"Data":{"title":"Bread","next":{"Type":"Reference","ReferenceType":"Content","ContentIDs":["`+secondID+`"]},"size":1}`),
		"site/two.json": anItem("2", `,"Status":"Draft","Data":{"title":"Salt","size":"big"}`),
		"shop/one.json": anItem("1", ""),
	}
}
