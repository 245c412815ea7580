// Package elastic puts a real Elasticsearch into the benchmark: one node, asked over HTTP by one
// client. Its processor time is the whole node process's, background work included.
package elastic

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"bench/corpus"
	"bench/engine"
	"bench/queries"
)

// The variables of the process's environment that name the node.
const (
	URL = "BENCH_ELASTICSEARCH_URL"
	PID = "BENCH_ELASTICSEARCH_PID"
)

const (
	name = "bench"
	bulk = 4 << 20 // bytes of a request of items
)

// Engine is the engine.
type Engine struct{}

// Build fills an index of the node with the items, in one segment.
func (Engine) Build(items [][]byte, fields corpus.Fields, _ string) error {
	n := newNode()
	if _, err := n.do("DELETE", "/"+name+"?ignore_unavailable=true", nil); err != nil {
		return err
	}
	if _, err := n.do("PUT", "/"+name, mapping(fields)); err != nil {
		return err
	}
	var lines bytes.Buffer
	flush := func() error {
		if lines.Len() == 0 {
			return nil
		}
		defer lines.Reset()
		answer, err := n.do("POST", "/"+name+"/_bulk?filter_path=errors", lines.Bytes())
		if err == nil && !bytes.Contains(answer, []byte("false")) {
			err = fmt.Errorf("it does not take all items: %.500s", answer)
		}
		return err
	}
	for _, item := range items {
		fmt.Fprintf(&lines, "{\"index\":{\"_id\":%q}}\n%s\n", corpus.Member(item, "ContentID"), item)
		if lines.Len() > bulk {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	for _, path := range []string{"/_refresh", "/_forcemerge?max_num_segments=1", "/_refresh"} {
		if _, err := n.do("POST", "/"+name+path, nil); err != nil {
			return err
		}
	}
	return nil
}

// mapping returns the mapping of the fields' types, as a dynamic mapping makes it.
func mapping(fields corpus.Fields) []byte {
	type object = map[string]any
	root := object{}
	for _, f := range fields {
		at, path := root, strings.Split(f.Path, ".")
		for _, part := range path[:len(path)-1] {
			below, ok := at[part].(object)
			if !ok || below["properties"] == nil {
				below = object{"properties": object{}}
				at[part] = below
			}
			at = below["properties"].(object)
		}
		var of object
		switch f.Type {
		case "date":
			of = object{"type": "date", "ignore_malformed": true}
		case "number":
			of = object{"type": "double", "ignore_malformed": true}
		case "boolean":
			of = object{"type": "keyword"} // a mixed path has other values too
		default:
			of = object{"type": "text", "fields": object{"keyword": object{"type": "keyword", "ignore_above": 8000}}}
		}
		if at[path[len(path)-1]] == nil {
			at[path[len(path)-1]] = of
		}
	}
	body, err := json.Marshal(object{"settings": object{"number_of_shards": 1, "number_of_replicas": 0}, "mappings": object{"dynamic": false, "properties": root}})
	if err != nil {
		panic(err) // maps and strings always have a JSON encoding
	}
	return body
}

// node speaks to the node over one connection.
type node struct {
	url, pid string
	client   http.Client
}

func newNode() *node {
	return &node{url: os.Getenv(URL), pid: os.Getenv(PID), client: http.Client{Timeout: 5 * time.Minute}}
}

func (n *node) do(method, path string, body []byte) ([]byte, error) {
	request, err := http.NewRequest(method, n.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := n.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(bufio.NewReader(response.Body))
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s: %.500s", method, path, response.Status, answer)
	}
	return answer, err
}

// Size is the length of the index.
func (Engine) Size() (int64, error) {
	answer, err := newNode().do("GET", StoreOf(name), nil)
	if err != nil {
		return 0, err
	}
	return StoreBytes(answer)
}

// StoreOf is the path at which a node says how long an index is.
func StoreOf(index string) string { return "/" + index + "/_stats/store" }

// StoreBytes reads the length of an index without its replicas, in bytes, from what a node says.
func StoreBytes(answer []byte) (int64, error) {
	var stats struct {
		All struct {
			Primaries struct {
				Store struct {
					Bytes int64 `json:"size_in_bytes"`
				}
			}
		} `json:"_all"`
	}
	err := json.Unmarshal(answer, &stats)
	return stats.All.Primaries.Store.Bytes, err
}

// PID is the id of the node's process.
func (Engine) PID() string { return newNode().pid }

// CPU is the processor time of the node's process in ns.
func (Engine) CPU() int64 { return newNode().CPU() }

// Open finds the node.
func (Engine) Open(string, corpus.Fields) (engine.Searcher, error) {
	n := newNode()
	_, err := n.do("GET", "/"+name, nil)
	return n, err
}

// Prepare sends the body as it is, and asks for the exact total, as we answer it. Nothing is
// answered from a cache.
func (n *node) Prepare(q queries.Query) (engine.Prepared, error) {
	body := []byte(q.Body)
	ask := func() (int, error) {
		answer, err := n.do("POST", "/"+name+"/_search?track_total_hits=true&request_cache=false", body)
		if err != nil {
			return 0, err
		}
		return total(answer)
	}
	if _, err := ask(); err != nil {
		return nil, &engine.Refusal{Err: err}
	}
	return ask, nil
}

// total reads hits.total.value, which precedes the hits, and counts suggestions, which follow the
// hits.
func total(answer []byte) (int, error) {
	const before = `"total":{"value":`
	at := bytes.Index(answer, []byte(`"hits":{`+before))
	if at < 0 {
		return 0, fmt.Errorf("no total in %.300s", answer)
	}
	rest := answer[at+len(`"hits":{`+before):]
	n, err := strconv.Atoi(string(rest[:bytes.IndexByte(rest, ',')]))
	if _, suggestions, ok := bytes.Cut(rest, []byte(`,"suggest":{`)); ok {
		n += engine.CountSuggestions(suggestions)
	}
	return n, err
}

// PID is the id of the node's process.
func (n *node) PID() string { return n.pid }

// CPU is the processor time of the node's process in ns.
func (n *node) CPU() int64 {
	pid, err := strconv.Atoi(n.pid)
	if err != nil {
		return 0
	}
	return engine.CPUOf(pid)
}
