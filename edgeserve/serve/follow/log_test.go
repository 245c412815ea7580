package follow

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/serve/logs"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store/storetest"
)

// TestClientsCannotFloodLog causes each warning that a request for media can cause a thousand times. Ten lines of each
// pass, then one a second.
func TestClientsCannotFloodLog(t *testing.T) {
	const times = 1000
	for _, c := range []struct {
		message string
		fault   func(w *world) (request func(i int))
	}{
		{"a media file cannot be fetched", func(w *world) func(int) {
			w.requests(func(*http.Request) storetest.Fault { return storetest.Fault{Status: 500} })
			return func(i int) { _, _ = w.fetch(mediaName(fmt.Sprint(i))) }
		}},
		{"a media file was sent without being stored", func(w *world) func(int) {
			root := w.f.dir.path(mediaDir)
			if err := errors.Join(os.RemoveAll(root), os.WriteFile(root, nil, 0o600)); err != nil { // no directory can be made in it
				w.t.Fatal(err)
			}
			name := w.putMedia(w.last.Build, "picture")
			return func(int) { w.fetches(name, "picture") }
		}},
		{"a media file cannot be removed", func(w *world) func(int) {
			w.f.media.limit = 0
			return func(i int) {
				name := strings.TrimPrefix(mediaName(fmt.Sprint(i)), release.MediaDir+"/")
				if err := os.MkdirAll(filepath.Join(w.f.media.root, name, "in its place"), 0o700); err != nil {
					w.t.Fatal(err)
				}
				w.f.media.mu.Lock()
				defer w.f.media.mu.Unlock()
				w.f.media.add(name, 1)
			}
		}},
		{"cannot follow the store", func(w *world) func(int) {
			return func(i int) { w.f.finish(errors.New(fmt.Sprint("another error ", i))) }
		}},
	} {
		t.Run(c.message, func(t *testing.T) {
			w := newWorld(t)
			w.publish("a", "b")
			if err := w.sync(); err != nil {
				t.Fatal(err)
			}
			request := c.fault(w)
			for i := range times {
				request(i)
			}
			lines := strings.Count(w.log.String(), c.message)
			if lines < 10 || lines > 30 { // the test takes some seconds at most
				t.Errorf("%d lines", lines)
			}
			if got := logs.Suppressed(w.f.log); got == 0 {
				t.Error("no line was counted as suppressed")
			}
		})
	}
}
