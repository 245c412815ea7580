// This file decides when a node is no longer asked, and when it is asked again.

package clusternodes

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
	"time"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/serve/clientnet"
	"contentedge/edgeserve/wire/clusterhttp"
)

const (
	// maxFailures in a row make a node suspect. Single errors do not, as each is repeated elsewhere.
	maxFailures = 5
	// firstPause is the time from the first probe that fails to the second one; it doubles up to lastPause,
	// in which a node that has come back is noticed.
	firstPause = 500 * time.Millisecond
	lastPause  = 10 * time.Second
	// restartLimit is how many requests a node that has come back gets at once. Each success adds one.
	restartLimit = 2
	// maxProbe limits the response to a probe, in bytes. It has no hits.
	maxProbe = 64 << 10
)

// probeBody is a search that costs a node next to nothing, but needs the index. GET / would be answered
// by a node that cannot search.
const probeBody = `{"size":0,"terminate_after":1,"track_total_hits":false,"query":{"match_all":{}}}`

// circuit is what is known of a node.
type circuit uint8

const (
	closed  circuit = iota // it is asked
	suspect                // it failed several times; a probe decides, and it is asked if no other node can be
	open                   // it is not asked until a probe succeeds
)

// node is a node of the cluster. Nodes.mu guards all members except at, name, proofs and counts.
type node struct {
	at   int
	name string

	inFlight int
	limit    int // of inFlight
	circuit  circuit
	failures int // in a row
	pause    time.Duration
	timer    *time.Timer // starts the next probe; nil if none is planned
	since    time.Time   // when the circuit opened
	err      error       // of the last failure

	proofs atomic.Uint64 // outcomes that show that the node can answer
	counts nodeCounts
}

// finish gives back the slot of a request that has ended, and notes what its end says about the node.
func (n *Nodes) finish(nd *node, client clientnet.Client, o outcome, fails bool, took time.Duration, err error) {
	nd.counts.add(o, took)
	if o.proves() {
		nd.proofs.Add(1)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.giveBack(nd, client)
	switch {
	case fails:
		nd.failures++
		nd.err = err
		if nd.circuit == closed && nd.failures >= maxFailures && !n.closed {
			nd.circuit = suspect
			n.running.Add(1)
			go n.probe(nd)
		}
	case o.proves():
		nd.failures = 0
		nd.limit = min(nd.limit+1, n.cfg.PerNode)
	}
	n.dispatch()
}

// probe asks a node whether it can search. Its goroutine was counted.
func (n *Nodes) probe(nd *node) {
	defer crash.Exit()
	defer n.running.Done()
	ctx, cancel := context.WithTimeoutCause(n.ctx, n.cfg.Deadline/3, errDeadline)
	defer cancel()
	path := searchPath
	if index := n.index.Load(); index != nil && *index != "" {
		path = "/" + *index + searchPath
	}
	proofs := nd.proofs.Load()
	_, err := n.client.Do(ctx, nd.at, clusterhttp.Request{
		Method: http.MethodPost, Path: path, Body: []byte(probeBody), Repeatable: true, MaxResponse: maxProbe,
		Query: map[string][]string{"allow_partial_search_results": {"false"}, "request_cache": {"false"}, preference: {"_local"}},
	}, nil)
	o := classify(err)
	nd.counts.probed(o.proves())
	proven := o.proves() || o == late && nd.proofs.Load() != proofs
	if o.proves() {
		nd.proofs.Add(1)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	nd.timer = nil
	switch {
	case n.closed:
	case proven:
		n.closeCircuit(nd)
	default:
		n.openCircuit(nd, err)
	}
	n.dispatch()
}

// closeCircuit lets a node be asked again. mu is held.
func (n *Nodes) closeCircuit(nd *node) {
	if nd.circuit == open {
		nd.limit = min(restartLimit, n.cfg.PerNode)
		n.cfg.Log.Info("a node of the cluster can search again", "node", nd.name, "after", time.Since(nd.since).Round(time.Millisecond).String())
	}
	nd.circuit, nd.failures, nd.pause = closed, 0, 0
}

// openCircuit keeps requests away from a node, and plans the next probe. mu is held.
func (n *Nodes) openCircuit(nd *node, err error) {
	nd.err = err
	if nd.circuit != open {
		nd.circuit, nd.since = open, time.Now()
		n.cfg.Log.Warn("a node of the cluster cannot search; it is asked again once a probe succeeds", "node", nd.name, "error", err)
	}
	nd.pause = min(max(2*nd.pause, firstPause), lastPause)
	n.running.Add(1)
	// Pauses vary, so that several servers do not probe together.
	nd.timer = time.AfterFunc(nd.pause/2+rand.N(nd.pause/2), crash.Guarded(func() { n.probe(nd) }))
}

// NodeState is what is known of a node.
type NodeState struct {
	Name     string
	Open     bool      // it is not asked
	Since    time.Time // when the circuit opened; zero if it is not open
	Error    string    // the last failure; "" if there was none
	InFlight int
}

// State is what is known of all nodes.
type State struct {
	Available bool // at least one node is asked
	Nodes     []NodeState
}

// State returns what is known of the nodes. It asks none.
func (n *Nodes) State() State {
	n.mu.Lock()
	defer n.mu.Unlock()
	var s State
	for _, nd := range n.nodes {
		state := NodeState{Name: nd.name, Open: nd.circuit == open, InFlight: nd.inFlight}
		if state.Open {
			state.Since = nd.since
		}
		if nd.err != nil {
			state.Error = nd.err.Error()
		}
		s.Available = s.Available || !state.Open
		s.Nodes = append(s.Nodes, state)
	}
	return s
}
