// This file connects the server to the cluster that evaluates its searches.

package main

import (
	"errors"
	"fmt"
	"strings"

	"contentedge/cmd/cli"
	"contentedge/cmd/clusterflags"
	"contentedge/edgeserve/serve/atcluster"
	"contentedge/edgeserve/serve/clusternodes"
	"contentedge/edgeserve/wire/clusterhttp"
	"contentedge/edgeserve/wire/store"
)

// clusterOptions are the settings of searches at a cluster. Without nodes, snapshots evaluate searches.
type clusterOptions struct {
	http     clusterhttp.Options
	perNode  int
	items    string // address of the store of items
	insecure bool   // read items over http:// too
	exact    bool
}

// addCluster adds the flags of searches at a cluster.
func (o *options) addCluster(c *cli.Command) {
	const searches, items = "search-at", "items-at"
	s := &o.cluster
	s.perNode = clusternodes.DefaultPerNode
	g := c.Group("Searching at a cluster")
	g.Each(searches, "URL[,URL…]", "nodes of an OpenSearch cluster, which evaluates lists without files and searches, from the indices of generator load; snapshots are not needed then", func(text string) error {
		s.http.Nodes = append(s.http.Nodes, strings.Split(text, ",")...)
		return nil
	})
	g.Bool(&s.exact, "exact", "refuse searches whose results would be approximate, because an index has several shards").Needs(searches)
	g.Int(&s.perNode, "cluster-requests", "N", "requests to one node at a time; further ones wait").Needs(searches)
	clusterflags.Add(g, &s.http, searches)
	g.String(&s.items, items, "STORE", "read items by id here before the cluster is asked: the files of releases, https://HOST/releases/{build} or s3://BUCKET/releases/{build}, or the address of another node").Needs(searches)
	g.Bool(&s.insecure, "items-insecure", "allow http:// to other machines for --items-at, although attackers on the network can then replace items").Needs(items)
}

// openCluster prepares the nodes and the store of items. It contacts none.
func (o *options) openCluster() error {
	s := &o.cluster
	if len(s.http.Nodes) == 0 {
		return nil
	}
	o.follow.WithoutSnapshots = true
	if s.perNode < 1 {
		return fmt.Errorf("--cluster-requests %d: at least one request must be possible", s.perNode)
	}
	at := &atcluster.Cluster{Exact: s.exact}
	nodes, err := clusternodes.New(s.http, clusternodes.Config{Deadline: atcluster.Deadline(o.SearchTimeout), PerNode: s.perNode, Log: o.Logger})
	if errors.Is(err, clusterhttp.ErrInsecure) {
		err = fmt.Errorf("%w, or add --cluster-insecure", err)
	}
	if err == nil {
		at.Nodes, o.closeCluster = nodes, nodes.Close
	}
	if s.items != "" {
		var wrong error
		at.Items, wrong = atcluster.OpenItems(s.items, s.insecure, o.Logger)
		if errors.Is(wrong, store.ErrInsecure) {
			wrong = fmt.Errorf("%w, or add --items-insecure", wrong)
		}
		err = errors.Join(err, wrong)
	}
	o.Cluster = at
	return err
}
