package release

import (
	"errors"
	"strings"
	"testing"
	"time"
)

const kindText = `{"format":3,"kind":"nodes","sequence":2,"build":"00112233445566aa","manifest_bytes":8,` +
	`"manifest_sha256":"05b3abf2579a5eb66403cd78be557fd860633a1fe2103c7642030defe32c657f","previous":"0000000000000001","published":"2026-04-07T09:30:00Z"}` + "\n"

// A pointer of another kind has a format that older versions refuse by its number.
func TestStoreKind(t *testing.T) {
	complete, err := ParsePointer([]byte(pointerText))
	if err != nil {
		t.Fatal(err)
	}
	nodes := complete.Of(KindNodes)
	if got := string(nodes.Encode()); got != kindText {
		t.Errorf("got  %swant %s", got, kindText)
	}
	if back, err := ParsePointer([]byte(kindText)); err != nil || *back != *nodes || back.IsSigned() {
		t.Errorf("read back: %+v, %v", back, err)
	}
	if back := nodes.Of(KindComplete); *back != *complete {
		t.Errorf("back to complete releases: %s", back.Encode())
	}
	if r := nodes.Renewed(at); r.Kind != KindNodes || r.Format != KindPointerFormat || r.Sequence != 3 {
		t.Errorf("renewed: %s", r.Encode())
	}
	signed, err := nodes.ForSigning("a", time.Time{}, nil)
	if err != nil || !strings.HasPrefix(string(signed.Encode()), `{"format":4,"origin":"a","kind":"nodes","sequence":2,`) || !signed.IsSigned() {
		t.Errorf("signed: %s, %v", signed.Encode(), err)
	}
	if p := signed.Of(KindNodes); p.Format != KindPointerFormat || p.IsSigned() {
		t.Errorf("unsigned again: %s", p.Encode())
	}
}

func TestStoreKindRefuses(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		want           error
	}{
		{"a kind of a newer version", `"nodes"`, `"later"`, ErrFormat},
		{"no kind", `"kind":"nodes",`, ``, ErrPointer},
		{"an empty kind", `"nodes"`, `""`, ErrPointer},
		{"a kind in format 1", `{"format":3`, `{"format":1`, ErrPointer},
		{"a damaged name", `"kind"`, `"kinc"`, ErrPointer},
		{"a member more", `"sequence"`, `"x":1,"sequence"`, ErrPointer},
		{"no signatures", `{"format":3`, `{"format":4,"origin":"a"`, ErrPointer},
	} {
		if p, err := ParsePointer([]byte(strings.Replace(kindText, c.old, c.new, 1))); !errors.Is(err, c.want) {
			t.Errorf("%s: %+v, %v", c.name, p, err)
		}
	}
}

func TestObjectKey(t *testing.T) {
	const build = "00112233445566aa"
	for _, c := range []struct {
		kind       StoreKind
		name, want string
	}{
		{KindComplete, "snapshots/a-0123456789abcdef.snap", "releases/00112233445566aa/snapshots/a-0123456789abcdef.snap"},
		{KindComplete, ManifestName, "releases/00112233445566aa/manifest.json"},
		{KindNodes, "snapshots/a-0123456789abcdef.snap", "snapshots/a-0123456789abcdef.snap"},
		{KindNodes, "cda/media/a/x/y.png", "cda/media/a/x/y.png"},
		{KindNodes, ManifestName, "releases/00112233445566aa/manifest.json"},
		{KindNodes, PointerName, "releases/00112233445566aa/current.json"},
		{KindNodes, AttestationName, "releases/00112233445566aa/attestation.json"},
		{KindInPlace, "cda/rest/v1/a/contents/x", "live/cda/rest/v1/a/contents/x"},
		{KindInPlace, ManifestName, "releases/00112233445566aa/manifest.json"},
	} {
		if got := c.kind.ObjectKey(build, c.name); got != c.want {
			t.Errorf("%s of a store for %s: %s, want %s", c.name, c.kind, got, c.want)
		}
	}
	if KindNodes.Loses(KindComplete) || KindNodes.Loses(KindInPlace) || !KindComplete.Loses(KindNodes) || !KindInPlace.Loses(KindComplete) || KindInPlace.Loses(KindInPlace) {
		t.Error("what readers lose")
	}
}
