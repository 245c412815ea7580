// This file loads the items of a release in default order.

package index

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"contentedge/edgeserve/release"
	"contentedge/edgeserve/snapshot"
)

// bulkBytes is about the size of a _bulk request. The node refuses 100 MiB.
const bulkBytes = 8 << 20

// Load makes both indices of an environment of the release in dir, unless the node has them of
// this build.
func (c *Client) Load(dir, build string, env release.Environment) error {
	r, err := snapshot.Open(filepath.Join(dir, env.Snapshot.File))
	if err != nil {
		return err
	}
	defer r.Close()
	for _, kind := range []Kind{Plain, Full} {
		name := Name(env.ID, kind)
		if c.has(name, build, r.Items()) {
			continue
		}
		if err := c.fill(name, r, definition(build, env.Fields, kind), LeftOut(env.Fields)); err != nil {
			return err
		}
	}
	return nil
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

func (c *Client) fill(name string, r *snapshot.Reader, definition object, leftOut []string) error {
	if status, answer, err := c.Do("DELETE", "/"+name, nil); err != nil || status != 200 && status != 404 {
		return fmt.Errorf("DELETE %s: status %d: %.300s: %w", name, status, answer, err)
	}
	body, err := json.Marshal(definition)
	if err != nil {
		return err
	}
	if err := c.must("PUT", "/"+name, body, nil); err != nil {
		return err
	}
	if err := c.items(name, r, leftOut); err != nil {
		return err
	}
	for _, path := range []string{"/_refresh", "/_forcemerge?max_num_segments=1", "/_refresh"} {
		if err := c.must("POST", "/"+name+path, nil, nil); err != nil {
			return err
		}
	}
	if !c.has(name, definition["mappings"].(object)["_meta"].(object)["build"].(string), r.Items()) {
		return fmt.Errorf("%s does not have all items", name)
	}
	return nil
}

// items sends all items.
func (c *Client) items(name string, r *snapshot.Reader, leftOut []string) error {
	var bulk bytes.Buffer
	for d := range snapshot.DocID(r.Items()) {
		item := r.Fragment(d)
		var key struct{ ContentID string }
		if err := json.Unmarshal(item, &key); err != nil {
			return err
		}
		if len(leftOut) > 0 {
			var err error
			if item, err = without(item, leftOut); err != nil {
				return err
			}
		}
		fmt.Fprintf(&bulk, "{\"index\":{\"_id\":%q}}\n", key.ContentID)
		bulk.Write(item)
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
	var answer struct {
		Errors bool
		Items  []struct {
			Index struct {
				ID    string `json:"_id"`
				Error json.RawMessage
			}
		}
	}
	if err := c.must("POST", "/"+name+"/_bulk?filter_path=errors,items.*._id,items.*.error", lines, &answer); err != nil || !answer.Errors {
		return err
	}
	for _, item := range answer.Items {
		if item.Index.Error != nil {
			return fmt.Errorf("%s: item %s is refused: %.500s", name, item.Index.ID, item.Index.Error)
		}
	}
	return nil
}

// without returns an item without the values of some paths, whose objects stay.
func without(item []byte, paths []string) ([]byte, error) {
	var members object
	dec := json.NewDecoder(bytes.NewReader(item))
	dec.UseNumber()
	if err := dec.Decode(&members); err != nil {
		return nil, err
	}
	prune("", members, paths)
	return json.Marshal(members)
}

func prune(prefix string, members object, paths []string) {
	for key, value := range members {
		path := prefix + key
		if slices.Contains(paths, path) {
			value = objects(value)
			members[key] = value
		}
		each(value, func(inner object) { prune(path+".", inner, paths) })
	}
}

// objects returns what a value has of objects.
func objects(value any) any {
	switch v := value.(type) {
	case object:
		return v
	case []any:
		kept := []any{}
		for _, e := range v {
			if o := objects(e); o != nil {
				kept = append(kept, o)
			}
		}
		return kept
	}
	return nil
}

// each visits the objects of a value.
func each(value any, visit func(object)) {
	switch v := value.(type) {
	case object:
		visit(v)
	case []any:
		for _, e := range v {
			each(e, visit)
		}
	}
}
