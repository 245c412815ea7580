// These tests let a disk or a store refuse at one moment: what signs a release and what is kept of it.

package ship

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/edgeserve/wire/store/storetest"
	"contentedge/generator/checksums"
)

// TestRecordThatCannotBeMade: without its record a release is not published, and the pointer stays.
func TestRecordThatCannotBeMade(t *testing.T) {
	w := newWorld(t)
	first, second := ownBuild(t, 0), ownBuild(t, 1)
	w.publish(first)
	key := newKey(t, "news.example/ci")
	before := string(w.object(release.PointerName))
	refused := errors.New("the attestation is refused")
	for name, tt := range map[string]struct {
		attest func(context.Context, string) ([]byte, error)
		status int // of the store's response to the record
	}{
		"nobody attests":                  {func(context.Context, string) ([]byte, error) { return nil, refused }, 0},
		"the store refuses the record":    {func(context.Context, string) ([]byte, error) { return []byte("{}"), nil }, http.StatusForbidden},
		"the store has no conditions":     {func(context.Context, string) ([]byte, error) { return []byte("{}"), nil }, http.StatusNotImplemented},
		"the store refuses other bytes":   {func(context.Context, string) ([]byte, error) { return []byte("[]"), nil }, http.StatusBadRequest},
		"the store refuses a long record": {func(context.Context, string) ([]byte, error) { return make([]byte, release.MaxAttestation), nil }, http.StatusForbidden},
	} {
		w.faults(func(_ int, r *http.Request) storetest.Fault {
			if tt.status != 0 && r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, release.AttestationName) {
				return storetest.Fault{Status: tt.status}
			}
			return storetest.Fault{}
		})
		c := w.signer(nil, key)
		c.Public, c.Sign.Origin, c.Sign.Attest = second, origin, tt.attest
		_, err := Publish(t.Context(), c)
		w.faults(nil)
		if err == nil || tt.status == 0 && !errors.Is(err, refused) {
			t.Errorf("%s: %v", name, err)
		}
		if after := string(w.object(release.PointerName)); after != before {
			t.Errorf("%s: the pointer is now %s", name, after)
		}
	}
	c := w.signer(nil, key)
	c.Public, c.Sign.Origin = second, origin
	if _, err := Publish(t.Context(), c); err != nil {
		t.Errorf("the next publication: %v", err)
	}
}

// TestLeaveRefused: what a release directory cannot take is an error, which names the file; otherwise it has what the
// publication left, and nothing of an earlier one.
func TestLeaveRefused(t *testing.T) {
	const pointer, record = release.PointerName, release.AttestationName
	for _, tt := range []struct {
		name, blocked string // the file in whose place a directory is
		record        string
		signed        bool
		refused       bool
		left          []string
	}{
		{"signed", "", "record", true, false, []string{record, pointer}},
		{"signed without a record", "", "", true, false, []string{pointer}},
		{"not signed", "", "", false, false, nil},
		{"signed, no place for the pointer", pointer, "record", true, true, nil},
		{"signed, no place for the record", record, "record", true, true, nil},
		{"signed, the old record stays", record, "", true, true, nil},
		{"not signed, the old pointer stays", pointer, "", false, true, nil},
		{"not signed, the old record stays", record, "", false, true, nil},
	} {
		l := &local{List: &checksums.List{Dir: t.TempDir()}}
		files := []string{pointer, record, release.ManifestName}
		for _, name := range files {
			path := filepath.Join(l.Dir, name)
			err := os.WriteFile(path, []byte("old"), 0o644)
			if name == tt.blocked {
				err = errors.Join(os.Remove(path), os.MkdirAll(filepath.Join(path, "x"), 0o755))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		err := leave(l, l.Dir, []byte("pointer"), []byte(tt.record), tt.signed)
		if (err != nil) != tt.refused || err != nil && !strings.Contains(err.Error(), l.Dir) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if tt.refused {
			continue
		}
		var left []string
		for _, name := range files[:2] {
			b, err := os.ReadFile(filepath.Join(l.Dir, name))
			if err == nil && string(b) == "old" {
				t.Errorf("%s: %s is of an earlier publication", tt.name, name)
			}
			if err == nil {
				left = append(left, name)
			}
		}
		if slices.Sort(left); !slices.Equal(left, tt.left) {
			t.Errorf("%s: %v is left, want %v", tt.name, left, tt.left)
		}
	}
}

// TestSameText compares what pointers say, whoever signed them; the pointer of an empty store says nothing.
func TestSameText(t *testing.T) {
	const text = `{"build":"a"}` + "\n"
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{text, text, true},
		{text, text + "\n— one sig\n", true},
		{text + "\n— one sig\n", text + "\n— two sig\n", true},
		{text, strings.ToUpper(text), false},
		{text, "", false},
		{"", text, false},
		{"", "", false},
	} {
		if got := sameText([]byte(tt.a), []byte(tt.b)); got != tt.want {
			t.Errorf("%q and %q: %v", tt.a, tt.b, got)
		}
	}
}

// TestUnexpectedFiles removes, in order of their names, the files that a release could have, and names others.
func TestUnexpectedFiles(t *testing.T) {
	var warned []string
	p := &live{writer: &writer{PublishConfig: PublishConfig{Store: &store.Store{}, Warn: func(m string) { warned = append(warned, m) }}}}
	there := map[string]store.Info{}
	var want []string
	for _, id := range []string{"b", "a", "z", "m", "c", "a-b"} {
		for _, coding := range []string{"", ".gz", ".br"} {
			want = append(want, "cda/rest/v1/demo/contents/"+id+".json"+coding)
		}
	}
	for _, name := range append(want, release.PointerName) {
		there[name] = store.Info{}
	}
	slices.Sort(want)
	for _, strange := range []bool{false, true} {
		if strange {
			there["thesis.txt"] = store.Info{}
		}
		var got []string
		for _, c := range p.unexpected(there) {
			got = append(got, c.name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("removes %q, want %q", got, want)
		}
		if strange != (len(warned) == 1 && strings.Contains(warned[0], "thesis.txt")) {
			t.Errorf("with a strange file %v: warned %q", strange, warned)
		}
	}
}
