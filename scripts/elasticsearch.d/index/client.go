// Package index fills the indices of a real Elasticsearch with the items of a release, so that it
// can evaluate the same bodies as the edge server.
package index

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"contentedge/edgeserve/engine/cluster/layout"
)

// Client speaks to one node.
type Client struct {
	URL    string
	Prefix string // of the names of indices
	Once   bool   // documents have numbers once, as generator load writes them, for a forwarder
	http   http.Client
}

// New returns a client of the node at url.
func New(url string) *Client {
	return &Client{URL: strings.TrimRight(url, "/"), http: http.Client{Timeout: 2 * time.Minute}}
}

// Name returns the name of the index of an environment.
func (c *Client) Name(env string) string { return c.Prefix + layout.Alias(env) }

// Do sends a request and returns the status and the body of its response.
func (c *Client) Do(method, path string, body []byte) (status int, response []byte, err error) {
	req, err := http.NewRequest(method, c.URL+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	kind := "application/json"
	if strings.HasSuffix(path, "/_bulk") || strings.HasSuffix(path, "/_msearch") {
		kind = "application/x-ndjson"
	}
	req.Header.Set("Content-Type", kind)
	res, err := c.http.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	response, err = io.ReadAll(res.Body)
	return res.StatusCode, response, err
}

// must is Do for what cannot be refused; it decodes the response into out unless that is nil.
func (c *Client) must(method, path string, body []byte, out any) error {
	status, response, err := c.Do(method, path, body)
	if err != nil {
		return err
	}
	if status >= 300 {
		return fmt.Errorf("%s %s: status %d: %.500s", method, path, status, response)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(response, out)
}
