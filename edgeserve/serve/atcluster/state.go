// This file says how the cluster is, for probes and metrics.

package atcluster

import (
	"time"

	"contentedge/edgeserve/prometheus"
)

// State is the state of a cluster, for the operator's probe. It asks no node.
type State struct {
	// Available reports whether a node can be asked. Otherwise responses come only from the cache and from files.
	Available bool   `json:"available"`
	Nodes     []Node `json:"nodes"`
}

// Node is the state of a node.
type Node struct {
	Name     string `json:"name"`
	Since    string `json:"notAskedSince,omitempty"`
	Error    string `json:"lastError,omitempty"`
	InFlight int    `json:"inFlight"`
}

// State returns the state of the cluster.
func (c *Cluster) State() *State {
	all := c.Nodes.State()
	s := &State{Available: all.Available}
	for _, n := range all.Nodes {
		node := Node{Name: n.Name, Error: n.Error, InFlight: n.InFlight}
		if n.Open {
			node.Since = n.Since.UTC().Format(time.RFC3339)
		}
		s.Nodes = append(s.Nodes, node)
	}
	return s
}

// WriteMetrics writes the metrics of the cluster, and of the store of items.
func (c *Cluster) WriteMetrics(t *prometheus.Text) {
	c.Nodes.WriteMetrics(t)
	if c.Items != nil {
		c.Items.WriteMetrics(t)
	}
}
