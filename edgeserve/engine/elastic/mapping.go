// This file answers _mapping and _field_caps, which describe the fields of an environment.

package elastic

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
)

// typeNames are Elasticsearch's names of the kinds of fields, in the order of the kinds.
var typeNames = [...]string{
	fields.Text: "text", fields.Keyword: "keyword", fields.Long: "long", fields.Float: "float", fields.Double: "double", fields.Date: "date", fields.Boolean: "boolean",
}

// fieldSteps is the cost of describing a field.
const fieldSteps = 128

// object is an object of items, with its members.
type object struct {
	field   *snapshot.Field // nil if the path has no values of its own
	out     bool            // the index leaves the path out
	members map[string]*object
}

// at returns the object of a path below o, which it makes.
func (o *object) at(path string) *object {
	name, rest, below := strings.Cut(path, ".")
	if o.members == nil {
		o.members = map[string]*object{}
	}
	member := o.members[name]
	if member == nil {
		member = &object{}
		o.members[name] = member
	}
	if below {
		return member.at(rest)
	}
	return member
}

// mapping answers _mapping.
func (c *Call) mapping() (*Response, error) {
	root, err := c.objects()
	if err != nil {
		return nil, err
	}
	out := appendString([]byte{'{'}, c.Route.Env)
	return written(append(root.append(append(out, `:{"mappings":{`...)), "}}}"...)), nil
}

// objects returns the fields of the environment as a tree.
func (c *Call) objects() (root object, err error) {
	for _, f := range c.environment().Fields.Reader.Fields() {
		if err := c.Work.Charge(fieldSteps); err != nil {
			return root, err
		}
		root.at(f.Path).field = f
	}
	for _, path := range c.environment().Fields.Reader.LeftOut().Exclude {
		if err := c.Work.Charge(fieldSteps); err != nil {
			return root, err
		}
		root.at(path).out = true
	}
	return root, nil
}

// describe answers the address of an index: its mapping, and settings that all indices share.
func (c *Call) describe() (*Response, error) {
	root, err := c.objects()
	if err != nil {
		return nil, err
	}
	out := appendString([]byte{'{'}, c.Route.Env)
	out = append(root.append(append(out, `:{"aliases":{},"mappings":{`...)), `},"settings":{"index":{"number_of_shards":"1","number_of_replicas":"0","uuid":`...)
	out = appendString(append(appendString(out, c.Release), `,"version":{"created":"7100299"},"provided_name":`...), c.Route.Env)
	return written(append(out, "}}}}"...)), nil
}

// append writes the members of a mapping: the type of a field, and the members of an object. A path
// may be a field and an object. A path that is left out is a disabled object, unless paths below are in the index.
func (o *object) append(dst []byte) []byte {
	if o.field != nil {
		t := fields.OfPath(o.field)
		dst = append(append(append(dst, `"type":"`...), typeNames[t.Kind]...), '"')
		dst = appendSubs(dst, o.field)
		if len(o.members) > 0 {
			dst = append(dst, ',')
		}
	}
	if len(o.members) == 0 {
		if o.out {
			dst = append(dst, `"type":"object","enabled":false`...)
		}
		return dst
	}
	dst = append(dst, `"properties":{`...)
	for i, name := range slices.Sorted(maps.Keys(o.members)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, name), ":{"...)
		dst = append(o.members[name].append(dst), '}')
	}
	return append(dst, '}')
}

// appendSubs writes the sub-fields of a path.
func appendSubs(dst []byte, f *snapshot.Field) []byte {
	open := `,"fields":{`
	end := ""
	for s := range snapshot.SubCount {
		t, ok := fields.OfSub(f, s)
		if !ok || f.Hidden(s) {
			continue
		}
		dst = append(append(append(dst, open...), '"'), s.String()...)
		dst = append(append(append(dst, `":{"type":"`...), typeNames[t.Kind]...), '"')
		if t.Kind != fields.Keyword {
			dst = append(dst, `,"ignore_malformed":true`...)
		}
		dst = append(dst, '}')
		open, end = ",", "}"
	}
	return append(dst, end...)
}

