// This file measures each family in each way, in turn.

package clusterbench

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"bench/engine"
)

// way is how requests are answered.
type way uint8

const (
	snapshot way = iota // by an edge from its snapshot, without a cache
	bare                // by the cluster
	through             // by the cluster through an edge without a cache
	cached              // by an edge in front of the cluster, from its cache
	wayCount
)

// figures are the cost of a request, in ns.
type figures struct {
	edge, nodes int64 // processor time
	p50, p99    int64
}

// wayOf is what is asked in a way.
type wayOf struct {
	client *client
	edge   int // the id of the edge's process; zero means no edge
	nodes  bool
}

// ways starts the edges.
func (b *bench) ways() (ways [wayCount]wayOf, err error) {
	ways[bare] = wayOf{client: newClient(b.nodes[0], b.conns), nodes: true}
	searchAt := []string{"--search-at", b.nodes[0]}
	for _, s := range []struct {
		way   way
		args  []string
		nodes bool
	}{
		{snapshot, []string{"--cache-bytes", "0"}, false},
		{through, append(searchAt, "--cache-bytes", "0"), true},
		{cached, searchAt, true},
	} {
		e, err := b.start(s.args...)
		if err != nil {
			return ways, err
		}
		ways[s.way] = wayOf{newClient(e.url, b.conns), e.cmd.Process.Pid, s.nodes}
	}
	return ways, nil
}

// same compares the responses of the snapshot and the cluster. It fills the cache, too.
func (b *bench) same(ways [wayCount]wayOf) error {
	for _, f := range b.families {
		for _, r := range f.requests {
			want, err := ways[snapshot].client.do(r)
			if err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
			for _, w := range []way{through, cached} {
				got, err := ways[w].client.do(r)
				if err != nil {
					return fmt.Errorf("%s: %w", f.name, err)
				}
				if w == through && !bytes.Equal(got, want) {
					f.differ++
				}
			}
		}
	}
	return nil
}

// measure warms the nodes up and runs the rounds.
func (b *bench) measure(ways [wayCount]wayOf) error {
	for begin := time.Now(); time.Since(begin) < b.warm; {
		for _, f := range b.families {
			for _, w := range []way{bare, through, snapshot} {
				if err := b.atOnce(ways[w], f.of(w)); err != nil {
					return err
				}
			}
		}
	}
	rounds := map[*family]*[wayCount][]figures{}
	for round := range b.rounds {
		for _, f := range b.families {
			b.say("round %d: %s", round+1, f.name)
			if rounds[f] == nil {
				rounds[f] = new([wayCount][]figures)
			}
			for i := range wayCount {
				w := (i + way(round)) % wayCount // in each round another way is the first
				measured, err := b.once(ways[w], f.of(w), len(f.requests))
				if err != nil {
					return fmt.Errorf("%s: %w", f.name, err)
				}
				rounds[f][w] = append(rounds[f][w], measured)
			}
		}
	}
	for f, all := range rounds {
		for w := range wayCount {
			f.ways[w] = medians(all[w])
		}
	}
	return nil
}

// of returns what is sent in a way.
func (f *family) of(w way) []request {
	if w == bare {
		return f.sent
	}
	return f.requests
}

// once measures a way: the processor time with several connections, as nodes and edges have them, then latencies with
// one. Whole passes are sent. An edge may send several requests for one client request, so the cost is counted by
// client request: a pass has n.
func (b *bench) once(w wayOf, requests []request, n int) (f figures, err error) {
	used := func() (edge, nodes int64) {
		if w.edge != 0 {
			edge = engine.CPUOf(w.edge)
		}
		if w.nodes {
			nodes = b.nodesCPU()
		}
		return edge, nodes
	}
	passes := int64(0)
	edge, nodes := used()
	for begin := time.Now(); passes == 0 || time.Since(begin) < b.each; passes++ {
		if err := b.atOnce(w, requests); err != nil {
			return f, err
		}
	}
	f.edge, f.nodes = used()
	f.edge, f.nodes = (f.edge-edge)/(passes*int64(n)), (f.nodes-nodes)/(passes*int64(n))
	var times []int64
	for begin := time.Now(); times == nil || time.Since(begin) < b.each; {
		for _, r := range requests {
			sent := time.Now()
			if _, err := w.client.do(r); err != nil {
				return f, err
			}
			times = append(times, time.Since(sent).Nanoseconds())
		}
	}
	slices.Sort(times)
	f.p50, f.p99 = quantile(times, 0.5), quantile(times, 0.99)
	return f, nil
}

// atOnce sends each request once, over several connections.
func (b *bench) atOnce(w wayOf, requests []request) error {
	var next atomic.Int64
	errs := make([]error, b.conns)
	var all sync.WaitGroup
	for i := range b.conns {
		all.Go(func() {
			for errs[i] == nil {
				at := int(next.Add(1)) - 1
				if at >= len(requests) {
					return
				}
				_, errs[i] = w.client.do(requests[at])
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

func quantile(sorted []int64, q float64) int64 { return sorted[int(q*float64(len(sorted)-1))] }

// medians returns the median of each figure.
func medians(all []figures) figures {
	median := func(of func(figures) int64) int64 {
		var values []int64
		for _, f := range all {
			values = append(values, of(f))
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return figures{
		edge:  median(func(f figures) int64 { return f.edge }),
		nodes: median(func(f figures) int64 { return f.nodes }),
		p50:   median(func(f figures) int64 { return f.p50 }),
		p99:   median(func(f figures) int64 { return f.p99 }),
	}
}
