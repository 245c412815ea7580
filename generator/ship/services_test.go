// These tests publish to services that are busy, or that lack what publishing needs.

package ship

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/edgeserve/wire/store/storetest"
)

// TestTryAgain: a service that asks to try again gets the same request again, also for the pointer.
func TestTryAgain(t *testing.T) {
	w := newWorld(t)
	w.publish(build(t, 0))
	for i, fault := range []storetest.Fault{
		{Status: 409, Code: "ConditionalRequestConflict"}, {Status: 409, Code: "OperationAborted"},
		{Status: 400, Code: "RequestTimeout"}, {Status: 400, Code: "IncompleteBody"},
	} {
		faults := 0
		w.faults(func(_ int, r *http.Request) storetest.Fault {
			if faults < 2 && r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, release.PointerName) {
				faults++
				return fault
			}
			return storetest.Fault{}
		})
		if r, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: build(t, 1-i%2)}); err != nil || !r.Changed || faults != 2 {
			t.Errorf("%s: %+v, %v after %d faults", fault.Code, r, err, faults)
		}
	}
}

// TestServicesWithoutConditions are refused before anything is sent, at the first publication.
func TestServicesWithoutConditions(t *testing.T) {
	isPut := func(r *http.Request) bool { return r.Method == http.MethodPut }
	for _, c := range []struct {
		name  string
		fault func(r *http.Request) storetest.Fault
		want  error
	}{
		{"501 to conditional puts", func(r *http.Request) storetest.Fault {
			if isPut(r) && r.Header.Get("If-None-Match")+r.Header.Get("If-Match") != "" {
				return storetest.Fault{Status: 501, Code: "NotImplemented"}
			}
			return storetest.Fault{}
		}, store.ErrNoConditions},
		{"conditions ignored", func(r *http.Request) storetest.Fault {
			if isPut(r) && r.Header.Get("If-None-Match") != "" {
				return storetest.Fault{Body: []byte{}}
			}
			return storetest.Fault{}
		}, store.ErrNoConditions},
		{"no ETags", func(*http.Request) storetest.Fault {
			return storetest.Fault{Change: func(h http.Header) { h.Del("Etag") }}
		}, store.ErrNoETag},
		{"weak ETags", func(*http.Request) storetest.Fault {
			return storetest.Fault{Change: func(h http.Header) { h.Set("Etag", "W/"+h.Get("Etag")) }}
		}, store.ErrWeakETag},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.faults(func(_ int, r *http.Request) storetest.Fault { return c.fault(r) })
			_, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: build(t, 0)})
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), "two publishers could not be told apart") {
				t.Errorf("got %v", err)
			}
			if sent := w.requests(http.MethodPut); len(sent) > 0 {
				t.Errorf("sent before: %v", sent)
			}
			for info, err := range w.s.List(t.Context(), "locks/") {
				t.Errorf("left: %s, %v", info.Key, err)
			}
		})
	}
}

// TestWeakETagsOfALaterPublication are refused before anything is sent.
func TestWeakETagsOfALaterPublication(t *testing.T) {
	w := newWorld(t)
	w.publish(build(t, 0))
	w.requests(http.MethodPut)
	w.faults(func(int, *http.Request) storetest.Fault {
		return storetest.Fault{Change: func(h http.Header) { h.Set("Etag", "W/"+h.Get("Etag")) }}
	})
	if _, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: build(t, 1)}); !errors.Is(err, store.ErrWeakETag) {
		t.Errorf("got %v", err)
	}
	if sent := w.requests(http.MethodPut); len(sent) > 0 {
		t.Errorf("sent before: %v", sent)
	}
}
