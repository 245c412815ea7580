// This file has the fixtures of tests with a trust file: keys, signed pointers, a clock, and a store that somebody
// else controls.

package follow

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store/storetest"
	"contentedge/edgeserve/wire/trust"
)

const origin = "news.example/production"

// signedWorld is a world whose node has a trust file. Its trusted keys are ci and anna; mallory's is not trusted.
type signedWorld struct {
	*world
	signers map[string]note.Signer
	public  map[string]string
	now     time.Time // of the node and of who publishes
}

func newSignedWorld(t *testing.T) *signedWorld {
	t.Helper()
	w := &signedWorld{world: newWorld(t), signers: map[string]note.Signer{}, public: map[string]string{}, now: time.Now().Truncate(time.Second)}
	for _, name := range []string{"ci", "anna", "mallory"} {
		w.newKey(name)
	}
	w.cfg.now = func() time.Time { return w.now }
	w.cfg.TrustFile = filepath.Join(t.TempDir(), "trust")
	w.trust("version 1", "origin "+origin, "threshold 1", "key "+w.public["ci"], "key "+w.public["anna"])
	w.restart()
	return w
}

func (w *signedWorld) newKey(name string) {
	w.t.Helper()
	private, public, err := trust.NewKey(name)
	if err == nil {
		w.signers[name], err = trust.NewSigner(private)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.public[name] = public
}

// trust writes the trust file.
func (w *signedWorld) trust(lines ...string) {
	w.t.Helper()
	if err := os.WriteFile(w.cfg.TrustFile, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// next returns a pointer to a new release for a week, which change may change, signed by some keys.
func (w *signedWorld) next(content string, change func(p *release.Pointer), keys ...string) []byte {
	w.t.Helper()
	m := w.upload(map[string][]byte{"a": []byte(content), "b": []byte("b")})
	return w.sign(w.last.Next(m.Build, m.Encode(), w.now), change, keys...)
}

// sign signs a pointer, which becomes the last one.
func (w *signedWorld) sign(p *release.Pointer, change func(p *release.Pointer), keys ...string) []byte {
	w.t.Helper()
	p, err := p.ForSigning(origin, w.now.AddDate(0, 0, 7), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if change != nil {
		change(p)
	}
	w.last = p
	return w.signText(p.Encode(), keys...)
}

func (w *signedWorld) signText(line []byte, keys ...string) []byte {
	w.t.Helper()
	var signers []note.Signer
	for _, name := range keys {
		signers = append(signers, w.signers[name])
	}
	b, err := trust.Sign(line, signers...)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

// publishSigned publishes a release for a week, signed by ci.
func (w *signedWorld) publishSigned(content string) string {
	w.t.Helper()
	w.put(release.PointerName, w.next(content, nil, "ci"))
	return w.last.Build
}

// renew writes the last pointer again for a week.
func (w *signedWorld) renew() {
	w.t.Helper()
	w.put(release.PointerName, w.sign(w.last.Renewed(w.now), nil, "ci"))
}

// show makes the store show some bytes as its pointer, whatever is in it.
func (w *signedWorld) show(b []byte) { w.faults(storetest.Fault{Body: b}, release.PointerName) }

// refuses requires that a sync is refused for a reason, which status, metric and log name, and changes nothing.
func (w *signedWorld) refuses(reason string) {
	w.t.Helper()
	was, counted := w.current(), w.metric(`contentedge_follow_refusals_total{reason="`+reason+`"}`)
	err := w.sync()
	if refusalOf(err) != reason || w.f.Status().Refusal != reason || w.f.Status().LastError == "" {
		w.t.Errorf("refused for %q, not %q: %v", refusalOf(err), reason, err)
	}
	if w.current() != was {
		w.t.Errorf("at %s, was at %s", w.current(), was)
	}
	if n := w.metric(`contentedge_follow_refusals_total{reason="` + reason + `"}`); n == counted {
		w.t.Errorf("the metric stays %s", n)
	}
	if w.logged("refusal="+reason) == 0 {
		w.t.Errorf("the log does not say %s: %s", reason, w.log.String())
	}
}

// serves reports whether a server that asks the node would serve the release of its directory.
func (w *signedWorld) serves() bool {
	raw, err := readManifest(w.f.dir.path(release.CurrentLink))
	return err == nil && w.f.Trusted(release.HexSHA256(raw)) == nil
}

func (w *signedWorld) mustServe(build string) {
	w.t.Helper()
	w.mustBe(build)
	if !w.serves() {
		w.t.Errorf("%s is not served: %+v", build, w.f.Status())
	}
}

// sums returns the list of checksums of a media file, with a file that is no media behind it.
func (w *signedWorld) sums(name, text string) string {
	return release.HexSHA256([]byte(text)) + "  " + name + "\n" + release.HexSHA256(nil) + "  cda/rest/v1/x.json\n"
}

// publishMedia publishes a release for a week with a media file, signed by ci.
func (w *signedWorld) publishMedia(content, picture string) (build string, names []string) {
	w.t.Helper()
	snapshots := map[string][]byte{"a": []byte(content), "b": []byte("b")}
	m := w.manifest(snapshots)
	name := mediaName(picture)
	list := w.sums(name, picture)
	m.Environments[0].Media = release.Media{Files: 1, Bytes: int64(len(picture))}
	m.Checksums = release.Checksums{Bytes: int64(len(list)), SHA256: release.HexSHA256([]byte(list))}
	m.SetFormat()
	raw := m.Encode()
	root := release.ReleasesDir + "/" + m.Build + "/"
	for _, e := range m.Environments {
		w.put(root+e.Snapshot.File, snapshots[e.ID])
	}
	w.put(root+release.ManifestName, raw)
	w.put(root+release.ChecksumsName, []byte(list))
	w.putMedia(m.Build, picture)
	w.put(release.PointerName, w.sign(w.last.Next(m.Build, raw, w.now), nil, "ci"))
	return m.Build, []string{name}
}
