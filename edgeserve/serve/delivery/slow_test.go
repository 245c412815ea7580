package delivery

import (
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/serve/admission"
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/clientnet"
	"contentedge/edgeserve/serve/generation"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
)

// Slow searches are remembered with their release, whether they succeed or not; fast ones, items and
// cached responses are not.
func TestSlowSearches(t *testing.T) {
	resources := &Resources{Memory: bodies.NewBudget(1 << 20), Searches: admission.New(2, time.Minute), SlowSearches: 3,
		BodyLimit: 1 << 10, Counters: NewCounters(), Log: slog.New(slog.DiscardHandler)}
	served := func() *Served {
		readers := map[string]*snapshot.Reader{"shop": searchtest.Named(t, "shop", []string{`{"ContentID":"A","Name":"Red coat","CreatedAt":"2021-01-01T00:00:00.000Z"}`})}
		manifest := &release.Manifest{Build: "0123456789abcdef", Defaults: release.Defaults{Sort: "CreatedAt", PageSize: 10}}
		g := &generation.Generation{Dir: releasedir.Dir{Manifest: manifest, Readers: readers, SnapshotOnly: true}}
		return NewServed(g, 1<<20, respond.NewFields(release.Standard(), []string{release.AnyOrigin}), resources)
	}
	v := served()
	ask := func(target, body string, age time.Duration) {
		t.Helper()
		path, query, _ := strings.Cut(target, "?")
		route, _ := address.ParsePath(path)
		r := Request{Client: clientnet.Of(netip.MustParseAddr("192.0.2.1")), Target: []byte(target), Body: []byte(body), Buffer: new([]byte), Since: time.Now().Add(-age)}
		_, _ = v.Respond(&r, route, query)
	}
	const search = "/cda/es/v1/shop"
	ask(search, `{"query":{"match":{"Name":"coat"}}}`, 2*time.Second)
	ask(search, `{"query":`, 3*time.Second)
	ask(search, `{"query":{"match":{"Name":"coat"}}}`, 2*time.Second)
	ask(search, `{"query":{"match":{"Name":"coat"}}}`, time.Hour) // from the cache
	ask("/cda/rest/v1/shop/contents/A", "", time.Hour)
	got := v.Slow.Entries()
	if len(got) != 3 {
		t.Fatalf("%d entries: %+v", len(got), got)
	}
	if e := got[0]; e.Took < 3*time.Second || e.Body != `{"query":` || e.Code != "bad_json" || e.Target != search || e.Environment != "shop" {
		t.Errorf("the slowest: %+v", e)
	}
	if e := got[1]; e.Took < 2*time.Second || e.Code != "" || e.Steps == 0 || e.At.IsZero() || !strings.Contains(e.Body, "coat") {
		t.Errorf("the next: %+v", e)
	}
	// The steps of a request with several searches are those of all.
	v = served()
	ask(search+"/_msearch", "{}\n{}\n", 2*time.Second)
	ask(search+"/_msearch", "{}\n{}\n{}\n{}\n{}\n{}\n", 3*time.Second)
	if got := v.Slow.Entries(); len(got) != 2 || got[0].Took < 3*time.Second || got[0].Steps < 2*got[1].Steps || got[1].Steps == 0 {
		t.Errorf("several searches: %+v", got)
	}
	if v = served(); len(v.Slow.Entries()) != 0 {
		t.Error("the next release has slow searches")
	}
	resources.SlowSearches = 0
	v = served()
	ask(search, `{}`, time.Hour)
	if v.Slow != nil {
		t.Error("slow searches are remembered although they must not be")
	}
}