// capability says whether a field can be searched and aggregated.
type capability struct {
	kind                     string
	searchable, aggregatable bool
}

// fieldCapsBody is the body of _field_caps. Clients of version 8 and later name the fields there.
type fieldCapsBody struct {
	Fields fieldNames      `json:"fields"`
	Filter json.RawMessage `json:"index_filter"`
}

// fieldNames are names joined by commas. A body may write them as an array too.
type fieldNames string

// UnmarshalJSON takes a text or an array of texts.
func (names *fieldNames) UnmarshalJSON(raw []byte) error {
	if raw[0] != '[' {
		return json.Unmarshal(raw, (*string)(names))
	}
	var list []string
	err := json.Unmarshal(raw, &list)
	*names = fieldNames(strings.Join(list, ","))
	return err
}

// fieldCaps answers _field_caps.
func (c *Call) fieldCaps() (*Response, error) {
	var request fieldCapsBody
	if err := parseJSON(c.Body, &request); err != nil {
		return nil, err
	}
	names := cmp.Or(c.params.Get("fields"), string(request.Fields))
	if names == "" {
		return nil, badParameter("fields", "specified fields can't be null or empty")
	}
	if isNull(c.Body) {
		return nil, errNoObject
	}
	some, timed, err := c.indexMatches(request.Filter)
	if err != nil {
		return nil, err
	}
	if !some {
		response := written([]byte(noneFound[address.ElasticFieldCaps]))
		response.Fixed = !timed
		return response, nil
	}
	caps := map[string]capability{}
	for pattern := range strings.SplitSeq(names, ",") {
		if err := c.Work.Charge(fieldSteps * len(c.environment().Fields.Reader.Fields())); err != nil {
			return nil, err
		}
		c.addCaps(caps, pattern)
	}
	out := appendString([]byte(`{"indices":[`), c.Route.Env)
	out = append(out, `],"fields":{`...)
	for i, name := range slices.Sorted(maps.Keys(caps)) {
		if i > 0 {
			out = append(out, ',')
		}
		out = caps[name].append(appendString(out, name))
	}
	response := written(append(out, "}}"...))
	response.Fixed = !timed
	return response, nil
}

// indexMatches reports whether an index_filter, which is a query, may match an item. Elasticsearch leaves out an index
// if it knows without a search that nothing matches.
func (c *Call) indexMatches(filter json.RawMessage) (ok, timed bool, err error) {
	if filter == nil {
		return true, false, nil
	}
	body, err := body.ParsePart(slices.Concat([]byte(`{"query":`), filter, []byte{'}'}))
	if err != nil {
		return false, false, err
	}
	return c.environment().Items.CanMatch(c.Work, body)
}

// addCaps adds the fields that match a pattern, and the objects around them.
func (c *Call) addCaps(caps map[string]capability, pattern string) {
	resolver := c.environment().Fields
	resolver.Spend = c.Work.Charge
	for _, t := range resolver.Named(pattern) {
		for path := t.Field.Path; ; {
			i := strings.LastIndexByte(path, '.')
			if i < 0 {
				break
			}
			path = path[:i]
			if _, value := resolver.Resolve(path); !value {
				caps[path] = capability{kind: "object"}
			}
		}
		if t.Metadata {
			continue
		}
		caps[t.Name()] = capability{kind: typeNames[t.Kind], searchable: true, aggregatable: t.Kind != fields.Text}
	}
	for _, name := range fields.AllMetadata() {
		if fields.Matches(pattern, name) {
			caps[name] = capability{kind: name, searchable: !fields.Unsearchable(name, false), aggregatable: !fields.Valueless(name)}
		}
	}
}

func (f capability) append(dst []byte) []byte {
	dst = appendString(append(dst, ":{"...), f.kind)
	dst = appendString(append(dst, `:{"type":`...), f.kind)
	dst = strconv.AppendBool(append(dst, `,"searchable":`...), f.searchable)
	return append(strconv.AppendBool(append(dst, `,"aggregatable":`...), f.aggregatable), "}}"...)
}
