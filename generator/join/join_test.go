package join_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator"
	"contentedge/generator/join"
	"contentedge/generator/removal"
	"contentedge/generator/verify"
)

// tenants writes environments with an item each, one with media, and returns their directory.
func tenants(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		file(t, filepath.Join(dir, tenant(i), "item.json"), fmt.Sprintf(
			`{"ContentID":"Content_%d","Name":"One of %d","TemplateName":"Page","CreatedAt":"2026-01-02T09:00:00Z","Data":{"text":%q}}`, i, i, strings.Repeat("long enough to be compressed ", 40)))
	}
	file(t, filepath.Join(dir, tenant(1), "picture.json"), `{"ContentID":"Content_p","Name":"p","TemplateName":"Page","CreatedAt":"2026-01-03T09:00:00Z","Data":{"pic":{"Type":"Reference","ReferenceType":"Media","MediaUrl":"./clip.mp4"}}}`)
	file(t, filepath.Join(dir, tenant(1), "clip.mp4"), strings.Repeat("film", 1000))
	return dir
}

// tenant names an environment. One name begins another, with a byte before and one behind the slash.
func tenant(i int) string { return "t" + []string{"", "-", "0"}[i%3] + fmt.Sprint(i/3) }

func file(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func build(t *testing.T, content string, partial bool, envs ...string) (out string) {
	t.Helper()
	out = filepath.Join(t.TempDir(), "out")
	if _, err := generator.Build(t.Context(), generator.BuildConfig{Content: content, Out: out, Envs: envs, Partial: partial, Lists: "-,template", NoSync: true}); err != nil {
		t.Fatal(err)
	}
	return out
}

// parts builds every environment in one of n parts, one after the other.
func parts(t *testing.T, content string, tenants, n int) (dirs []string) {
	t.Helper()
	envs := make([][]string, n)
	for i := range tenants {
		envs[i%n] = append(envs[i%n], tenant(i))
	}
	for _, e := range envs {
		dirs = append(dirs, build(t, content, true, e...))
	}
	return dirs
}

// tree has the files of a release with their times and modes.
func tree(t *testing.T, out string) map[string]string {
	t.Helper()
	root, err := filepath.EvalSymlinks(filepath.Join(out, release.CurrentLink))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		files[name] = fmt.Sprint(info.Mode(), string(b))
		if strings.HasPrefix(name, release.FilesLink+"/") {
			files[name] += info.ModTime().String()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func config(out string, parts ...string) join.Config {
	return join.Config{Parts: parts, Out: out, NoSync: true, Warn: func(string) {}}
}

// TestJoin makes releases of parts: of few environments and of many, linked and copied. They are those of one build.
func TestJoin(t *testing.T) {
	for _, n := range []int{7, release.MaxWhole + 2} {
		content := tenants(t, n)
		want := tree(t, build(t, content, false))
		dirs := parts(t, content, n, 3)
		out := filepath.Join(t.TempDir(), "public")
		for _, mode := range []fs.FileMode{0, 0o600} { // other modes than those of the parts: nothing can be linked
			c := config(out, dirs...)
			c.FileMode = mode
			r, err := join.Join(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if r.Environments != n || r.Parts != 3 || r.Items != n+1 || (r.Linked > 0) != (mode == 0) || (r.Copied > 0) != (mode != 0) {
				t.Errorf("%+v", r)
			}
			if mode == 0 {
				if got := tree(t, out); !maps.Equal(got, want) {
					t.Errorf("%d environments: %d files that differ from those of one build", n, differing(got, want))
				}
			}
			if report, err := verify.Dir(t.Context(), out); err != nil || len(report.Problems) > 0 {
				t.Errorf("%v, %v", report, err)
			}
			if err := os.RemoveAll(out); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func differing(a, b map[string]string) (n int) {
	for name := range maps.Keys(a) {
		if a[name] != b[name] {
			n++
		}
	}
	return n + max(0, len(b)-len(a))
}

// Parts that overlap, are whole releases or were built differently are refused by name, and so is the loss of an
// environment that the current release or another one has. Nothing is written then.
func TestRefused(t *testing.T) {
	content := tenants(t, 6)
	dirs := parts(t, content, 6, 2)
	whole := build(t, content, false)
	otherOrder := filepath.Join(t.TempDir(), "order")
	if _, err := generator.Build(t.Context(), generator.BuildConfig{Content: content, Out: otherOrder, Envs: []string{tenant(0)}, Partial: true, NoSync: true, PageSize: 3}); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "compressed")
	if _, err := generator.Build(t.Context(), generator.BuildConfig{Content: content, Out: other, Envs: []string{tenant(0)}, Partial: true, NoSync: true, Compress: "none"}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		parts []string
		want  string
	}{
		"the same part twice":  {[]string{dirs[0], dirs[1], dirs[0]}, fmt.Sprintf("environment %q is in %s and in %s", tenant(2), dirs[0], dirs[0])},
		"an overlap":           {[]string{dirs[0], build(t, content, true, tenant(2), tenant(3))}, fmt.Sprintf("environment %q", tenant(2))},
		"a whole release":      {[]string{whole}, "holds a whole release"},
		"another page size":    {[]string{dirs[1], otherOrder}, "another default order or page size"},
		"another compression":  {[]string{dirs[1], other}, "compressed in another way"},
		"no release":           {[]string{dirs[0], t.TempDir()}, "holds no release"},
		"an empty place":       {[]string{dirs[0], filepath.Join(t.TempDir(), "none")}, "holds no release"},
		"a missing one of out": {[]string{dirs[1]}, fmt.Sprintf("%s: 1 item now; the new release does not have the environment", tenant(0))},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			if _, err := join.Join(t.Context(), config(out, dirs...)); err != nil {
				t.Fatal(err)
			}
			before := tree(t, out)
			_, err := join.Join(t.Context(), config(out, c.parts...))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if !maps.Equal(tree(t, out), before) {
				t.Error("the release was changed")
			}
		})
	}
	t.Run("a missing one of a store", func(t *testing.T) {
		m, _, err := releasedir.ReadManifest(filepath.Join(whole, release.CurrentLink))
		if err != nil {
			t.Fatal(err)
		}
		c := config(filepath.Join(t.TempDir(), "out"), dirs[0])
		c.Against = []*release.Manifest{m}
		if _, err := join.Join(t.Context(), c); err == nil || !errors.As(err, new(*removal.Error)) || !strings.Contains(err.Error(), tenant(1)) {
			t.Errorf("got %v", err)
		}
		c.Removal.Allow = true
		if r, err := join.Join(t.Context(), c); err != nil || r.Environments != 3 {
			t.Errorf("allowed: %+v, %v", r, err)
		}
	})
}

// A part is not served, nor put in the place of a whole release.
func TestPartial(t *testing.T) {
	content := tenants(t, 2)
	part := build(t, content, true, tenant(0))
	if report, err := verify.Dir(t.Context(), part); err != nil || len(report.Problems) > 0 {
		t.Errorf("verify: %v, %v", report, err)
	}
	if _, err := releasedir.Open(part, nil); !errors.Is(err, release.ErrPartial) {
		t.Errorf("served: %v", err)
	}
	whole := build(t, content, false)
	before := tree(t, whole)
	_, err := generator.Build(t.Context(), generator.BuildConfig{Content: content, Out: whole, Envs: []string{tenant(0)}, Partial: true, NoSync: true})
	if !errors.As(err, new(*generator.UsageError)) || !maps.Equal(tree(t, whole), before) {
		t.Errorf("a part in the place of a release: %v", err)
	}
}

// A part that was damaged on its way is found where its files are copied. A join that ends leaves the old release.
func TestDamaged(t *testing.T) {
	content := tenants(t, 4)
	dirs := parts(t, content, 4, 2)
	out := filepath.Join(t.TempDir(), "out")
	if _, err := join.Join(t.Context(), config(out, dirs...)); err != nil {
		t.Fatal(err)
	}
	before := tree(t, out)
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := join.Join(ended, config(out, dirs...)); !errors.Is(err, context.Canceled) || !maps.Equal(tree(t, out), before) {
		t.Errorf("ended: %v", err)
	}
	damaged := filepath.Join(dirs[1], release.CurrentLink, "cda/rest/v1", tenant(1), "contents", "Content_1.json")
	b, err := os.ReadFile(damaged)
	if err == nil {
		b[10]++
		err = errors.Join(os.Remove(damaged), os.WriteFile(damaged, b, 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := join.Join(t.Context(), config(out, dirs...)); err == nil || !strings.Contains(err.Error(), "Content_1.json has the SHA-256") || !maps.Equal(tree(t, out), before) {
		t.Errorf("damaged: %v", err)
	}
}

// TestIntervals joins parts of environments in which an item appears or expires. The release is valid while all parts
// are. Parts that are never valid together are refused.
func TestIntervals(t *testing.T) {
	content := t.TempDir()
	for env, times := range map[string]string{
		"a": `"PublishedAt":"2026-03-01T00:00:00Z","ExpiresAt":"2026-06-01T00:00:00Z"`,
		"b": `"ExpiresAt":"2026-05-01T00:00:00Z"`,
		"c": `"ExpiresAt":"2026-06-01T00:00:00Z"`,
	} {
		file(t, filepath.Join(content, env, "always.json"), `{"ContentID":"Content_always","Name":"n","TemplateName":"Page","CreatedAt":"2025-01-02T09:00:00Z"}`)
		file(t, filepath.Join(content, env, "item.json"), `{"ContentID":"Content_item","Name":"n","TemplateName":"Page","CreatedAt":"2025-01-02T09:00:00Z",`+times+`}`)
	}
	partAt := func(env string, month time.Month) string {
		out := filepath.Join(t.TempDir(), "part")
		if _, err := generator.Build(t.Context(), generator.BuildConfig{Content: content, Out: out, Envs: []string{env}, Partial: true, NoSync: true, At: time.Date(2026, month, 1, 0, 0, 0, 0, time.UTC)}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, tt := range []struct {
		name        string
		parts       []string
		from, until string // of the release
		refused     string
	}{
		{name: "the same time", parts: []string{partAt("a", 4), partAt("b", 4)}, from: "2026-03-01T00:00:00.000Z", until: "2026-05-01T00:00:00.000Z"},
		{name: "other times, both in each interval", parts: []string{partAt("a", 5), partAt("b", 1)}, from: "2026-03-01T00:00:00.000Z", until: "2026-05-01T00:00:00.000Z"},
		{name: "the same end", parts: []string{partAt("a", 4), partAt("c", 1)}, from: "2026-03-01T00:00:00.000Z", until: "2026-06-01T00:00:00.000Z"},
		{name: "nothing changes later", parts: []string{partAt("b", 7), partAt("c", 7)}, from: "2026-06-01T00:00:00.000Z"},
		{name: "one expires before the other one's time", parts: []string{partAt("b", 4), partAt("c", 7)}, refused: "no time is from 2026-06-01T00:00:00.000Z on and before 2026-05-01T00:00:00.000Z; build all parts with the same --at"},
		{name: "one ends where the other one begins", parts: []string{partAt("a", 4), partAt("c", 6)}, refused: "no time is from 2026-06-01T00:00:00.000Z on and before 2026-06-01T00:00:00.000Z"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			_, err := join.Join(t.Context(), config(out, tt.parts...))
			if tt.refused != "" {
				if err == nil || !strings.Contains(err.Error(), tt.refused) {
					t.Fatalf("got %v, want %s", err, tt.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			m, _, err := releasedir.ReadManifest(filepath.Join(out, release.CurrentLink))
			if err != nil {
				t.Fatal(err)
			}
			if m.Visible.From != tt.from || m.Visible.Until != tt.until {
				t.Errorf("got %+v", m.Visible)
			}
		})
	}
}
