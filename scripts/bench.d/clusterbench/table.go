// This file prints the tables.

package clusterbench

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// aim is the share of the cluster's processor time that an edge should add at most.
const aim = 0.15

// clusters are numbers of nodes for which the hit rate is printed that saves one.
var clusters = []int{3, 5, 10}

// table prints all tables.
func (b *bench) table(w io.Writer) error {
	var t bytes.Buffer
	l := b.loaded
	fmt.Fprintf(&t, "%d items; %d different requests of each family; medians of %d rounds of %v.\n\n", b.count, len(b.families[0].requests), b.rounds, b.each)
	fmt.Fprintf(&t, "| generator load | |\n| --- | ---: |\n| items a second | %.0f |\n| processor time of the generator, of the nodes, ms for each thousand items | %.0f, %.0f |\n| bytes of the index for each item | %d |\n\n",
		float64(b.count)/l.wall.Seconds(), milli(l.generator.Nanoseconds())/float64(b.count)*1e3, milli(l.nodes.Nanoseconds())/float64(b.count)*1e3, l.bytes/int64(b.count))
	b.costs(&t)
	b.latencies(&t)
	b.savings(&t)
	_, err := w.Write(t.Bytes())
	return err
}

func milli(ns int64) float64 { return float64(ns) / 1e6 }

// adds returns the CPU time that the edge adds, as a share of the bare cluster's.
func (f *family) adds() float64 {
	return float64(f.ways[through].edge) / float64(max(f.ways[bare].nodes, 1))
}

func (b *bench) costs(t *bytes.Buffer) {
	fmt.Fprintf(t, "Processor time of a request, ms, with %d connections. The edge adds its own time as a share of the bare cluster's; the aim is %.0f %%:\n\n", b.conns, aim*100)
	fmt.Fprint(t, "| family | edge on its snapshot | bare cluster | through the edge: edge + cluster | the edge adds | from the edge's cache | responses unlike the snapshot's |\n| --- |"+strings.Repeat(" ---: |", 6)+"\n")
	for _, f := range b.families {
		w := f.ways
		fmt.Fprintf(t, "| %s | %.3f | %.2f | %.3f + %.2f | %.1f %% | %.3f | %d of %d |\n", f.name, milli(w[snapshot].edge), milli(w[bare].nodes),
			milli(w[through].edge), milli(w[through].nodes), f.adds()*100, milli(w[cached].edge), f.differ, len(f.requests))
	}
	fmt.Fprintln(t)
}

func (b *bench) latencies(t *bytes.Buffer) {
	fmt.Fprint(t, "Latency of a request, p50 / p99, ms, with one connection:\n\n| family | edge on its snapshot | bare cluster | through the edge | from the edge's cache |\n| --- | ---: | ---: | ---: | ---: |\n")
	for _, f := range b.families {
		fmt.Fprintf(t, "| %s |", f.name)
		for w := range wayCount {
			fmt.Fprintf(t, " %.2f / %.2f |", milli(f.ways[w].p50), milli(f.ways[w].p99))
		}
		fmt.Fprintln(t)
	}
	fmt.Fprintln(t)
}

// savings prints the hit rates at which edges save a node of a cluster that is busy.
func (b *bench) savings(t *bytes.Buffer) {
	var sum figures // of a request of each family
	var hit int64
	for _, f := range b.families {
		sum.nodes += f.ways[bare].nodes
		sum.edge += f.ways[through].edge
		hit += f.ways[cached].edge
	}
	fmt.Fprint(t, "Hit rate of the cache that saves a node, by calculation, with as many requests of each family; the processor time of the edges counts:\n\n| nodes without edges | hit rate |\n| ---: | ---: |\n")
	for _, n := range clusters {
		fmt.Fprintf(t, "| %d | %.0f %% |\n", n, 100*hitRate(n, float64(sum.nodes), float64(sum.edge), float64(hit)))
	}
}

// hitRate returns the hit rate r with which n nodes become n-1, where a request costs the cluster node. A miss costs an
// edge the time miss, a hit the time hit. Of n busy nodes r*n are saved, and edges take n*((1-r)*miss+r*hit)/node.
func hitRate(n int, node, miss, hit float64) float64 {
	return (1/float64(n) + miss/node) / (1 + (miss-hit)/node)
}
