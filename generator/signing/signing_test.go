package signing

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

// private is a key that signs nothing of value, and public is its public key.
const (
	private = "PRIVATE+KEY+news.example/ci+3531edde+AR2Ho36OxFrgpJlYoFW+wQVI1ukHwKo/N56atPJY82C9"
	public  = "news.example/ci+3531edde+AWi+yIsCbLYj3yhVeU29nXiTIazi5o8AGcMd5tqtwO9g"
)

// TestSigning makes a key, writes it, reads it from a file and from a variable, and verifies what it signs.
func TestSigning(t *testing.T) {
	text, made, err := New("news.example/ci")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "ci.key")
	if err := Write(name, text); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TEST_CONTENTEDGE_KEY", text)
	for _, where := range []string{name, "$TEST_CONTENTEDGE_KEY", "${TEST_CONTENTEDGE_KEY}"} {
		k, err := Read(where, func(m string) { t.Errorf("%s: %s", where, m) })
		if err != nil {
			t.Fatal(err)
		}
		if k.Public() != made.Public() || k.ID() != made.ID() || !strings.HasPrefix(k.Public(), k.ID()+"+") {
			t.Errorf("%s: read %s, made %s", where, k.Public(), made.Public())
		}
		verifier, err := note.NewVerifier(k.Public())
		if err != nil {
			t.Fatal(err)
		}
		signed, err := note.Sign(&note.Note{Text: "text\n"}, k)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := note.Open(signed, note.VerifierList(verifier)); err != nil {
			t.Errorf("%s: %v", where, err)
		}
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode of the key file is %v, %v", info.Mode(), err)
	}
}

// TestWriteNeverReplaces: a key that is lost cannot be had again.
func TestWriteNeverReplaces(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.key")
	if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{name, filepath.Join(dir, "link"), filepath.Join(dir, "none", "a.key"), dir} {
		if err := Write(path, "new"); err == nil {
			t.Errorf("%s was written", path)
		}
	}
	if b, err := os.ReadFile(name); err != nil || string(b) != "old" {
		t.Errorf("the file is %q, %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "elsewhere")); err == nil {
		t.Error("a link was followed")
	}
}

// TestReadRefuses: each refusal says what to do, and none repeats the key.
func TestReadRefuses(t *testing.T) {
	text, _, err := New("ci")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	at := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("TEST_CONTENTEDGE_EMPTY", " \n")
	t.Setenv("TEST_CONTENTEDGE_CUT", text[:len(text)-4])
	seed := text[strings.LastIndex(text[:len(text)-44], "+")+1:]
	for _, c := range []struct{ name, where, want string }{
		{"the key itself", text, "--sign '$NAME'"},
		{"the key behind something", "x=" + text, "replace this key"},
		{"nothing", "", "single quotes"},
		{"no variable", "$TEST_CONTENTEDGE_NONE", "empty or not set"},
		{"an empty variable", "$TEST_CONTENTEDGE_EMPTY", "empty or not set"},
		{"a cut key", "$TEST_CONTENTEDGE_CUT", "$TEST_CONTENTEDGE_CUT: this is not a private key"},
		{"no file", filepath.Join(dir, "none"), "generator keys new"},
		{"a public key", at("public", strings.TrimPrefix(text, privatePrefix)), "this is not a private key"},
		{"two keys", at("two", text+"\n"+text+"\n"), "this is not a private key"},
		{"an endless file", "/dev/zero", "more than"},
		{"a directory", dir, "is a directory"},
	} {
		k, err := Read(c.where, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v", c.name, k, err)
			continue
		}
		if strings.Contains(err.Error(), seed[:20]) {
			t.Errorf("%s: the error repeats the key: %v", c.name, err)
		}
	}
	if _, err := Read(text, nil); !errors.Is(err, ErrInArguments) {
		t.Errorf("a key as an argument: %v", err)
	}
}

// TestReadableByOthers: containers mount secrets with many modes, so this is a warning.
func TestReadableByOthers(t *testing.T) {
	name := filepath.Join(t.TempDir(), "ci.key")
	if err := os.WriteFile(name, []byte("\n"+private+"\r\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	warned := ""
	k, err := Read(name, func(m string) { warned += m })
	if err != nil || k.Public() != public || !strings.Contains(warned, "0644, not 0600") {
		t.Errorf("%v, %q, %v", k, warned, err)
	}
}

// TestKeysDoNotPrint: whoever formats a key or a struct with one gets its ID.
func TestKeysDoNotPrint(t *testing.T) {
	text, k, err := New("ci")
	if err != nil {
		t.Fatal(err)
	}
	seed := text[len(text)-20:]
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		for _, v := range []any{k, struct{ K *Key }{k}, []*Key{k}} {
			if got := fmt.Sprintf(format, v); strings.Contains(got, seed) || HoldsKey(got) {
				t.Errorf("%s prints %s", format, got)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(private)
	f.Add("PRIVATE+KEY+a+00000000+")
	f.Add("PRIVATE+KEY++")
	_, without := Parse("no key")
	f.Fuzz(func(t *testing.T, text string) {
		k, err := Parse(text)
		if err != nil {
			if strings.Contains(err.Error(), text) && !strings.Contains(without.Error(), text) && HoldsKey(text) {
				t.Errorf("the error repeats the key: %v", err)
			}
			return
		}
		if _, err := note.NewVerifier(k.Public()); err != nil {
			t.Errorf("%q has the public key %q: %v", text, k.Public(), err)
		}
	})
}
