// This file measures the native engine with the requests that Node sends to the module.

package wasmbench

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"time"

	"bench/engine"
	"contentedge/edgeserve/engine/offline"
	"contentedge/edgeserve/engine/snapshot"
)

func docID(i int) snapshot.DocID { return snapshot.DocID(i) }

// timing is what one family costs.
type timing struct {
	CPU, Wall float64 // microseconds of a search
	Module    float64 // microseconds inside the module; zero means not measured
	Digest    string  // of all responses
}

// native measures each family.
func (w *work) native() (map[string]timing, error) {
	r, err := w.openNative()
	if err != nil {
		return nil, err
	}
	all := map[string]timing{}
	for _, f := range w.Families {
		digest := sha256.New()
		for _, body := range f.Bodies { // also a first round, without being measured
			if err := w.ask(r, body, digest); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
		}
		n, begin, cpu := 0, time.Now(), engine.CPU()
		for n == 0 || float64(engine.CPU()-cpu)/float64(time.Millisecond) < w.Least {
			for _, body := range f.Bodies {
				if err := w.ask(r, body, nil); err != nil {
					return nil, err
				}
				n++
			}
		}
		each := func(d int64) float64 { return float64(d) / 1000 / float64(n) }
		all[f.Name] = timing{CPU: each(engine.CPU() - cpu), Wall: each(int64(time.Since(begin))), Digest: hex.EncodeToString(digest.Sum(nil))}
	}
	return all, nil
}

// openNative opens the release with the whole snapshot in memory.
func (w *work) openNative() (*offline.Release, error) {
	text, env, err := w.manifest()
	if err != nil {
		return nil, err
	}
	r, err := offline.Open(text)
	if err != nil {
		return nil, err
	}
	in, err := r.Receive(w.Environment)
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(filepath.Join(w.Public, env.Snapshot.File))
	if err != nil {
		return nil, err
	}
	in.Arrived(copy(in.Rest(), b))
	return r, r.Load(in)
}

var (
	post        = []byte("POST")
	contentType = offline.Fields{{Name: []byte("content-type"), Value: []byte("application/json")}}
)

// ask sends a body; the response is added to the digest unless that is nil.
func (w *work) ask(r *offline.Release, body string, digest hash.Hash) error {
	response, files, cause := r.Respond(&offline.Request{Method: post, Target: []byte("/cda/es/v1/" + w.Environment), Fields: contentType, Body: []byte(body)})
	if cause != nil || len(files) > 0 || response.Status != 200 {
		return fmt.Errorf("status %d, %d files lacking, cause %v for %s", response.Status, len(files), cause, body)
	}
	if digest != nil {
		digest.Write(response.Body)
	}
	return nil
}
