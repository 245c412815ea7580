// This file explains why the answers of two edge servers differ.

package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"elasticsearch/compare"
	"elasticsearch/index"
)

// reasons explains differences: it asks real engines, each with an index of its own of one shard.
type reasons struct {
	*testing.T
	corpora       *corpora
	opensearch    *index.Client
	elasticsearch *index.Client        // nil: not started yet
	cannot        string               // why Elasticsearch cannot be asked
	url           string               // of the edge server with the snapshots
	loaded        map[string]bool      // environments that the engines have
	known         map[string][2]string // what was found, by environment and body
}

// judgeIndices begins the names of the indices that engines are asked about directly.
const judgeIndices = "judge-"

func newReasons(t *testing.T, c *corpora, node, edge string) *reasons {
	x := &reasons{T: t, corpora: c, opensearch: index.New(node), url: edge, loaded: map[string]bool{}, known: map[string][2]string{}}
	x.opensearch.Prefix = judgeIndices
	return x
}

// of names the family of a body that the engines answer otherwise, or what the interface promises beyond both engines. Else it returns
// "" and what was found.
func (x *reasons) of(e judged, body []byte) (family, found string) {
	key := e.env.ID + string(body)
	if known, ok := x.known[key]; ok {
		return known[0], known[1]
	}
	family, found = x.find(e, body)
	x.known[key] = [2]string{family, found}
	return family, found
}

func (x *reasons) find(e judged, body []byte) (family, found string) {
	if bytes.Contains(body, []byte(`"percentile`)) {
		return "both engines estimate percentiles with a generator of random numbers", ""
	}
	family, diff := x.engines(e, body)
	switch {
	case family != "":
		return "OpenSearch differs from Elasticsearch: " + family, ""
	case diff != "":
		return "", "\nOpenSearch differs from Elasticsearch, in no known family: " + diff
	}
	v, err := compare.NewJudge(compare.Endpoint(index.New(x.url)), x.elasticsearch).Compare(e.env.ID, e.fields, body)
	switch {
	case err != nil:
		return "", "\nElasticsearch: " + err.Error()
	case v.Reason != "":
		return "the snapshot differs from both engines: " + v.Reason, ""
	}
	return "", "\nOpenSearch and Elasticsearch agree"
}

// engines returns what differs between the engines' responses to a body, and its family.
func (x *reasons) engines(e judged, body []byte) (family, diff string) {
	if x.begin(); x.cannot != "" {
		return "", x.cannot
	}
	if !x.loaded[e.env.ID] {
		for _, node := range []*index.Client{x.opensearch, x.elasticsearch} {
			if err := node.Load(x.corpora.dir(), x.corpora.build, e.env); err != nil {
				x.Fatal(err)
			}
		}
		x.loaded[e.env.ID] = true
	}
	diff, err := compare.Engines(x.opensearch, x.elasticsearch, e.env.ID, e.fields, body)
	if err != nil {
		return "", err.Error()
	}
	if diff != "" {
		family = compare.FamilyOf(body, diff)
	}
	return family, diff
}

// begin starts Elasticsearch, which only differences need.
func (x *reasons) begin() {
	if x.elasticsearch != nil || x.cannot != "" {
		return
	}
	url, err := exec.Command(filepath.Join("..", "elasticsearch"), "start").Output()
	if err != nil {
		x.cannot = "Elasticsearch, which might explain it, does not start: " + err.Error()
		return
	}
	x.elasticsearch = index.New(strings.TrimSpace(string(url)))
	x.elasticsearch.Prefix = judgeIndices
}
