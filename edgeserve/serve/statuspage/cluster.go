// This file writes the section about the cluster that evaluates searches.

package statuspage

import "time"

// ClusterNode is what is known of a node of the cluster.
type ClusterNode struct {
	Name  string
	Since time.Time // from when on it is not asked; zero if it is asked
	Error string    // the last failure; empty if there was none
}

// The metrics of the nodes of a cluster, by the label node.
const (
	clusterRequests = "contentedge_cluster_requests_total"
	clusterInFlight = "contentedge_cluster_requests_in_flight"
)

var clusterFacts = []fact{
	{"Requests that wait for a node", of("contentedge_cluster_requests_waiting"), asNumber},
	{"Requests sent to a second node", of("contentedge_cluster_second_requests_total"), asNumber},
	{"Requests that no node has answered", of("contentedge_cluster_unavailable_total"), asNumber},
	{"Memory of responses", of("contentedge_cluster_response_bytes"), asBytes},
}

// available reports whether a node of the cluster is asked.
func (p *Page) available() bool {
	for _, n := range p.Cluster {
		if n.Since.IsZero() {
			return true
		}
	}
	return false
}

func (r *renderer) cluster() {
	if len(r.Cluster) == 0 {
		return
	}
	r.section("cluster", "Cluster")
	r.table("Nodes of the cluster", "Node", "Requests", "In flight", "Not asked since", "Last failure")
	for _, n := range r.Cluster {
		r.heading(n.Name)
		r.figureCell(selector{name: clusterRequests, label: "node", value: n.Name}, asNumber)
		r.figureCell(selector{name: clusterInFlight, label: "node", value: n.Name}, asNumber)
		r.raw("<td>")
		if n.Since.IsZero() {
			r.raw("–")
		} else {
			r.moment(n.Since, r.Now)
		}
		r.cell(n.Error)
	}
	r.endTable()
	r.raw("<dl>")
	r.facts(clusterFacts)
	r.raw("</dl>")
	r.end()
}
