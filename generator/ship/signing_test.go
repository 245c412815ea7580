package ship

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/edgeserve/wire/store/storetest"
	"contentedge/edgeserve/wire/trust"
	"contentedge/generator/removal"
	"contentedge/generator/signing"
)

const origin = "news.example/production"

func newKey(t *testing.T, name string) *signing.Key {
	t.Helper()
	_, k, err := signing.New(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// policy is a trust file that wants so many signatures of the keys.
func policy(t *testing.T, threshold int, keys ...*signing.Key) *trust.Policy {
	t.Helper()
	text := fmt.Sprintf("version 1\norigin %s\nthreshold %d\n", origin, threshold)
	for _, k := range keys {
		text += "key " + k.Public() + "\n"
	}
	p, err := trust.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// signed reads the pointer as a node with a policy does.
func (w *world) signed(p *trust.Policy) *trust.Verified {
	w.t.Helper()
	v, err := p.Verify(w.object(release.PointerName), time.Now())
	if err != nil {
		w.t.Fatal(err)
	}
	return v
}

// object reads an object of the store, whatever it is.
func (w *world) object(key string) []byte {
	w.t.Helper()
	b, _, err := get(w.t.Context(), w.s, key, 1<<20)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

// overwrite replaces an object, as somebody does who may write to the store.
func (w *world) overwrite(key string, b []byte) {
	w.t.Helper()
	if _, err := putBytes(w.t.Context(), w.s, key, b, store.PutOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

// signer signs with keys, and warns into the test.
func (w *world) signer(warned *[]string, keys ...*signing.Key) PublishConfig {
	return PublishConfig{Store: w.s, Removal: removal.Limit{Allow: true}, Sign: Signing{Keys: keys}, Warn: func(m string) {
		if warned == nil {
			w.t.Errorf("warning: %s", m)
			return
		}
		*warned = append(*warned, m)
	}}
}

// TestSigned takes a store from its first signature through publications, a rollback, a renewal, a rotation of keys
// and back to pointers without signatures.
func TestSigned(t *testing.T) {
	w := newWorld(t)
	ci, anna := newKey(t, "news.example/ci"), newKey(t, "news.example/anna")
	publics := []string{ownBuild(t, 0), ownBuild(t, 1), ownBuild(t, 2)}
	w.publish(publics[0])
	c := w.signer(nil, ci)
	publish := func(public string, sign func(*Signing)) (*Report, error) {
		c := c
		c.Public = public
		if sign != nil {
			sign(&c.Sign)
		}
		return Publish(t.Context(), c)
	}

	if _, err := publish(publics[0], nil); err == nil || !strings.Contains(err.Error(), "--origin") {
		t.Fatalf("a first signature without an origin: %v", err)
	}
	r, err := publish(publics[0], func(s *Signing) { s.Origin = origin })
	if err != nil || !r.Changed || r.Sequence != 2 || r.Sent != 0 || !slices.Equal(r.SignedBy, []string{"news.example/ci"}) {
		t.Fatalf("the current release is signed: %+v, %v", r, err)
	}
	if v := w.signed(policy(t, 1, ci)); v.Origin != origin || v.Previous != "" || v.Expires != "" {
		t.Errorf("signed as %+v", v.Pointer)
	}
	if r, err = publish(publics[0], nil); err != nil || r.Changed || r.Sequence != 2 {
		t.Errorf("what is signed already moves nothing: %+v, %v", r, err)
	}
	if _, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: publics[1]}); !errors.Is(err, ErrSigned) || !strings.Contains(err.Error(), "--unsigned") {
		t.Errorf("a publication without a key: %v", err)
	}
	if _, err := publish(publics[1], func(s *Signing) { s.Origin = "news.example/staging" }); !errors.Is(err, trust.ErrOrigin) {
		t.Errorf("another origin: %v", err)
	}
	if r, err = publish(publics[1], func(s *Signing) { s.Expires = time.Hour }); err != nil || r.Expires == "" {
		t.Fatalf("the next release: %+v, %v", r, err)
	}
	v := w.signed(policy(t, 1, ci))
	if left := v.ExpiresAt().Sub(v.PublishedAt()); v.Sequence != 3 || left != time.Hour {
		t.Errorf("%+v is valid for %s", v.Pointer, left)
	}
	for _, name := range []string{filepath.Join(publics[1], release.PointerName), filepath.Join(publics[1], release.CurrentLink, release.PointerName)} {
		if b, err := os.ReadFile(name); err != nil || string(b) != string(w.object(release.PointerName)) {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}

	m, err := Rollback(t.Context(), c)
	if v = w.signed(policy(t, 1, ci)); err != nil || v.Sequence != 4 || v.ExpiresAt().Sub(v.PublishedAt()) != time.Hour || m.Expires == "" {
		t.Errorf("a rollback: %+v, %v", v.Pointer, err)
	}
	if m, err = Renew(t.Context(), c, 0); err != nil || m.Sequence != 5 || w.signed(policy(t, 1, ci)).Build != v.Build {
		t.Errorf("a renewal: %+v, %v", m, err)
	}
	both := c
	both.Sign.Keys, both.Sign.Forever = []*signing.Key{ci, anna}, true
	if _, err = Renew(t.Context(), both, 0); err != nil {
		t.Fatal(err)
	}
	if v = w.signed(policy(t, 2, ci, anna)); v.Expires != "" || len(v.SignedBy) != 2 {
		t.Errorf("signed by both, without an end: %+v", v)
	}
	var warned []string
	alone := w.signer(&warned, anna)
	alone.Public = publics[2]
	if r, err = Publish(t.Context(), alone); err != nil || w.signed(policy(t, 1, anna)).Sequence != 7 || len(warned) != 1 || !strings.Contains(warned[0], "had 2 signatures") {
		t.Errorf("the old key is dropped: %+v, %v, %v", r, err, warned)
	}
	if _, err = publish(publics[2], nil); !errors.Is(err, ErrNotVouched) {
		t.Errorf("a key that has signed nothing here: %v", err)
	}
	plain := PublishConfig{Store: w.s, Public: publics[2], Sign: Signing{Unsigned: true}}
	if r, err = Publish(t.Context(), plain); err != nil || !r.Changed || r.SignedBy != nil {
		t.Errorf("signatures are given up: %+v, %v", r, err)
	}
	if p, err := release.ParsePointer(w.object(release.PointerName)); err != nil || p.Format != release.PointerFormat || p.Sequence != 8 {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := os.Stat(filepath.Join(publics[2], release.PointerName)); err == nil {
		t.Error("the signed pointer stays beside a release that is not signed any more")
	}
}

// ownBuild is a release that a test may change.
func ownBuild(t *testing.T, changed int) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "public")
	buildInto(t, out, 40, changed)
	return out
}

// TestSignedStoreOfOthers has the store lie to a publisher: it signs nothing of what it is told, or warns.
func TestSignedStoreOfOthers(t *testing.T) {
	w := newWorld(t)
	ci, mallory := newKey(t, "news.example/ci"), newKey(t, "news.example/ci")
	first, second := ownBuild(t, 0), ownBuild(t, 1)
	c := w.signer(nil, ci)
	c.Public, c.Sign.Origin = first, origin
	if _, err := Publish(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	good := w.object(release.PointerName)
	c.Public, c.Sign.Origin = second, ""
	forge := func(change func(*release.Pointer)) []byte {
		p, err := release.ParsePointer(good)
		if err != nil {
			t.Fatal(err)
		}
		change(p)
		b, err := trust.Sign(p.Encode(), mallory)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, lie := range []struct {
		name  string
		bytes []byte
		want  string
	}{
		{"another origin", forge(func(p *release.Pointer) { p.Origin = "news.example/staging" }), "nothing proves"},
		{"a high number", forge(func(p *release.Pointer) { p.Sequence = release.MaxSequence }), "nothing proves"},
		{"no signature", func() []byte { p, _ := release.ParsePointer(good); return p.Renewed(time.Now()).Encode() }(), "--origin"},
		{"the right signature of another text", []byte(strings.Replace(string(good), `"sequence":1`, `"sequence":9`, 1)), "signature"},
		{"nothing that is a pointer", []byte("{}\n"), "releases/BUILD/current.json"},
		{"a pointer without an end", []byte(strings.Repeat(" ", release.MaxPointer+1)), "too large"},
	} {
		w.overwrite(release.PointerName, lie.bytes)
		w.requests("PUT")
		if _, err := Publish(t.Context(), c); err == nil || !strings.Contains(err.Error(), lie.want) {
			t.Errorf("%s: %v", lie.name, err)
		}
		if puts := w.requests("PUT"); len(puts) > 0 {
			t.Errorf("%s: sent %v", lie.name, puts)
		}
	}
	w.overwrite(release.PointerName, forge(func(p *release.Pointer) { p.Sequence = 9 }))
	var warned []string
	named := w.signer(&warned, ci)
	named.Public, named.Sign.Origin = second, origin
	if _, err := Publish(t.Context(), named); err != nil || len(warned) != 1 || !strings.Contains(warned[0], "nothing proves") || w.signed(policy(t, 1, ci)).Sequence != 10 {
		t.Errorf("an origin that is named: %v, %v", err, warned)
	}
}

// TestFewerSignatures: a pointer with fewer signatures than the one before is a warning, unless the trust file of the
// nodes says that they are enough.
func TestFewerSignatures(t *testing.T) {
	w := newWorld(t)
	ci, anna := newKey(t, "news.example/ci"), newKey(t, "news.example/anna")
	both := w.signer(nil, ci, anna)
	both.Public, both.Sign.Origin = ownBuild(t, 0), origin
	if _, err := Publish(t.Context(), both); err != nil {
		t.Fatal(err)
	}
	for _, known := range []*trust.Policy{policy(t, 1, ci, anna), nil} {
		var warned []string
		one := w.signer(&warned, ci)
		one.Sign.Trust = known
		if _, err := Renew(t.Context(), one, 0); err != nil {
			t.Fatal(err)
		}
		if known != nil && len(warned) > 0 || known == nil && (len(warned) != 1 || !strings.Contains(warned[0], "had 2 signatures")) {
			t.Errorf("trust file %t: %q", known != nil, warned)
		}
		if _, err := Renew(t.Context(), both, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRollbackProves: promote and rollback sign what was signed when the release was published. Of a manifest that the
// store has exchanged since they sign nothing, and where nothing is proved they warn.
func TestRollbackProves(t *testing.T) {
	w := newWorld(t)
	ci := newKey(t, "news.example/ci")
	builds := make([]string, 2)
	var warned []string
	c := w.signer(&warned, ci)
	c.Sign.Origin = origin
	c.Sign.Attest = func(_ context.Context, sum string) ([]byte, error) { return []byte("built: " + sum), nil }
	for i := range builds {
		c.Public = ownBuild(t, i)
		r, err := Publish(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		builds[i] = r.Build
	}
	record := w.object(root(builds[0]) + release.AttestationName)
	m, err := Rollback(t.Context(), c)
	if err != nil || m.AttestationSHA256 != release.HexSHA256(record) || !strings.HasSuffix(string(record), m.ManifestSHA256) || len(warned) > 0 {
		t.Fatalf("%+v, %v, %v", m, err, warned)
	}
	was := w.object(root(builds[1]) + release.PointerName)
	w.overwrite(root(builds[1])+release.PointerName, []byte("{}"))
	if m, err = Promote(t.Context(), c, builds[1]); err != nil || m.AttestationBytes != 0 || len(warned) != 1 || !strings.Contains(warned[0], "nothing proves that release "+builds[1]) {
		t.Errorf("without a proof: %+v, %v, %v", m, err, warned)
	}
	// A proof that nobody trusted has signed brings no record with it.
	forged, err := release.ParsePointer(was)
	if err != nil {
		t.Fatal(err)
	}
	lie := []byte("built by somebody else")
	forged.Build = m.Previous
	manifest := w.object(root(m.Previous) + release.ManifestName)
	forged.ManifestBytes, forged.ManifestSHA256 = int64(len(manifest)), release.HexSHA256(manifest)
	forged.AttestationBytes, forged.AttestationSHA256 = int64(len(lie)), release.HexSHA256(lie)
	by, err := trust.Sign(forged.Encode(), newKey(t, "news.example/ci"))
	if err != nil {
		t.Fatal(err)
	}
	w.overwrite(root(m.Previous)+release.PointerName, by)
	w.overwrite(root(m.Previous)+release.AttestationName, lie)
	warned = nil
	if m, err = Rollback(t.Context(), c); err != nil || m.Build != forged.Build || m.AttestationBytes != 0 || len(warned) != 1 {
		t.Errorf("a forged proof: %+v, %v, %v", m, err, warned)
	}
	if m, err = Promote(t.Context(), c, builds[1]); err != nil || m.Build != builds[1] {
		t.Fatalf("%+v, %v", m, err)
	}
	// The proof says that builds[0] had another manifest: the one in the store is not the signed one.
	p, err := release.ParsePointer(was)
	if err != nil {
		t.Fatal(err)
	}
	p.Build = builds[0]
	exchanged, err := trust.Sign(p.Encode(), ci)
	if err != nil {
		t.Fatal(err)
	}
	w.overwrite(root(builds[0])+release.PointerName, exchanged)
	if _, err = Promote(t.Context(), c, builds[0]); !errors.Is(err, trust.ErrSignature) {
		t.Errorf("an exchanged manifest: %v", err)
	}
	if now := w.signed(policy(t, 1, ci)); now.Build != builds[1] {
		t.Errorf("%s is current", now.Build)
	}
}

// TestPointerOfOthers: a store that exchanges its pointer cannot have a renewal or a rollback sign the release that it
// names, whoever says whose content it is.
func TestPointerOfOthers(t *testing.T) {
	w := newWorld(t)
	ci, mallory := newKey(t, "news.example/ci"), newKey(t, "news.example/ci")
	evil := w.publish(ownBuild(t, 1)).Build
	w.publish(ownBuild(t, 0))
	p, err := release.ParsePointer(w.object(release.PointerName))
	if err != nil || p.Previous != evil {
		t.Fatalf("%+v, %v", p, err)
	}
	signed, err := p.ForSigning(origin, time.Time{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	forged, err := trust.Sign(signed.Encode(), mallory)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"unsigned": p.Encode(), "signed by nobody": forged} {
		w.overwrite(release.PointerName, b)
		for who, sign := range map[string]Signing{"--origin": {Keys: []*signing.Key{ci}, Origin: origin}, "--trust": {Keys: []*signing.Key{ci}, Trust: policy(t, 1, ci)}} {
			var warned []string
			c := w.signer(&warned)
			c.Sign = sign
			for command, run := range map[string]func() (*Moved, error){
				"renew":    func() (*Moved, error) { return Renew(t.Context(), c, 0) },
				"rollback": func() (*Moved, error) { return Rollback(t.Context(), c) },
			} {
				if m, err := run(); !errors.Is(err, ErrNotVouched) || string(w.object(release.PointerName)) != string(b) {
					t.Errorf("%s %s of a pointer that is %s: %+v, %v", command, who, name, m, err)
				}
			}
		}
	}
}

// TestMoveBackProves: a promotion that finds its release removed moves the pointer back, unless nothing proves where to.
func TestMoveBackProves(t *testing.T) {
	w := newWorld(t)
	ci, mallory := newKey(t, "news.example/ci"), newKey(t, "news.example/ci")
	var warned []string
	c := w.signer(&warned, ci)
	c.Sign.Origin = origin
	var builds []string
	for i := range 2 {
		c.Public = ownBuild(t, i)
		r, err := Publish(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		builds = append(builds, r.Build)
	}
	before, err := release.ParsePointer(w.object(release.PointerName))
	if err != nil {
		t.Fatal(err)
	}
	forged, err := trust.Sign(before.Encode(), mallory)
	if err != nil {
		t.Fatal(err)
	}
	file := root(builds[0]) + "cda/rest/v1/site/contents/Content_0001.json"
	was := w.object(file)
	for _, b := range []struct {
		pointer []byte
		current string // afterwards
		err     error
	}{{w.object(release.PointerName), builds[1], ErrNoRelease}, {forged, builds[0], ErrNotWhole}} {
		w.overwrite(release.PointerName, b.pointer)
		w.overwrite(file, was)
		w.at(movesPointer, func() {
			if err := w.s.Delete(context.Background(), file); err != nil {
				t.Error(err)
			}
		})
		if m, err := Promote(t.Context(), c, builds[0]); !errors.Is(err, b.err) {
			t.Errorf("%+v, %v, not %v", m, err, b.err)
		}
		if v := w.signed(policy(t, 1, ci)); v.Build != b.current {
			t.Errorf("%s is current, not %s", v.Build, b.current)
		}
	}
}

// TestSignedEveryRequestFails lets the n-th request of a signed publication fail for good, for every n: the pointer is
// a signed one of a whole release all the time, and the next run ends well.
func TestSignedEveryRequestFails(t *testing.T) {
	w := newWorld(t)
	ci := newKey(t, "news.example/ci")
	trusted := policy(t, 1, ci)
	var warned []string
	c := w.signer(&warned, ci)
	c.Public, c.Sign.Origin, c.Jobs = buildOf(t, 6, 0), origin, 1
	c.Sign.Attest = func(_ context.Context, sum string) ([]byte, error) { return []byte("built: " + sum), nil }
	if _, err := Publish(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for n, failed := 1, true; failed; n++ {
		c.Public, failed = buildOf(t, 6, 1+n%2), false
		w.faults(func(i int, r *http.Request) storetest.Fault {
			if i == n {
				failed = true
				return storetest.Fault{Status: http.StatusForbidden}
			}
			return storetest.Fault{}
		})
		_, err := Publish(t.Context(), c)
		w.faults(nil)
		v := w.signed(trusted)
		if lacks, e := missingFiles(t.Context(), w.s, v.Build); e != nil || len(lacks) > 0 {
			t.Fatalf("request %d: %v, and the store lacks %v, %v", n, err, lacks, e)
		}
		if _, e := readRecord(t.Context(), w.s, v.Build, attestation{v.AttestationBytes, v.AttestationSHA256}); e != nil {
			t.Fatalf("request %d: %v", n, e)
		}
		if r, err := Publish(t.Context(), c); err != nil || w.signed(trusted).Build != r.Build {
			t.Fatalf("after request %d failed: %+v, %v", n, r, err)
		}
	}
}

// TestSignedLostResponse: a pointer or a proposal whose response is lost is written once.
func TestSignedLostResponse(t *testing.T) {
	w := newWorld(t)
	ci, anna := newKey(t, "news.example/ci"), newKey(t, "news.example/anna")
	c := w.signer(nil, ci)
	c.Public, c.Sign.Origin = buildOf(t, 6, 0), origin
	lose := func(object string) {
		lost := false
		w.faults(func(_ int, r *http.Request) storetest.Fault {
			if !lost && r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "live/"+object) {
				lost = true
				return storetest.Fault{Lost: true}
			}
			return storetest.Fault{}
		})
	}
	lose(release.PointerName)
	if r, err := Publish(t.Context(), c); err != nil || r.Sequence != 1 || w.signed(policy(t, 1, ci)).Sequence != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	lose(ProposedName)
	c.Public, c.Sign.Propose = buildOf(t, 6, 1), true
	r, err := Publish(t.Context(), c)
	if err != nil || !r.Proposed || r.Sequence != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	lose(ProposedName)
	two := w.signer(nil, anna)
	two.Sign.Trust = policy(t, 2, ci, anna)
	if m, err := SignProposal(t.Context(), two, Meant{Build: r.Build}); err != nil || m.Proposed || w.signed(two.Sign.Trust).Build != r.Build {
		t.Fatalf("%+v, %v", m, err)
	}
	if m, err := SignProposal(t.Context(), two, Meant{Build: r.Build}); err != nil || m.Changed {
		t.Errorf("again: %+v, %v", m, err)
	}
}
