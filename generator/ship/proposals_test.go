package ship

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store/storetest"
	"contentedge/edgeserve/wire/trust"
	"contentedge/generator/removal"
	"contentedge/generator/signing"
)

// circle is a store whose nodes want several signatures.
type circle struct {
	*world
	keys   []*signing.Key
	policy *trust.Policy
	warned []string
}

func newCircle(t *testing.T, keys, threshold int) *circle {
	c := &circle{world: newWorld(t)}
	for i := range keys {
		c.keys = append(c.keys, newKey(t, fmt.Sprintf("news.example/%d", i)))
	}
	c.policy = policy(t, threshold, c.keys...)
	first := c.config(c.keys[:threshold]...)
	first.Public = buildOf(t, 6, 0)
	if _, err := Publish(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *circle) config(keys ...*signing.Key) PublishConfig {
	return PublishConfig{Store: c.s, Removal: removal.Limit{Allow: true}, Sign: Signing{Keys: keys, Trust: c.policy}, Warn: func(m string) { c.warned = append(c.warned, m) }}
}

func (c *circle) proposal() *pointerObject {
	c.t.Helper()
	o, err := readProposal(c.t.Context(), c.s)
	if err != nil {
		c.t.Fatal(err)
	}
	return o
}

func (c *circle) propose(public string, keys ...*signing.Key) (*Report, error) {
	config := c.config(keys...)
	config.Public, config.Sign.Propose = public, true
	return Publish(c.t.Context(), config)
}

// TestProposals proposes a release with one key, signs it with a second, and a third time for nothing.
func TestProposals(t *testing.T) {
	c := newCircle(t, 3, 2)
	alone := c.config(c.keys[0])
	alone.Public = buildOf(t, 6, 1)
	if _, err := Publish(t.Context(), alone); !errors.Is(err, ErrTooFew) || !strings.Contains(err.Error(), "--propose") {
		t.Fatalf("one key of two: %v", err)
	}
	if m, err := SignProposal(t.Context(), c.config(c.keys[1]), Meant{}); !errors.Is(err, ErrProposal) {
		t.Errorf("no proposal: %+v, %v", m, err)
	}
	r, err := c.propose(buildOf(t, 6, 1), c.keys[0])
	if err != nil || !r.Proposed || r.Wanted != 2 || r.Sequence != 2 || len(r.SignedBy) != 1 {
		t.Fatalf("proposed: %+v, %v", r, err)
	}
	if now := c.signed(c.policy); now.Build == r.Build || now.Sequence != 1 {
		t.Fatalf("a proposal is current: %+v", now.Pointer)
	}
	if g, err := GC(t.Context(), c.config(), 1); err != nil || len(g.Removed) > 0 {
		t.Errorf("gc removes what is proposed: %+v, %v", g, err)
	}
	list, err := List(t.Context(), c.s)
	if err != nil || len(list) != 2 || !list[0].Proposed || list[0].Signed.Origin != origin || list[0].Sequence != 2 {
		t.Errorf("listed: %+v, %v", list, err)
	}
	if r, err = c.propose(buildOf(t, 6, 1), c.keys[0]); err != nil || len(r.SignedBy) != 1 || len(c.warned) > 0 {
		t.Errorf("proposed again: %+v, %v, %v", r, err, c.warned)
	}
	if m, err := SignProposal(t.Context(), c.config(c.keys[1]), Meant{Build: "0123456789abcdef"}); !errors.Is(err, ErrProposal) {
		t.Errorf("another build: %+v, %v", m, err)
	}
	digest := list[0].Manifest
	if digest != c.proposal().ManifestSHA256 {
		t.Errorf("the manifest of the proposal is listed as %s", digest)
	}
	for name, meant := range map[string]Meant{
		"another manifest with its id": {Build: r.Build, ManifestSHA256: strings.Repeat("0", 64)}, "another manifest": {ManifestSHA256: digest[:63] + "x"}, "another id": {Build: "0123456789abcdef", ManifestSHA256: digest},
	} {
		if m, err := SignProposal(t.Context(), c.config(c.keys[1]), meant); !errors.Is(err, ErrProposal) {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
	stranger := newKey(t, "news.example/1")
	if m, err := SignProposal(t.Context(), c.config(stranger), Meant{}); !errors.Is(err, ErrTooFew) {
		t.Errorf("a key that nodes do not trust: %+v, %v", m, err)
	}
	dry := c.config(c.keys[1])
	dry.DryRun = true
	if m, err := SignProposal(t.Context(), dry, Meant{Build: r.Build}); err != nil || m.Proposed || len(m.SignedBy) != 2 || c.signed(c.policy).Sequence != 1 {
		t.Errorf("a dry run: %+v, %v", m, err)
	}
	m, err := SignProposal(t.Context(), c.config(c.keys[1]), Meant{Build: r.Build, ManifestSHA256: digest})
	if err != nil || m.Proposed || !m.Changed || len(m.SignedBy) != 2 {
		t.Fatalf("signed: %+v, %v", m, err)
	}
	if now := c.signed(c.policy); now.Build != r.Build || now.Sequence != 2 || len(now.SignedBy) != 2 {
		t.Errorf("current: %+v", now)
	}
	if m, err = SignProposal(t.Context(), c.config(c.keys[2]), Meant{}); err != nil || m.Changed {
		t.Errorf("signed too late: %+v, %v", m, err)
	}
}

// TestProposedRollback: every command that moves the pointer can propose.
func TestProposedRollback(t *testing.T) {
	c := newCircle(t, 2, 2)
	both := c.config(c.keys...)
	both.Public = buildOf(t, 6, 1)
	if _, err := Publish(t.Context(), both); err != nil {
		t.Fatal(err)
	}
	first := c.signed(c.policy).Previous
	one, two := c.config(c.keys[0]), c.config(c.keys[1])
	one.Sign.Propose = true
	for i, command := range []func() (*Moved, error){
		func() (*Moved, error) { return Rollback(t.Context(), one) },
		func() (*Moved, error) { return Renew(t.Context(), one, 0) },
		func() (*Moved, error) { return Promote(t.Context(), one, c.signed(c.policy).Previous) },
	} {
		if m, err := command(); err != nil || !m.Proposed || c.signed(c.policy).Sequence != int64(2+i) {
			t.Fatalf("command %d: %+v, %v", i, m, err)
		}
		if m, err := SignProposal(t.Context(), two, Meant{}); err != nil || m.Proposed || c.signed(c.policy).Sequence != int64(3+i) {
			t.Fatalf("command %d is signed: %+v, %v", i, m, err)
		}
		if i < 2 && c.signed(c.policy).Build != first {
			t.Errorf("command %d: %s is current", i, c.signed(c.policy).Build)
		}
	}
	if _, err := Renew(t.Context(), one, 42); err == nil || !strings.Contains(err.Error(), "all keys at once") {
		t.Errorf("a number of its own: %v", err)
	}
	if len(c.warned) > 0 {
		t.Error(c.warned)
	}
}

// TestSignersAtOnce lets all but one of the keys sign at the same moment: no signature is lost.
func TestSignersAtOnce(t *testing.T) {
	const signers = 8
	c := newCircle(t, signers, signers)
	r, err := c.propose(buildOf(t, 6, 1), c.keys[0])
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	errs := make([]error, signers)
	for i := 1; i < signers; i++ {
		config := c.config(c.keys[i])
		config.Warn = nil
		all.Go(func() { _, errs[i] = SignProposal(t.Context(), config, Meant{Build: r.Build}) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if now := c.signed(c.policy); now.Build != r.Build || now.Sequence != 2 || len(now.SignedBy) != signers {
		t.Errorf("%+v", now)
	}
}

// TestProposersAtOnce: of two proposals at once, one is there and the other's publisher knows. A later one replaces it,
// with a warning, and who signs the one that is gone is told.
func TestProposersAtOnce(t *testing.T) {
	c := newCircle(t, 3, 2)
	one, two := buildOf(t, 6, 1), buildOf(t, 6, 2)
	var both sync.WaitGroup
	reports, errs := make([]*Report, 2), make([]error, 2)
	for i, public := range []string{one, two} {
		config := c.config(c.keys[i])
		config.Public, config.Sign.Propose = public, true
		var mu sync.Mutex
		warned := 0
		config.Warn = func(string) { mu.Lock(); warned++; mu.Unlock() }
		both.Go(func() {
			reports[i], errs[i] = Publish(t.Context(), config)
			if warned > 0 && errs[i] == nil {
				errs[i] = errReplaced
			}
		})
	}
	both.Wait()
	there, err := readProposal(t.Context(), c.s)
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for i := range errs {
		if errs[i] != nil && !errors.Is(errs[i], errReplaced) && !errors.Is(errs[i], ErrLost) {
			t.Errorf("publisher %d: %v", i, errs[i])
		}
		if errs[i] != nil {
			told++
		}
	}
	if told != 1 {
		t.Errorf("%d publishers know of the other one: %v", told, errs)
	}
	if _, err := c.propose(buildOf(t, 6, 3), c.keys[0]); err != nil || len(c.warned) != 1 || !strings.Contains(c.warned[0], "proposal of release "+there.Build) {
		t.Errorf("a later proposal: %v, %v", err, c.warned)
	}
	if m, err := SignProposal(t.Context(), c.config(c.keys[2]), Meant{Build: there.Build}); !errors.Is(err, ErrProposal) {
		t.Errorf("the proposal that is gone was signed: %+v, %v", m, err)
	}
}

var errReplaced = errors.New("it has replaced the other one, and says so")

// TestOvertakenProposal: a proposal is over when the pointer moves, or when its time is over. Nobody can sign it then.
func TestOvertakenProposal(t *testing.T) {
	c := newCircle(t, 2, 2)
	r, err := c.propose(buildOf(t, 6, 1), c.keys[0])
	if err != nil {
		t.Fatal(err)
	}
	over := c.object(ProposedName)
	both := c.config(c.keys...)
	both.Public = buildOf(t, 6, 2)
	if _, err := Publish(t.Context(), both); err != nil {
		t.Fatal(err)
	}
	if m, err := SignProposal(t.Context(), c.config(c.keys[1]), Meant{}); !errors.Is(err, ErrProposal) || !strings.Contains(err.Error(), "propose it again") {
		t.Errorf("overtaken: %+v, %v", m, err)
	}
	if g, err := GC(t.Context(), c.config(), 1); err != nil || len(g.Removed) != 1 || g.Removed[0] != r.Build {
		t.Errorf("gc keeps what was overtaken: %+v, %v", g, err)
	}
	config := c.config(c.keys[0])
	config.Public, config.Sign.Propose, config.Sign.Expires = buildOf(t, 6, 3), true, time.Second
	if _, err := Publish(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	proposed, err := readProposal(t.Context(), c.s)
	if err != nil {
		t.Fatal(err)
	}
	storetest.WaitFor(t, "the end of the proposal", func() bool { return proposed.Expired(time.Now()) })
	if m, err := SignProposal(t.Context(), c.config(c.keys[1]), Meant{}); !errors.Is(err, ErrProposal) || !strings.Contains(err.Error(), "was valid until") {
		t.Errorf("expired: %+v, %v", m, err)
	}
	// A store that brings the old one back changes nothing.
	c.overwrite(ProposedName, over)
	if m, err := SignProposal(t.Context(), c.config(c.keys[1]), Meant{}); !errors.Is(err, ErrProposal) {
		t.Errorf("replayed: %+v, %v", m, err)
	}
}

// TestForgedProposals: nobody adds a signature to what no trusted key has signed, or to another content.
func TestForgedProposals(t *testing.T) {
	c := newCircle(t, 2, 2)
	r, err := c.propose(buildOf(t, 6, 1), c.keys[0])
	if err != nil {
		t.Fatal(err)
	}
	good := c.object(ProposedName)
	p, err := release.ParsePointer(good)
	if err != nil {
		t.Fatal(err)
	}
	by := func(k *signing.Key, change func(*release.Pointer)) []byte {
		forged := *p
		change(&forged)
		b, err := trust.Sign(forged.Encode(), k)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	mallory := newKey(t, "news.example/0")
	newer, err := trust.Sign([]byte(strings.Replace(string(p.Encode()), `{"format":2,`, `{"format":2,"more":1,`, 1)), c.keys[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"a key that nobody trusts":  by(mallory, func(*release.Pointer) {}),
		"another origin":            by(c.keys[0], func(p *release.Pointer) { p.Origin = "news.example/staging" }),
		"a number that is too high": by(c.keys[0], func(p *release.Pointer) { p.Sequence = 9 }),
		"a changed text":            []byte(strings.Replace(string(good), p.ManifestSHA256[:8], "00000000", 1)),
		"another manifest":          by(c.keys[0], func(p *release.Pointer) { p.ManifestSHA256 = release.HexSHA256(nil) }),
		"a record that is not there": by(c.keys[0], func(p *release.Pointer) {
			p.AttestationBytes, p.AttestationSHA256 = 1, release.HexSHA256(nil)
		}),
		"a member that nobody here can read": newer,
		"no release":                         by(c.keys[0], func(p *release.Pointer) { p.Build = "0123456789abcdef" }),
		"no signature":                       p.Encode(),
		"no proposal":                        []byte("{}\n"),
		"without limit":                      []byte(strings.Repeat("\n", release.MaxPointer+1)),
	} {
		c.overwrite(ProposedName, b)
		if m, err := SignProposal(t.Context(), c.config(c.keys[1]), Meant{}); err == nil {
			t.Errorf("%s was signed: %+v", name, m)
		}
	}
	c.overwrite(ProposedName, good)
	file := root(r.Build) + "cda/rest/v1/site/contents/Content_0001.json"
	if err := c.s.Delete(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	if m, err := SignProposal(t.Context(), c.config(c.keys[1]), Meant{}); err == nil || !strings.Contains(err.Error(), "lacks 1 files") {
		t.Errorf("a release that is not whole was signed: %+v, %v", m, err)
	}
	if now := c.signed(c.policy); now.Sequence != 1 {
		t.Errorf("the pointer moved: %+v", now.Pointer)
	}
}

// TestForgedRecord: a proposal that no trusted key has signed brings its record of who built the release into no other.
func TestForgedRecord(t *testing.T) {
	c := newCircle(t, 2, 2)
	config := c.config(c.keys[0])
	config.Public, config.Sign.Propose = buildOf(t, 6, 1), true
	config.Sign.Attest = func(_ context.Context, sum string) ([]byte, error) { return []byte("built: " + sum), nil }
	r, err := Publish(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	p, err := release.ParsePointer(c.object(ProposedName))
	if err != nil {
		t.Fatal(err)
	}
	honest, lie := p.AttestationSHA256, []byte("built by somebody else")
	p.AttestationBytes, p.AttestationSHA256 = int64(len(lie)), release.HexSHA256(lie)
	forged, err := trust.Sign(p.Encode(), newKey(t, "news.example/0"))
	if err != nil {
		t.Fatal(err)
	}
	c.overwrite(ProposedName, forged)
	c.overwrite(root(r.Build)+release.AttestationName, lie)
	if _, err := Publish(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	if p, err = release.ParsePointer(c.object(ProposedName)); err != nil || p.AttestationSHA256 != honest {
		t.Errorf("the record %s, %v", p.AttestationSHA256, err)
	}
}

// TestGCKeepsProposals: gc keeps an old release that is proposed, also if it is proposed while gc begins.
func TestGCKeepsProposals(t *testing.T) {
	c := newCircle(t, 2, 2)
	first := c.signed(c.policy).Build
	for i := 1; i <= 3; i++ {
		both := c.config(c.keys...)
		both.Public = buildOf(t, 6, i)
		if _, err := Publish(t.Context(), both); err != nil {
			t.Fatal(err)
		}
	}
	one := c.config(c.keys[0])
	one.Sign.Propose = true
	if m, err := Promote(t.Context(), one, first); err != nil || !m.Proposed {
		t.Fatalf("%+v, %v", m, err)
	}
	dry := c.config()
	dry.DryRun = true
	if g, err := GC(t.Context(), dry, 0); err != nil || !slices.Contains(g.Kept, first) || len(g.Removed) != 1 {
		t.Fatalf("a dry run: %+v, %v", g, err)
	}
	proposal := c.object(ProposedName)
	if err := c.s.Delete(t.Context(), ProposedName); err != nil {
		t.Fatal(err)
	}
	late := c.before(leaseName, func() { c.overwrite(ProposedName, proposal) })
	g, err := GC(t.Context(), c.config(), 1)
	if err != nil || !*late || !slices.Contains(g.Kept, first) || len(g.Removed) != 1 {
		t.Fatalf("%+v, %v", g, err)
	}
	if m, err := SignProposal(t.Context(), c.config(c.keys[1]), Meant{Build: first}); err != nil || m.Proposed || c.signed(c.policy).Build != first {
		t.Errorf("%+v, %v", m, err)
	}
}

// before calls do once, before the first request that writes an object.
func (w *world) before(key string, do func()) (done *bool) {
	done = new(bool)
	w.faults(func(_ int, r *http.Request) storetest.Fault {
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, key) {
			*done = true
			w.faults(nil)
			do()
		}
		return storetest.Fault{}
	})
	return done
}

// TestProposalReplacedMeanwhile: who signs while another release is proposed signs neither, and knows.
func TestProposalReplacedMeanwhile(t *testing.T) {
	c := newCircle(t, 3, 2)
	if _, err := c.propose(buildOf(t, 6, 2), c.keys[0]); err != nil {
		t.Fatal(err)
	}
	other := c.object(ProposedName)
	r, err := c.propose(buildOf(t, 6, 1), c.keys[0])
	if err != nil {
		t.Fatal(err)
	}
	replaced := c.before(ProposedName, func() { c.overwrite(ProposedName, other) })
	if m, err := SignProposal(t.Context(), c.config(c.keys[1]), Meant{Build: r.Build}); !errors.Is(err, ErrLost) || !*replaced {
		t.Errorf("%+v, %v", m, err)
	}
	if now := c.object(ProposedName); string(now) != string(other) || c.signed(c.policy).Sequence != 1 {
		t.Errorf("the other proposal is %s", now)
	}
}
