// These tests run pulls as processes: from an edge server, killed, on a full disk, side by side.

package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"contentedge/edgeserve/wire/store/storetest"
	"contentedge/generator/pull"
	"contentedge/generator/pull/pulltest"
)

// buildFlags are flags other than the defaults, so that a release shows that both builds had them.
var buildFlags = []string{"--lists", "-,name,template", "--page-size", "7", "--page-sizes", "20", "--compress", "gzip", "--default-order", "Name:asc"}

// TestPulledRelease pulls two environments from an edge server. With the same flags and the same
// folders that begin with _, a build makes the files of the origin's release.
func TestPulledRelease(t *testing.T) {
	t.Parallel()
	bin := binaries(t, "generator", "edgeserve")
	content, public, mirror, mirrored := t.TempDir(), filepath.Join(t.TempDir(), "public"), t.TempDir(), filepath.Join(t.TempDir(), "public")
	if err := os.CopyFS(content, os.DirFS("../content")); err != nil {
		t.Fatal(err)
	}
	writeSite(t, content, "of a third environment")
	if err := os.Rename(filepath.Join(content, "site", "items.ndjson"), filepath.Join(content, "events", "more.ndjson")); err != nil {
		t.Fatal(err)
	}
	writePicture(t, filepath.Join(content, "site"))
	outputOf(t, bin["generator"], append([]string{"build", "--content", content, "--out", public, "--quiet"}, buildFlags...)...)
	origin := serve(t, bin["edgeserve"], public)
	for _, env := range []string{"site", "events"} {
		outputOf(t, bin["generator"], "pull", origin, "--env", env, "--content", mirror, "--page-size", "50", "--rate", "1000", "--media", "--quiet")
		copyUnderscored(t, filepath.Join(content, env), filepath.Join(mirror, env))
	}
	outputOf(t, bin["generator"], append([]string{"build", "--content", mirror, "--out", mirrored, "--quiet"}, buildFlags...)...)
	want, got := readTree(t, filepath.Join(public, "current")), readTree(t, filepath.Join(mirrored, "current"))
	if want["manifest.json"] == "" || len(want) < 200 {
		t.Fatalf("the origin's release has %d files", len(want))
	}
	// Only the origin knows what it holds back, so the intervals of visibility differ, and the ids of the builds.
	interval := regexp.MustCompile(`"visible":\{[^}]*\},|"build":"[0-9a-f]{16}",`)
	for name, text := range want {
		if got[name] != text && (name != "manifest.json" || interval.ReplaceAllString(got[name], "") != interval.ReplaceAllString(text, "")) {
			t.Errorf("%s differs", name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
	if t.Failed() {
		return
	}
	before, err := os.Stat(filepath.Join(mirror, "site", pull.FileName))
	if err != nil {
		t.Fatal(err)
	}
	if out := outputOf(t, bin["generator"], "pull", origin, "--env", "site", "--content", mirror, "--full", "--rate", "1000", "--media"); !strings.Contains(out, "nothing changed") {
		t.Errorf("the second pull says %s", out)
	}
	if after, err := os.Stat(filepath.Join(mirror, "site", pull.FileName)); err != nil || !os.SameFile(before, after) {
		t.Errorf("the second pull writes the mirror again: %v", err)
	}
}

// writePicture writes a media file, and an item that names it.
func writePicture(t *testing.T, dir string) {
	t.Helper()
	item := `{"ContentID":"Content_picture","Name":"Picture","TemplateName":"Page","CreatedAt":"2024-01-01T00:00:00Z",` +
		`"Data":{"image":{"Type":"Reference","ReferenceType":"Media","MediaUrl":"./images/A picture.svg"}}}`
	err := errors.Join(os.Mkdir(filepath.Join(dir, "images"), 0o755), os.WriteFile(filepath.Join(dir, "images", "A picture.svg"), []byte("<svg/>"), 0o644),
		os.WriteFile(filepath.Join(dir, "picture.json"), []byte(item), 0o644))
	if err != nil {
		t.Fatal(err)
	}
}

// copyUnderscored copies the folders and files of an environment that begin with _.
func copyUnderscored(t *testing.T, from, to string) {
	t.Helper()
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "_") {
			continue
		}
		if e.IsDir() {
			err = os.CopyFS(filepath.Join(to, e.Name()), os.DirFS(filepath.Join(from, e.Name())))
		} else {
			err = os.WriteFile(filepath.Join(to, e.Name()), []byte(readFile(t, filepath.Join(from, e.Name()))), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// outputOf runs a command, which has to succeed.
func outputOf(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// readTree returns the files below a directory, by name.
func readTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		b, err := os.ReadFile(path)
		files[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// pulling is an origin for pulls as processes, and where they pull to.
type pulling struct {
	t        *testing.T
	o        *pulltest.Origin
	url, bin string
	content  string
	wraps    []string // a command that pulls run under
}

func newPulling(t *testing.T, items int) *pulling {
	p := &pulling{t: t, o: pulltest.New(items), bin: binaries(t, "generator")["generator"], content: t.TempDir()}
	p.url = p.o.Listen(t)
	return p
}

func (p *pulling) command(ctx context.Context, flags ...string) *exec.Cmd {
	args := append(append(append([]string{}, p.wraps...), p.bin, "pull", p.url, "--env", pulltest.Env, "--content", p.content, "--rate", "1000", "--quiet"), flags...)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "HTTP_PROXY=", "http_proxy=")
	return cmd
}

func (p *pulling) mirror() string {
	b, err := os.ReadFile(filepath.Join(p.content, pulltest.Env, pull.FileName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.t.Fatal(err)
	}
	return string(b)
}

// mustPull pulls, and the mirror must then be the newest state.
func (p *pulling) mustPull() {
	p.t.Helper()
	if out, err := p.command(p.t.Context()).CombinedOutput(); err != nil {
		p.t.Fatalf("%v\n%s\n%s", err, out, p.o.Log())
	}
	if p.mirror() != p.o.Newest().Mirror() {
		p.t.Fatal("the mirror is not the newest state")
	}
	entries, err := os.ReadDir(filepath.Join(p.content, pulltest.Env))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != pull.FileName && !strings.HasPrefix(e.Name(), "_") || strings.Contains(e.Name(), "tmp") {
			p.t.Errorf("%s is left over", e.Name())
		}
	}
}

// edit changes all items, each of which is large.
func (p *pulling) edit(mark string) {
	p.o.Change(func(items []pulltest.Item) []pulltest.Item {
		for k := range items {
			items[k] = pulltest.NewItem(items[k].ID, items[k].CreatedAt, time.Now(), mark+strings.Repeat("x", 10_000))
		}
		return items
	})
}

// pullKills is the default number of pulls that TestKilledPulls kills; TEST_CONTENTEDGE_KILLS overrides it.
const pullKills = 25

// TestKilledPulls kills pulls at random moments. The mirror stays the old one or becomes the new one,
// and the next pull succeeds without help.
func TestKilledPulls(t *testing.T) {
	t.Parallel()
	kills := number(t, "TEST_CONTENTEDGE_KILLS", pullKills)
	p := newPulling(t, 300)
	p.mustPull()
	p.edit("mark 0")
	started := time.Now()
	p.mustPull()
	takes := time.Since(started)
	killed, seed := 0, rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	for n := 1; n <= kills; n++ {
		before := p.mirror()
		p.edit(fmt.Sprint("mark ", n))
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rnd.Int64N(int64(takes))))
		if err := p.command(ctx).Run(); err != nil {
			killed++
		}
		cancel()
		if got := p.mirror(); got != before && got != p.o.Newest().Mirror() {
			t.Fatalf("seed %d: after the kill %d the mirror is neither the old one nor the new one", seed, n)
		}
		started = time.Now()
		p.mustPull()
		takes = max(takes/2, time.Since(started))
	}
	if killed == 0 {
		t.Fatal("no pull was killed: the test proves nothing")
	}
	t.Logf("%d of %d pulls killed, seed %d", killed, kills, seed)
}

// TestPullOnAFullDisk: a pull that cannot write its file says so, and the mirror stays.
func TestPullOnAFullDisk(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, says string
		fill       func(t *testing.T, p *pulling)
		free       func(t *testing.T, p *pulling)
	}{
		{"a limit of files", "file too large",
			func(t *testing.T, p *pulling) { p.wraps = []string{"sh", "-c", `ulimit -f 200; exec "$@"`, "sh"} }, // 200 kB, or 100 kB
			func(t *testing.T, p *pulling) { p.wraps = nil }},
		{"a small disk", "no space left on device",
			func(t *testing.T, p *pulling) {
				p.content = t.TempDir()
				mount(t, "tmpfs", p.content, "tmpfs", 0, "size=300k")
				t.Cleanup(func() { _ = unmount(p.content) })
				p.o.Change(func([]pulltest.Item) []pulltest.Item { return pulltest.New(50).Newest().Items })
				p.mustPull()
				p.edit("larger")
			},
			func(t *testing.T, p *pulling) { mount(t, "tmpfs", p.content, "tmpfs", remount, "size=9m") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPulling(t, 50)
			p.mustPull()
			p.edit("larger") // 500 kB
			tt.fill(t, p)
			before := p.mirror()
			out, err := p.command(t.Context()).CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(string(out), tt.says) {
				t.Errorf("it ends with %v: %s", err, out)
			}
			if p.mirror() != before {
				t.Error("the mirror changed")
			}
			tt.free(t, p)
			p.mustPull()
		})
	}
}

// TestPullsAtOnce runs two pulls into one folder. One waits for nobody: it ends with an error, and the
// mirror is right.
func TestPullsAtOnce(t *testing.T) {
	t.Parallel()
	p := newPulling(t, 50)
	reached, goOn := make(chan bool, 1), make(chan bool)
	p.o.Play(pulltest.At(2, pulltest.Then("the other pull begins", func(*pulltest.Origin) { reached <- true; <-goOn })))
	first := p.command(t.Context(), "--page-size", "10")
	var said bytes.Buffer
	first.Stdout, first.Stderr = &said, &said
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	<-reached
	out, err := p.command(t.Context()).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(string(out), "another pull") {
		t.Errorf("the second pull: %v %s", err, out)
	}
	close(goOn)
	if err := first.Wait(); err != nil || p.mirror() != p.o.Newest().Mirror() {
		t.Errorf("the first pull: %v %s", err, said.String())
	}
	p.mustPull()
}

// TestInterruptedPull: a signal ends a pull that waits for its origin.
func TestInterruptedPull(t *testing.T) {
	t.Parallel()
	p := newPulling(t, 50)
	p.mustPull()
	before := p.mirror()
	p.edit("unseen")
	p.o.Play(pulltest.Always(pulltest.Busy("60")))
	cmd := p.command(t.Context())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	storetest.WaitFor(t, "a request", func() bool { return p.o.Requests() > 0 })
	_ = cmd.Process.Signal(syscall.SIGTERM)
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 143 {
		t.Errorf("it ends with %v", err)
	}
	if p.mirror() != before {
		t.Error("the mirror changed")
	}
}
