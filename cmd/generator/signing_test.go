package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/exitcode"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/ship"
	"contentedge/generator/signing"
)

// TestKeys makes a key with the command, shows it, and never replaces it.
func TestKeys(t *testing.T) {
	name := filepath.Join(t.TempDir(), "ci.key")
	run := func(args ...string) (string, error) {
		var out strings.Builder
		err := dispatch(t.Context(), args, console{&out, io.Discard})
		return out.String(), err
	}
	made, err := run("keys", "new", "news.example/ci", "--out", name)
	if err != nil || !strings.HasPrefix(made, "key news.example/ci+") || strings.Count(made, "\n") != 1 {
		t.Fatalf("%q, %v", made, err)
	}
	private, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TEST_CONTENTEDGE_KEY", string(private))
	for _, where := range []string{name, "$TEST_CONTENTEDGE_KEY"} {
		if shown, err := run("keys", "show", where); err != nil || shown != made {
			t.Errorf("%s: %q, %v", where, shown, err)
		}
	}
	if out, err := run("keys", "new", "news.example/ci", "--out", name); err == nil || exitcode.Of(err) != exitcode.Machine || out != "" {
		t.Errorf("a second key in the file: %q, %v", out, err)
	}
	if now, err := os.ReadFile(name); err != nil || string(now) != string(private) {
		t.Errorf("the key is another one now: %v", err)
	}
}

// TestNoKeyOnCommandLines gives a private key to every command in every place: it is refused before something is
// opened, and never repeated.
func TestNoKeyOnCommandLines(t *testing.T) {
	text, _, err := signing.New("news.example/ci")
	if err != nil {
		t.Fatal(err)
	}
	secret := text[len(text)-20:]
	for _, args := range [][]string{
		{"publish", "s3://bucket/live", "--sign", text},
		{"publish", "s3://bucket/live", "--sign=" + text},
		{"publish", text, "--sign", "x"},
		{"publish", "s3://bucket/live", "--sgin", text},
		{"publish", "s3://bucket/live", "--expires", text, "--sign", "x"},
		{"releases", "rollback", "s3://bucket/live", "-sign", text},
		{"releases", text},
		{"keys", "new", text, "--out", "x"},
		{"keys", "show", text},
		{"pull", "http://127.0.0.1:1", "--env", text},
		{text},
	} {
		var out, errs strings.Builder
		err := dispatch(t.Context(), args, console{&out, &errs})
		code := finish(t.Context(), err, &errs)
		if all := out.String() + errs.String(); code != exitcode.Usage || strings.Contains(all, secret) || !strings.Contains(all, "replace this key") {
			t.Errorf("%q ends with %d: %s", strings.ReplaceAll(strings.Join(args, " "), text, "KEY"), code, strings.ReplaceAll(all, text, "KEY"))
		}
	}
	t.Setenv("CONTENTEDGE_SIGN", text)
	for _, more := range []string{"--dry-run", "--print-config"} {
		var out strings.Builder
		err := dispatch(t.Context(), []string{"publish", "s3://bucket/live", more}, console{&out, &out})
		if code := finish(t.Context(), err, &out); code != exitcode.Usage || strings.Contains(out.String(), secret) {
			t.Errorf("a key in CONTENTEDGE_SIGN with %s ends with %d: %s", more, code, strings.ReplaceAll(out.String(), text, "KEY"))
		}
	}
}

func TestValidity(t *testing.T) {
	for text, want := range map[string]validity{
		"7d": {time: 7 * 24 * time.Hour}, "2w": {time: 14 * 24 * time.Hour}, "90m": {time: 90 * time.Minute}, "1s": {time: time.Second}, "never": {forever: true},
		"": {}, "0": {}, "0d": {}, "-1d": {}, "1.5d": {}, "7": {}, "d": {}, "500ms": {}, "99999999h": {}, "65535w": {}, "1d12h": {}, "forever": {},
	} {
		var got validity
		if err := got.set(text); (err != nil) != (want == validity{}) || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

// TestMeantRelease: a signer names a release by its whole digest, or by a directory. An id is not enough.
func TestMeantRelease(t *testing.T) {
	content, public := t.TempDir(), filepath.Join(t.TempDir(), "public")
	if err := os.Mkdir(filepath.Join(content, "site"), 0o777); err != nil {
		t.Fatal(err)
	}
	item := `{"ContentID":"a","Name":"A","TemplateName":"T","CreatedAt":"2026-01-02T09:00:00Z"}`
	if err := os.WriteFile(filepath.Join(content, "site", "a.json"), []byte(item), 0o666); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := dispatch(t.Context(), []string{"build", "--content", content, "--out", public, "--json", "--quiet"}, console{&out, io.Discard}); err != nil {
		t.Fatal(err)
	}
	var built struct{ Build, ManifestSHA256 string }
	if err := json.Unmarshal([]byte(out.String()), &built); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(public, "manifest.json"))
	if err != nil || built.ManifestSHA256 != release.HexSHA256(raw) {
		t.Fatalf("build prints the digest %s: %v", built.ManifestSHA256, err)
	}
	digest, other, both := "sha256:"+built.ManifestSHA256, "sha256:"+strings.Repeat("a", 64), ship.Meant{Build: built.Build, ManifestSHA256: built.ManifestSHA256}
	for _, c := range []struct {
		name, against string
		want          ship.Meant
		err           string
	}{
		{"", "", ship.Meant{}, ""},
		{digest, "", ship.Meant{ManifestSHA256: built.ManifestSHA256}, ""},
		{"", public, both, ""}, {digest, public, both, ""}, {built.Build, public, both, ""},
		{built.Build, "", ship.Meant{}, "is not enough to sign"},
		{other, public, ship.Meant{}, "another release"}, {"0123456789abcdef", public, ship.Meant{}, "another release"},
		{digest[:70], "", ship.Meant{}, "does not name"}, {strings.ToUpper(digest), "", ship.Meant{}, "does not name"}, {"sha256:", "", ship.Meant{}, "does not name"},
		{built.ManifestSHA256, "", ship.Meant{}, "does not name"}, {strings.Repeat("x", 9999), "", ship.Meant{}, "does not name"},
		{"", content, ship.Meant{}, "--against"}, {digest, filepath.Join(content, "none"), ship.Meant{}, "--against"},
	} {
		got, err := meantRelease(c.name, c.against)
		if c.err == "" && (err != nil || got != c.want) {
			t.Errorf("%s against %q: %+v, %v", c.name, c.against, got, err)
		}
		if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err) || exitcode.Of(err) != exitcode.Usage || len(err.Error()) > 500) {
			t.Errorf("%.80s against %q: %v", c.name, c.against, err)
		}
	}
}
