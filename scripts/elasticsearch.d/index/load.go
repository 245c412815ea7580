// This file loads the items of a release in default order.

package index

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"path/filepath"

	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/release"
)

// bulkBytes is about the size of a _bulk request. The node refuses 100 MiB.
const bulkBytes = 8 << 20

// someItems is the number of items whose documents stand for all.
const someItems = 500

// Load makes the index of an environment of the release in dir, unless the node has it of this build.
func (c *Client) Load(dir, build string, env release.Environment) error {
	r, err := snapshot.Open(filepath.Join(dir, env.Snapshot.File))
	if err != nil {
		return err
	}
	defer r.Close()
	// A change of the mapping or of documents makes the index again, too.
	state, err := json.Marshal(c.definition(env, layout.Meta{}))
	if err != nil {
		return err
	}
	documents := c.documents(env)
	for d := range min(someItems, r.Items()) {
		if state, err = documents.Append(state, r.Fragment(snapshot.DocID(d)), d); err != nil {
			return err
		}
	}
	build += fmt.Sprintf("-%08x", crc32.ChecksumIEEE(state))
	name := c.Name(env.ID)
	if c.has(name, build, r.Items()) {
		return nil
	}
	return c.fill(name, r, env, layout.Meta{Format: layout.Format, Environment: env.ID, Build: build, Items: r.Items(), Shards: 1})
}

// definition returns the body that makes an index. Comparisons need the limits that an engine has by default, which are
// also ours.
func (c *Client) definition(env release.Environment, meta layout.Meta) map[string]any {
	d := layout.Definition(env, meta, 1)
	if settings, ok := d["settings"].(map[string]any); ok && !c.Once {
		for _, name := range []string{"max_result_window", "max_inner_result_window", "max_terms_count", "max_regex_length"} {
			delete(settings, name)
		}
	}
	return d
}

// documents returns what makes the documents of an environment.
func (c *Client) documents(env release.Environment) *layout.Documents {
	d := layout.NewDocuments(env.Fields)
	d.Repeated = !c.Once
	return d
}

// has tells whether an index is complete and of this build.
func (c *Client) has(name, build string, items int) bool {
	var mappings map[string]struct {
		Mappings struct {
			Meta struct{ Build string } `json:"_meta"`
		}
	}
	var n struct{ Count int }
	return c.must("GET", "/"+name+"/_mapping", nil, &mappings) == nil && mappings[name].Mappings.Meta.Build == build &&
		c.must("GET", "/"+name+"/_count", nil, &n) == nil && n.Count == items
}

func (c *Client) fill(name string, r *snapshot.Reader, env release.Environment, meta layout.Meta) error {
	if status, response, err := c.Do("DELETE", "/"+name, nil); err != nil || status != 200 && status != 404 {
		return fmt.Errorf("DELETE %s: status %d: %.300s: %w", name, status, response, err)
	}
	body, err := json.Marshal(c.definition(env, meta))
	if err != nil {
		return err
	}
	if err := c.must("PUT", "/"+name, body, nil); err != nil {
		return err
	}
	if err := c.items(name, r, c.documents(env)); err != nil {
		return err
	}
	for _, path := range []string{"/_refresh", "/_forcemerge?max_num_segments=1", "/_refresh"} {
		if err := c.must("POST", "/"+name+path, nil, nil); err != nil {
			return err
		}
	}
	if !c.has(name, meta.Build, r.Items()) {
		return fmt.Errorf("%s does not have all items", name)
	}
	return nil
}

// items sends all items.
func (c *Client) items(name string, r *snapshot.Reader, documents *layout.Documents) error {
	var bulk bytes.Buffer
	for d := range snapshot.DocID(r.Items()) {
		item := r.Fragment(d)
		var key struct{ ContentID string }
		if err := json.Unmarshal(item, &key); err != nil {
			return err
		}
		document, err := documents.Append(nil, item, int(d))
		if err != nil {
			return err
		}
		fmt.Fprintf(&bulk, "{\"index\":{\"_id\":%q}}\n", key.ContentID)
		bulk.Write(document)
		bulk.WriteByte('\n')
		if bulk.Len() > bulkBytes || int(d) == r.Items()-1 {
			if err := c.bulk(name, bulk.Bytes()); err != nil {
				return err
			}
			bulk.Reset()
		}
	}
	return nil
}

// bulk sends some items, all of which must be taken.
func (c *Client) bulk(name string, lines []byte) error {
	var response struct {
		Errors bool
		Items  []struct {
			Index struct {
				ID    string `json:"_id"`
				Error json.RawMessage
			}
		}
	}
	if err := c.must("POST", "/"+name+"/_bulk?filter_path=errors,items.*._id,items.*.error", lines, &response); err != nil || !response.Errors {
		return err
	}
	for _, item := range response.Items {
		if item.Index.Error != nil {
			return fmt.Errorf("%s: item %s is refused: %.500s", name, item.Index.ID, item.Index.Error)
		}
	}
	return nil
}
