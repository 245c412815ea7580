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

// TestDelivery shows where the responses of a node come from. The requests of a case follow each other; the node
// has a release of one item without page files, and an empty cache. A response is computed, cached (it is one that
// was sent before), or a problem with a code.
func TestDelivery(t *testing.T) {
	const (
		item   = "/cda/rest/v1/shop/contents/A"
		list   = "/cda/rest/v1/shop/contents?sort=Name&pageSize=5"
		search = "/cda/es/v1/shop"
	)
	type request struct{ target, body, want string }
	for _, tt := range []struct {
		name     string
		requests []request
	}{
		{"a list is cached when it is requested again", []request{
			{list, ``, "computed"},
			{list, ``, "computed"},
			{list, ``, "cached"},
		}},
		{"all spellings of a list share a cache entry", []request{
			{list, ``, "computed"},
			{list, ``, "computed"},
			{"/cda/rest/v1/shop/contents?pageSize=5&page=1&sort=Name", ``, "cached"},
		}},
		{"a search is cached by its body", []request{
			{search, `{"query":{"match":{"Name":"coat"}}}`, "computed"},
			{search, `{"query":{"match":{"Name":"coat"}}}`, "computed"},
			{search, `{"query":{"match":{"Name":"coat"}}}`, "cached"},
			{search, `{"query":{"match":{"Name":"hat"}}}`, "computed"},
		}},
		{"a search that depends on the clock is not cached", []request{
			{search, `{"query":{"range":{"CreatedAt":{"lt":"now"}}}}`, "computed"},
			{search, `{"query":{"range":{"CreatedAt":{"lt":"now"}}}}`, "computed"},
			{search, `{"query":{"range":{"CreatedAt":{"lt":"now"}}}}`, "computed"},
		}},
		{"an item is cached when it is requested again", []request{
			{item, ``, "computed"},
			{item, ``, "computed"},
			{item, ``, "cached"},
		}},
		{"problems are not cached", []request{
			{"/cda/rest/v1/shop/contents/B", ``, "unknown_item"},
			{"/cda/rest/v1/shop/contents/B", ``, "unknown_item"},
			{search, `{"query":`, "bad_json"},
			{"/cda/rest/v1/nope/contents", ``, "unknown_environment"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			resources := &Resources{Memory: bodies.NewBudget(1 << 20), Searches: admission.New(2, time.Minute),
				BodyLimit: 1 << 10, Counters: NewCounters(), Log: slog.New(slog.DiscardHandler)}
			readers := map[string]*snapshot.Reader{"shop": searchtest.Named(t, "shop", []string{`{"ContentID":"A","Name":"Red coat","CreatedAt":"2021-01-01T00:00:00.000Z"}`})}
			manifest := &release.Manifest{Build: "0123456789abcdef", Defaults: release.Defaults{Sort: "CreatedAt", PageSize: 10}}
			g := &generation.Generation{Dir: releasedir.Dir{Manifest: manifest, Readers: readers, SnapshotOnly: true}}
			v := NewServed(g, 1<<20, respond.NewFields(release.Standard(), []string{release.AnyOrigin}), resources)
			sent := map[any]bool{}
			for i, want := range tt.requests {
				path, query, _ := strings.Cut(want.target, "?")
				route, _ := address.ParsePath(path)
				if want.body == "" {
					route = route.ForGET(query)
				}
				r := Request{Client: clientnet.Of(netip.MustParseAddr("192.0.2.1")), Target: []byte(want.target), Body: []byte(want.body), Buffer: new([]byte), Since: time.Now()}
				response, p := v.Respond(&r, route, query)
				got := "computed"
				switch {
				case p != nil:
					got = p.Code
				case sent[response]:
					got = "cached"
				}
				sent[response] = true
				if got != want.want {
					t.Errorf("request %d, %s %s: %s, expected %s", i+1, want.target, want.body, got, want.want)
				}
			}
		})
	}
}
