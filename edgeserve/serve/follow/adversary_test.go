package follow

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store/storetest"
)

// adversary answers each request with anything that was ever in the store, or with a change of it. It has one key
// that nobody trusts.
type adversary struct {
	*signedWorld
	rnd  *rand.Rand
	kept map[string][][]byte // by kind of object: pointers, manifests, snapshots
}

func (a *adversary) keep(kind string, b []byte) { a.kept[kind] = append(a.kept[kind], b) }

// publish makes an honest release, which the adversary keeps.
func (a *adversary) publish(content string) {
	change := func(p *release.Pointer) {
		switch a.rnd.IntN(8) {
		case 0:
			p.Origin = "news.example/staging"
		case 1:
			p.Expires = stamp(a.now.Add(time.Hour))
		}
	}
	before := a.last
	b := a.next(content, change, "ci")
	if a.last.Origin != origin { // staging counts by itself
		a.last = before
	}
	m := a.manifest(map[string][]byte{"a": []byte(content), "b": []byte("b")})
	a.keep(release.PointerName, b)
	a.keep(release.ManifestName, m.Encode())
	a.keep(".snap", []byte(content))
	a.put(release.PointerName, b)
}

// body is what the adversary sends instead of an object; nil: the object.
func (a *adversary) body(kind string) []byte {
	kept := a.kept[kind]
	b := bytes.Clone(kept[a.rnd.IntN(len(kept))])
	switch a.rnd.IntN(6) {
	case 0, 1:
		return nil
	case 2:
		b[a.rnd.IntN(len(b))] ^= 1 << a.rnd.IntN(8)
	case 3:
		other := kept[a.rnd.IntN(len(kept))]
		at := a.rnd.IntN(min(len(b), len(other)))
		b = append(b[:at], other[at:]...)
	case 4:
		if kind == release.PointerName { // the text of one with the signatures of another, or with a foreign one
			line := release.PointerText(b)
			other := kept[a.rnd.IntN(len(kept))]
			b = append(line, other[len(release.PointerText(other)):]...)
			if a.rnd.IntN(2) == 0 {
				b = a.signText(line, "mallory")
			}
		}
	}
	return b
}

// Whatever an adversary mixes and changes, a node has a release that a trusted key has signed for its origin, whole,
// and never an older one than before. Restarts, and a clock that jumps, change nothing.
func TestAdversary(t *testing.T) {
	for seed := range uint64(4) {
		w := newSignedWorld(t)
		a := &adversary{w, rand.New(rand.NewPCG(seed, 34)), map[string][][]byte{}}
		a.publish("content 0")
		signed := func() map[string]int64 { // by build and manifest: the highest number
			all := map[string]int64{}
			for _, b := range a.kept[release.PointerName] {
				p, err := release.ParsePointer(b)
				if err != nil {
					t.Fatal(err)
				}
				if p.Origin == origin {
					all[p.Build+p.ManifestSHA256] = max(all[p.Build+p.ManifestSHA256], p.Sequence)
				}
			}
			return all
		}
		last, installed := int64(0), 0
		for step := range 120 {
			switch a.rnd.IntN(6) {
			case 0:
				a.publish("content " + strings.Repeat("x", step%7))
			case 1:
				w.restart()
			case 2:
				w.now = w.now.Add(time.Duration(a.rnd.IntN(240)-60) * time.Minute)
			}
			w.wire.Set(func(_ int, r *http.Request) storetest.Fault {
				for kind := range a.kept {
					if strings.HasSuffix(r.URL.Path, kind) && a.rnd.IntN(2) == 0 {
						return storetest.Fault{Body: a.body(kind)}
					}
				}
				return storetest.Fault{}
			})
			was := w.current()
			_ = w.sync() // it verifies what is current
			s := w.f.state
			if s.Build == "" {
				continue
			}
			if highest, ok := signed()[s.Build+s.ManifestSHA256]; !ok || s.Sequence > highest || s.Sequence < last {
				t.Fatalf("seed %d, step %d: %+v after number %d", seed, step, s, last)
			}
			if last = s.Sequence; !w.serves() || w.current() != s.Build {
				t.Fatalf("seed %d, step %d: at %s: %+v", seed, step, w.current(), w.f.Status())
			}
			if w.current() != was {
				installed++
			}
		}
		if installed < 2 {
			t.Errorf("seed %d: %d releases were installed: the adversary is too strong for a test", seed, installed)
		}
	}
}
