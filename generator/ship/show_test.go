package ship

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/trust"
	"contentedge/generator/provenance"
)

// TestShow shows the current release, the proposed one and one that was current, with who built them.
func TestShow(t *testing.T) {
	c := newCircle(t, 2, 2)
	source := &provenance.Source{Repository: "https://github.com/example/news", Commit: strings.Repeat("a", 40), Builder: "https://example.org/builder"}
	attest := func(_ context.Context, sum string) ([]byte, error) { return source.Encode(release.ManifestName, sum) }
	first := c.signed(c.policy).Build
	both := c.config(c.keys...)
	both.Public, both.Sign.Attest = buildOf(t, 6, 1), attest
	r, err := Publish(t.Context(), both)
	if err != nil {
		t.Fatal(err)
	}
	one := c.config(c.keys[0])
	one.Public, one.Sign.Propose, one.Sign.Attest = buildOf(t, 6, 2), true, attest
	p, err := Publish(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	show := func(build string, policy *trust.Policy) []Shown {
		t.Helper()
		all, err := Show(t.Context(), c.s, build, policy)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	all := show("", c.policy)
	if len(all) != 2 {
		t.Fatalf("%+v", all)
	}
	if now := all[0]; now.Build != r.Build || !now.Current || now.Proposed || len(now.Trusted) != 2 || now.Refused != "" || now.Source == nil || *now.Source != *source || now.Sequence != 2 {
		t.Errorf("current: %+v", now)
	}
	if next := all[1]; next.Build != p.Build || next.Current || !next.Proposed || next.Trusted != nil || !strings.Contains(next.Refused, "too few") || next.Source == nil || next.Sequence != 3 {
		t.Errorf("proposed: %+v", next)
	}
	if was := show(first, c.policy); len(was) != 1 || !was[0].Previous || len(was[0].Trusted) != 2 || was[0].Source != nil || was[0].NoSource != "" {
		t.Errorf("the one before: %+v", was)
	}
	if alone := show(p.Build, nil); len(alone) != 1 || !alone[0].Proposed || !slices.Equal(alone[0].Signed.SignedBy, []string{"news.example/0"}) {
		t.Errorf("alone: %+v", alone)
	}
	c.overwrite(root(r.Build)+release.AttestationName, []byte("{}"))
	if now := show(r.Build, nil)[0]; now.Source != nil || !strings.Contains(now.NoSource, "its digest differs") {
		t.Errorf("an exchanged record: %+v", now)
	}
	if err := c.s.Delete(t.Context(), root(r.Build)+release.AttestationName); err != nil {
		t.Fatal(err)
	}
	if now := show(r.Build, nil)[0]; now.Source != nil || now.NoSource == "" {
		t.Errorf("a record that is gone: %+v", now)
	}
	if _, err := Show(t.Context(), c.s, "0123456789abcdef", nil); !errors.Is(err, ErrNoRelease) {
		t.Errorf("no release: %v", err)
	}
	if r, err = Publish(t.Context(), both); err != nil || r.Changed {
		t.Fatalf("%+v, %v", r, err)
	}
	if now := show(r.Build, nil)[0]; now.Source == nil {
		t.Errorf("publishing again brings the record back: %+v", now)
	}
	if err := c.s.Delete(t.Context(), root(r.Build)+release.AttestationName); err != nil {
		t.Fatal(err)
	}
	now := *c.signed(c.policy).Pointer
	now.Published, now.Expires = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"
	late, err := trust.Sign(now.Encode(), both.Sign.Keys[0], both.Sign.Keys[1])
	if err != nil {
		t.Fatal(err)
	}
	good := c.object(release.PointerName)
	c.overwrite(release.PointerName, late)
	if old := show(r.Build, c.policy)[0]; !old.Expired || old.Trusted != nil || !strings.Contains(old.Refused, "expired") {
		t.Errorf("an expired pointer: %+v", old)
	}
	c.overwrite(release.PointerName, good)
	source.Commit, c.warned = strings.Repeat("b", 40), nil
	if r, err = Publish(t.Context(), both); err != nil || r.Changed || len(c.warned) != 1 || !strings.Contains(c.warned[0], "would write another one") {
		t.Errorf("another commit has the same release: %+v, %v, %v", r, err, c.warned)
	}
}

// TestCurrentTrusted: diff compares with what nodes would serve, or says why they would not.
func TestCurrentTrusted(t *testing.T) {
	c := newCircle(t, 2, 2)
	stored, err := Current(t.Context(), c.s, c.policy)
	if err != nil || stored.Manifest.Build != c.signed(c.policy).Build {
		t.Fatalf("%+v, %v", stored, err)
	}
	if _, err := Proposed(t.Context(), c.s, c.policy); !errors.Is(err, ErrProposal) {
		t.Errorf("no proposal: %v", err)
	}
	r, err := c.propose(buildOf(t, 6, 1), c.keys[0])
	if err != nil {
		t.Fatal(err)
	}
	if stored, err = Proposed(t.Context(), c.s, c.policy); err != nil || stored.Manifest.Build != r.Build {
		t.Errorf("proposed: %+v, %v", stored, err)
	}
	stranger := policy(t, 1, newKey(t, "news.example/0"))
	if _, err := Proposed(t.Context(), c.s, stranger); !errors.Is(err, trust.ErrThreshold) {
		t.Errorf("a proposal of nobody: %v", err)
	}
	if _, err := Current(t.Context(), c.s, stranger); !errors.Is(err, trust.ErrThreshold) {
		t.Errorf("a pointer of nobody: %v", err)
	}
	now := c.signed(c.policy).Build
	c.overwrite(root(now)+release.ManifestName, c.object(root(r.Build)+release.ManifestName))
	if _, err := Current(t.Context(), c.s, c.policy); err == nil {
		t.Error("the manifest of another release is taken for the current one")
	}
}
