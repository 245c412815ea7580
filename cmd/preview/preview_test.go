package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/generator"
)

func TestReachable(t *testing.T) {
	for _, c := range []struct {
		ip, url string
		private bool
	}{
		{"127.0.0.1", "127.0.0.1:80", true},
		{"127.8.8.8", "127.8.8.8:80", true},
		{"::1", "[::1]:80", true},
		{"0.0.0.0", "localhost:80", false},
		{"::", "localhost:80", false},
		{"192.0.2.1", "192.0.2.1:80", false},
		{"fe80::1", "[fe80::1]:80", false},
	} {
		addr := &net.TCPAddr{IP: net.ParseIP(c.ip), Port: 80}
		if got := reachable(addr); got != c.url {
			t.Errorf("%s: %s, want %s", c.ip, got, c.url)
		}
		if private(addr) != c.private {
			t.Errorf("%s: private %v", c.ip, !c.private)
		}
	}
}

func TestOriginsOfItsOwn(t *testing.T) {
	for _, c := range []struct {
		addr, ip string
		port     int
		want     string
	}{
		{"127.0.0.1:0", "127.0.0.1", 81, "http://localhost:81 http://127.0.0.1:81 http://[::1]:81 http://a.example:81 http://127.0.0.1:81 https://b"},
		{"Box:80", "192.0.2.1", 80, "http://localhost http://127.0.0.1 http://[::1] http://box http://a.example http://192.0.2.1 https://b"},
		{":81", "::", 81, "http://localhost:81 http://127.0.0.1:81 http://[::1]:81 http://a.example:81 https://b"},
	} {
		o := options{addr: c.addr, hosts: []string{"A.example"}, origins: []string{"https://b"}}
		if got := strings.Join(o.allOrigins(&net.TCPAddr{IP: net.ParseIP(c.ip), Port: c.port}), " "); got != c.want {
			t.Errorf("%s: %s", c.addr, got)
		}
	}
}

func TestFindingsFitAScreen(t *testing.T) {
	var found []generator.Diagnostic
	for i := range maxFindings + 3 {
		found = append(found, generator.Diagnostic{File: "a.json", Line: i + 1, Col: 1, Message: "wrong"})
	}
	lines := strings.Split(strings.TrimSpace(list(found)), "\n")
	if len(lines) != maxFindings+1 || lines[0] != "a.json:1:1: wrong" || lines[maxFindings] != "and 3 more" {
		t.Errorf("%q", lines)
	}
	if got := list(found[:maxFindings]); strings.Contains(got, "more") {
		t.Errorf("%q", got)
	}
}

// TestConsole: exactly the builds that change something are printed.
func TestConsole(t *testing.T) {
	report := func(build string, warnings ...string) *generator.Report {
		r := &generator.Report{Build: build, Environments: []generator.EnvReport{{ID: "site", Items: 2}, {ID: "shop", Items: 1}}}
		for _, w := range warnings {
			r.Warnings = append(r.Warnings, generator.Diagnostic{Message: w, Warning: true})
		}
		return r
	}
	wrong := &generator.ContentError{Diagnostics: []generator.Diagnostic{{Message: "wrong"}, {Message: "odd", Warning: true}}}
	var out, problems strings.Builder
	c := &console{out: &out, err: &problems, url: "U"}
	good := func(build string, warnings ...string) func() {
		return func() { c.show(outcome{phase: built, report: report(build, warnings...)}) }
	}
	bad := func(err error) func() { return func() { c.show(outcome{phase: failed, err: err}) } }
	for _, step := range []struct {
		name     string
		do       func()
		out, err string // printed by this outcome
	}{
		{"building", func() { c.show(outcome{phase: building}) }, "", ""},
		{"bad at first", bad(wrong), "", "wrong\nwarning: odd\npreview: 1 problem; until a build succeeds, U answers 503\n"},
		{"good", good("1", "odd"), "preview: serving U, built 3 items in 0.00 s; drafts are served too\n" +
			"  curl U/cda/rest/v1/site/contents\n" + `  curl U/cda/es/v1/site -d '{"size":3,"query":{"wildcard":{"Name":"*"}}}'` + "\npreview: watching the content; Ctrl-C ends this\n", "warning: odd\n"},
		{"no difference", good("1", "odd"), "", ""},
		{"another", good("2", "odd"), "preview: built 3 items in 0.00 s\n", ""},
		{"broken machine", bad(io.ErrShortWrite), "", "short write\npreview: the build failed; the last good build keeps answering\n"},
		{"mended, as before", good("2"), "preview: mended; built 3 items in 0.00 s\n", ""},
	} {
		out.Reset()
		problems.Reset()
		step.do()
		if out.String() != step.out || problems.String() != step.err {
			t.Errorf("%s:\n stdout %q\n want   %q\n stderr %q\n want   %q", step.name, out.String(), step.out, problems.String(), step.err)
		}
	}
}

