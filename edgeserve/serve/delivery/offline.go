// This file answers requests without a server: commands, tests and builds get the bytes that a node
// sends.

package delivery

import (
	"log/slog"
	"math"
	"strings"
	"time"

	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/serve/admission"
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/generation"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// offlineTimeout is of one request. Only its work limit, the same on every machine, may refuse it.
const offlineTimeout = time.Hour

// Offline answers requests from the snapshots of a release alone. It caches nothing.
type Offline struct{ served *Served }

// NewOffline returns an Offline for a release. Its readers stay the caller's.
func NewOffline(m *release.Manifest, readers map[string]*snapshot.Reader) *Offline {
	g := &generation.Generation{Dir: releasedir.Dir{Manifest: m, Readers: readers, SnapshotOnly: true}}
	return &Offline{NewServed(g, 0, respond.NewFields(release.Standard(), []string{release.AnyOrigin}), &Resources{
		Memory: bodies.NewBudget(math.MaxInt64), Searches: admission.New(1, offlineTimeout), BodyLimit: math.MaxInt32,
		Counters: NewCounters(), Log: slog.New(slog.DiscardHandler),
	})}
}

// OfflineResponse is a response of 200.
type OfflineResponse struct {
	Body  []byte
	Timed bool // it depends on the clock
}

// Respond answers a request by its target and body. The cause of a problem is an error of the
// system or a damaged snapshot; nil: the request is to blame.
func (o *Offline) Respond(target string, body []byte) (OfflineResponse, *problem.Problem, error) {
	path, query, _ := strings.Cut(target, "?")
	route, ok := address.ParsePath(path)
	if !ok {
		return OfflineResponse{}, problem.Of(problem.UnknownRoute), nil
	}
	var buffer []byte
	r := Request{Target: []byte(target), Body: body, Buffer: &buffer, Since: time.Now()}
	response, p := o.served.Respond(&r, route, query)
	if p != nil {
		return OfflineResponse{}, p, r.Cause
	}
	return OfflineResponse{Body: response.Body, Timed: r.Timed}, nil, nil
}
