// This file counts what happens to requests, by node.

package clusternodes

import (
	"sync/atomic"
	"time"

	"contentedge/edgeserve/prometheus"
)

// bounds are the upper bounds of the buckets of durations: a search of a cluster takes some milliseconds,
// and has two seconds.
var bounds = [...]time.Duration{
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond,
	50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, time.Second, 2500 * time.Millisecond,
}

// nodeCounts are the counts of a node.
type nodeCounts struct {
	outcomes [outcomes]prometheus.Counter
	buckets  [len(bounds) + 1]atomic.Uint64 // not cumulative
	nanos    atomic.Uint64
	probes   [2]prometheus.Counter // failed, succeeded
}

func (c *nodeCounts) add(o outcome, took time.Duration) {
	c.outcomes[o].Inc()
	c.buckets[prometheus.BucketOf(bounds[:], took)].Add(1)
	c.nanos.Add(uint64(max(took, 0)))
}

func (c *nodeCounts) probed(ok bool) {
	i := 0
	if ok {
		i = 1
	}
	c.probes[i].Inc()
}

// Why a second node was asked.
const (
	slowFirst = iota
	failedFirst
	seconds
)

var secondNames = [seconds]string{"slow", "failed"}

// Why a request was refused with ErrUnavailable.
const (
	byCircuits = iota
	byQueue
	byDeadline
	byFailures
	refusals
)

var refusalNames = [refusals]string{"circuits", "queue", "deadline", "failures"}

type counters struct {
	seconds  [seconds]prometheus.Counter
	refusals [refusals]prometheus.Counter
}

func (c *counters) second(why int) { c.seconds[why].Inc() }

// refused counts a request that no node has answered, and returns its error.
func (n *Nodes) refused(why int, err error) error {
	n.counters.refusals[why].Inc()
	return unavailable(err)
}

func (c *counters) write(t *prometheus.Text, n *Nodes) {
	t.Family("contentedge_cluster_requests_total", "counter", "Requests to nodes of the cluster, by node and outcome.")
	for _, nd := range n.nodes {
		for o, name := range outcomeNames {
			t.Uint(nd.counts.outcomes[o].Value(), "node", nd.name, "outcome", name)
		}
	}
	t.Family("contentedge_cluster_request_duration_seconds", "histogram", "Time of requests to nodes of the cluster, by node.")
	for _, nd := range n.nodes {
		t.Histogram(bounds[:], nd.counts.buckets[:], time.Duration(nd.counts.nanos.Load()), "node", nd.name)
	}
	states := n.State().Nodes
	t.Family("contentedge_cluster_requests_in_flight", "gauge", "Requests to nodes of the cluster that have not ended, by node.")
	for _, s := range states {
		t.Uint(uint64(s.InFlight), "node", s.Name)
	}
	t.Family("contentedge_cluster_circuit_open", "gauge", "1 while a node of the cluster is not asked because it has failed.")
	for _, s := range states {
		v := uint64(0)
		if s.Open {
			v = 1
		}
		t.Uint(v, "node", s.Name)
	}
	t.Family("contentedge_cluster_probes_total", "counter", "Probes of nodes of the cluster that had failed, by node and result.")
	for _, nd := range n.nodes {
		for i, result := range [...]string{"failed", "ok"} {
			t.Uint(nd.counts.probes[i].Value(), "node", nd.name, "result", result)
		}
	}
	n.mu.Lock()
	waiting := len(n.waiting)
	n.mu.Unlock()
	t.Family("contentedge_cluster_requests_waiting", "gauge", "Requests that wait until a node of the cluster may be asked.")
	t.Uint(uint64(waiting))
	t.Family("contentedge_cluster_second_requests_total", "counter", "Requests that were sent to a second node of the cluster, by what the first one was.")
	for why, name := range secondNames {
		t.Uint(c.seconds[why].Value(), "reason", name)
	}
	t.Family("contentedge_cluster_unavailable_total", "counter", "Requests that no node of the cluster has answered, by reason.")
	for why, name := range refusalNames {
		t.Uint(c.refusals[why].Value(), "reason", name)
	}
	t.Family("contentedge_cluster_response_bytes", "gauge", "Memory of responses of the cluster.")
	t.Uint(uint64(max(n.buffers.used.Load(), 0)))
}