// TestRebuildsLeaveNothing: rebuilds leak no descriptors, mappings, goroutines or
// files.
func TestRebuildsLeaveNothing(t *testing.T) {
	t.Run("releases that stay", func(t *testing.T) {
		dir := t.TempDir()
		rebuildOften(t, dir, &workDir{out: filepath.Join(dir, publicName)})
	})
	t.Run("releases that go", func(t *testing.T) {
		t.Setenv("TMPDIR", t.TempDir())
		s, err := openWorkDir("", func(message string) { t.Error(message) })
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.remove() }()
		rebuildOften(t, s.dir, s)
	})
}

// rebuildOften rebuilds 50 times with a work directory below dir.
func rebuildOften(t *testing.T, dir string, s *workDir) {
	content := t.TempDir()
	item := filepath.Join(content, "site", "a.json")
	if err := os.MkdirAll(filepath.Dir(item), 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := newPreview(options{content: content, addr: "127.0.0.1:0"}, s, &console{out: io.Discard, err: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	defer p.server.Swap(nil)
	var early held
	for i := range 50 {
		text := fmt.Appendf(nil, `{"ContentID":"Content_00000000-0000-4000-8000-000000000001","Name":"%d","TemplateName":"Page","CreatedAt":"2026-01-01T00:00:00Z"}`, i)
		if i%3 == 0 {
			text = text[:20] // sometimes invalid
		}
		if err := os.WriteFile(item, text, 0o644); err != nil {
			t.Fatal(err)
		}
		p.rebuild(t.Context())
		if i == 10 {
			early = measure(t, dir)
		}
	}
	late := measure(t, dir)
	if p.console.broken || late.snapshots == 0 {
		t.Error("nothing was built")
	}
	const passing = 2 // goroutines that are about to end
	if late.goroutines > early.goroutines+passing {
		t.Errorf("%d goroutines, then %d", early.goroutines, late.goroutines)
	}
	early.goroutines, late.goroutines = 0, 0
	early.descriptors = min(early.descriptors, late.descriptors) // connections of earlier tests may end meanwhile
	if late != early {
		t.Errorf("after 10 rebuilds %+v, after 50 %+v", early, late)
	}
}

// held counts what a process can leak.
type held struct{ descriptors, snapshots, goroutines, files int }

func measure(t *testing.T, dir string) (h held) {
	awaitUnmapped(t)
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	h = held{descriptors: len(fds), snapshots: strings.Count(string(maps), dir), goroutines: runtime.NumGoroutine()}
	err = filepath.WalkDir(dir, func(string, os.DirEntry, error) error {
		h.files++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// awaitUnmapped waits for the goroutines that unmap snapshots behind a build.
func awaitUnmapped(t *testing.T) {
	stacks := make([]byte, 1<<20)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if text := stacks[:runtime.Stack(stacks, true)]; !bytes.Contains(text, []byte("incremental.(*Env).Close")) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("a snapshot of the release before is never unmapped")
		}
	}
}

func TestHidden(t *testing.T) {
	for name, want := range map[string]bool{".git": true, ".a.json.swp": true, "a.json": false, "_shared": false, "a.json~": false} {
		if hidden(name) != want {
			t.Errorf("%s: hidden %v", name, !want)
		}
	}
}

// TestNobodyKeepsAPreview: no cache may store drafts.
func TestNobodyKeepsAPreview(t *testing.T) {
	cfg := (&preview{console: &console{err: io.Discard}}).serverConfig("x", options{addr: "127.0.0.1:0"})
	if cfg.Cache != release.NoStore() {
		t.Errorf("answers may be kept: %q", cfg.Cache)
	}
}
