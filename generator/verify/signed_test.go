package verify

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/trust"
)

// TestSigned verifies a directory and a site by the signed pointer beside the manifest.
func TestSigned(t *testing.T) {
	out := large(t, "some text ")
	dir := filepath.Join(out, "current")
	manifest, err := os.ReadFile(filepath.Join(dir, release.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	m, err := release.Parse(manifest)
	if err != nil {
		t.Fatal(err)
	}
	private, public, err := trust.NewKey("news.example/ci")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := trust.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := trust.Parse([]byte("version 1\norigin news.example/production\nthreshold 1\nkey " + public + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	record := []byte("{}\n")
	pointer := func(origin string, manifest []byte, published, expires time.Time, record []byte) []byte {
		t.Helper()
		p, err := (*release.Pointer)(nil).Next(m.Build, manifest, published).ForSigning(origin, expires, record)
		if err != nil {
			t.Fatal(err)
		}
		b, err := trust.Sign(p.Encode(), signer)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	const origin = "news.example/production"
	now, never := time.Now(), time.Time{}
	h := newHost(t, dir)
	verified := func() (signed []*trust.Verified, errs []error) {
		v, err := Signed(out, policy)
		r, e := h.site(t, SiteConfig{Trust: policy, Sample: 1})
		if e == nil {
			return []*trust.Verified{v, r.Signed}, []error{err, e}
		}
		return []*trust.Verified{v, nil}, []error{err, e}
	}
	if err := os.Symlink("current/"+release.PointerName, filepath.Join(out, release.PointerName)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		raw  []byte // nil: none
		want string // of the error; "": none
	}{
		{"no pointer", nil, ErrUnsigned.Error()},
		{"a pointer", pointer(origin, manifest, now, never, nil), ""},
		{"a pointer that expires", pointer(origin, manifest, now, now.Add(time.Hour), nil), ""},
		{"a pointer that has expired", pointer(origin, manifest, now.Add(-2*time.Hour), now.Add(-time.Hour), nil), "was valid until"},
		{"a pointer of another origin", pointer("news.example/staging", manifest, now, never, nil), trust.ErrOrigin.Error()},
		{"a pointer of another manifest", pointer(origin, []byte("{}"), now, never, nil), "the manifest is another one"},
		{"a pointer without signatures", (*release.Pointer)(nil).Next(m.Build, manifest, now).Encode(), trust.ErrUnsigned.Error()},
		{"a changed pointer", []byte(strings.Replace(string(pointer(origin, manifest, now, never, nil)), `"sequence":1`, `"sequence":2`, 1)), trust.ErrSignature.Error()},
		{"a pointer without an end", []byte(strings.Repeat("x", release.MaxPointer+1)), fmt.Sprint(release.MaxPointer)},
	} {
		name := filepath.Join(dir, release.PointerName)
		if c.raw == nil {
			_ = os.Remove(name)
		} else if err := os.WriteFile(name, c.raw, 0o644); err != nil {
			t.Fatal(err)
		}
		signed, errs := verified()
		for i, err := range errs {
			what := []string{"directory", "site"}[i]
			if c.want == "" && (err != nil || signed[i].Build != m.Build) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s: the %s: %+v, %v", c.name, what, signed[i], err)
			}
		}
	}
	// An edge server has no such files: those of the expected release count.
	if err := os.WriteFile(filepath.Join(dir, release.PointerName), pointer(origin, manifest, now, never, record), 0o644); err != nil {
		t.Fatal(err)
	}
	elsewhere := t.TempDir()
	if err := os.CopyFS(elsewhere, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{release.PointerName, release.ManifestName} {
		if err := os.Remove(filepath.Join(elsewhere, name)); err != nil {
			t.Fatal(err)
		}
	}
	edge := newHost(t, elsewhere)
	if _, err := edge.site(t, SiteConfig{Trust: policy, Against: out}); err != nil {
		t.Errorf("against a directory: %v", err)
	}
	// The record may be missing, as only stores need it, but not be another one.
	for text, good := range map[string]bool{"": true, string(record): true, "{ }\n": false} {
		name := filepath.Join(dir, release.AttestationName)
		_ = os.Remove(name)
		if text != "" {
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Signed(out, policy); (err == nil) != good || !good && !errors.Is(err, trust.ErrSignature) {
			t.Errorf("the record %q: %v", text, err)
		}
	}
	if r, err := Dir(t.Context(), out); err != nil || len(r.Problems) > 0 {
		t.Errorf("the release with what a publication leaves: %+v, %v", r, err)
	}
}
