// Package openapitest holds exchanges of requests and responses against a document of OpenAPI, for tests. It knows the
// keywords of JSON Schema that package openapi writes, and fails for any other.
package openapitest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Document is a parsed document.
type Document struct{ root map[string]any }

// Parse parses a document.
func Parse(text []byte) (*Document, error) {
	d := &Document{}
	return d, json.Unmarshal(text, &d.root)
}

// Exchange is a request with its response.
type Exchange struct {
	Method, Target string // the target as it is sent
	Body           []byte
	Status         int
	Fields         []string // names of the header fields of the response
	ContentType    string
	Response       []byte
}

// Operation returns the operation for a method and a path, and the values of the variable components.
func (d *Document) Operation(method, path string) (operation map[string]any, values map[string]string) {
	best := ""
	for template, item := range d.object("paths") {
		found, ok := match(template, path)
		if op, has := item.(map[string]any)[strings.ToLower(method)]; ok && has && (best == "" || len(found) < len(values) || len(found) == len(values) && len(template) > len(best)) {
			best, values = template, found
			operation = map[string]any{"parameters": slices.Concat(array(item.(map[string]any)["parameters"]), array(op.(map[string]any)["parameters"]))}
			for name, value := range op.(map[string]any) {
				if name != "parameters" {
					operation[name] = value
				}
			}
		}
	}
	return operation, values
}

// match compares a path with a template. The last variable may hold slashes if it is called rest.
func match(template, path string) (values map[string]string, ok bool) {
	values = map[string]string{}
	parts, given := strings.Split(template, "/"), strings.Split(path, "/")
	for i, part := range parts {
		name := strings.Trim(part, "{}")
		switch {
		case i >= len(given):
			return nil, false
		case name == part && part != given[i], name != part && given[i] == "":
			return nil, false
		case name == "rest" && name != part:
			values[name] = strings.Join(given[i:], "/")
			return values, true
		case name != part:
			values[name] = given[i]
		}
	}
	return values, len(parts) == len(given)
}

// Check returns what of an exchange differs from the document.
func (d *Document) Check(e Exchange) (faults []string) {
	path, query, _ := strings.Cut(e.Target, "?")
	operation, values := d.Operation(e.Method, path)
	if operation == nil {
		return []string{"no operation has the method and the path"}
	}
	if e.Status < 400 {
		faults = d.checkRequest(operation, values, query, e.Body)
	}
	response, ok := d.resolved(operation["responses"].(map[string]any)[strconv.Itoa(e.Status)]).(map[string]any)
	if !ok {
		return append(faults, fmt.Sprintf("the operation has no status %d", e.Status))
	}
	for _, name := range e.Fields {
		if _, ok := response["headers"].(map[string]any)[name]; !ok {
			faults = append(faults, "the response has no field "+name)
		}
	}
	if len(e.Response) == 0 {
		return faults
	}
	content, ok := response["content"].(map[string]any)[e.ContentType].(map[string]any)
	if !ok {
		return append(faults, "the response has no content type "+e.ContentType)
	}
	if schema, ok := content["schema"]; ok && e.ContentType == "application/json" {
		faults = append(faults, d.CheckJSON(schema, e.Response)...)
	}
	return faults
}

func (d *Document) checkRequest(operation map[string]any, values map[string]string, query string, body []byte) (faults []string) {
	given, err := url.ParseQuery(query)
	if err != nil {
		return []string{err.Error()}
	}
	for _, p := range operation["parameters"].([]any) {
		p := d.resolved(p).(map[string]any)
		name, schema := p["name"].(string), p["schema"]
		switch p["in"] {
		case "path":
			faults = append(faults, d.checkText(schema, values[name], name)...)
		case "query":
			if p["style"] == "form" {
				for key := range given {
					if paths := d.resolved(schema).(map[string]any)["patternProperties"].(map[string]any); matchesSome(paths, key) {
						delete(given, key)
					}
				}
				continue
			}
			for key := range given { // names of searches count in any case
				if strings.EqualFold(key, name) {
					faults = append(faults, d.checkText(schema, given.Get(key), name)...)
					delete(given, key)
				}
			}
		}
	}
	for name := range given {
		faults = append(faults, "the operation has no parameter "+name)
	}
	request, _ := operation["requestBody"].(map[string]any)
	if len(body) == 0 {
		return faults
	}
	if request == nil {
		return append(faults, "the operation has no body")
	}
	if content, ok := request["content"].(map[string]any)["application/json"].(map[string]any); ok {
		faults = append(faults, d.CheckJSON(content["schema"], body)...)
	}
	return faults
}

func matchesSome(patterns map[string]any, name string) bool {
	for p := range patterns {
		if regexp.MustCompile(p).MatchString(name) {
			return true
		}
	}
	return false
}

// checkText checks the text of a parameter, which may stand for a number or a boolean.
func (d *Document) checkText(schema any, text, name string) []string {
	as := []any{text}
	var v any
	if json.Unmarshal([]byte(text), &v) == nil {
		as = append(as, v)
	}
	var faults []string
	for _, v := range as {
		if faults = d.check(schema, v, name); faults == nil {
			return nil
		}
	}
	return faults
}

// Schema returns a schema of the components.
func (d *Document) Schema(name string) any {
	return map[string]any{"$ref": "#/components/schemas/" + name}
}

// CheckJSON returns what of a text differs from a schema.
func (d *Document) CheckJSON(schema any, text []byte) []string {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return []string{err.Error()}
	}
	return d.check(schema, v, "")
}

func (d *Document) object(name string) map[string]any { return d.root[name].(map[string]any) }

func array(v any) []any {
	a, _ := v.([]any)
	return a
}

// resolved follows references.
func (d *Document) resolved(v any) any {
	for {
		o, _ := v.(map[string]any)
		ref, ok := o["$ref"].(string)
		if !ok {
			return v
		}
		v = d.root
		for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
			v = v.(map[string]any)[name]
		}
		if v == nil {
			panic("openapitest: nothing is at " + ref)
		}
	}
}

// check returns what of a value differs from a schema. at is the place of the value.
func (d *Document) check(schema, v any, at string) (faults []string) {
	if allowed, ok := schema.(bool); ok {
		if !allowed {
			return []string{at + " is not allowed"}
		}
		return nil
	}
	s := d.resolved(schema).(map[string]any)
	fail := func(keyword string) {
		faults = append(faults, fmt.Sprintf("%s: %s is %v, not %.80v", at, keyword, s[keyword], v))
	}
	for keyword, of := range s {
		switch keyword {
		case "type":
			if !slices.ContainsFunc(oneOrMore(of), func(t any) bool { return isType(t.(string), v) }) {
				fail(keyword)
			}
		case "const":
			if of != v {
				fail(keyword)
			}
		case "enum":
			if !slices.Contains(of.([]any), v) {
				fail(keyword)
			}
		case "anyOf":
			faults = append(faults, d.checkAny(of.([]any), v, at)...)
		case "allOf":
			for _, part := range of.([]any) {
				faults = append(faults, d.check(part, v, at)...)
			}
		case "description", "example", "format", "contentMediaType", "x-targets":
		default:
			if !d.checkForm(&faults, s, keyword, v, at) {
				fail(keyword)
			}
		}
	}
	return faults
}

func (d *Document) checkAny(variants []any, v any, at string) []string {
	var least []string
	for i, variant := range variants {
		faults := d.check(variant, v, at)
		if len(faults) == 0 {
			return nil
		}
		if i == 0 || len(faults) < len(least) {
			least = faults
		}
	}
	return least
}

// checkForm checks the keywords of one type of values.
func (d *Document) checkForm(faults *[]string, s map[string]any, keyword string, v any, at string) bool {
	limit, _ := s[keyword].(float64)
	switch v := v.(type) {
	case string:
		switch keyword {
		case "pattern":
			return regexp.MustCompile(s[keyword].(string)).MatchString(v)
		case "maxLength":
			return utf8.RuneCountInString(v) <= int(limit)
		case "minLength":
			return utf8.RuneCountInString(v) >= int(limit)
		}
	case float64:
		switch keyword {
		case "minimum":
			return v >= limit
		case "maximum":
			return v <= limit
		}
	case []any:
		if keyword == "items" {
			for i, element := range v {
				*faults = append(*faults, d.check(s[keyword], element, at+"["+strconv.Itoa(i)+"]")...)
			}
			return true
		}
	case map[string]any:
		switch keyword {
		case "required":
			for _, name := range array(s[keyword]) {
				if _, ok := v[name.(string)]; !ok {
					*faults = append(*faults, at+" lacks "+name.(string))
				}
			}
			return true
		case "minProperties":
			return len(v) >= int(limit)
		case "maxProperties":
			return len(v) <= int(limit)
		case "properties":
			for name, of := range s[keyword].(map[string]any) {
				if value, ok := v[name]; ok {
					*faults = append(*faults, d.check(of, value, at+"."+name)...)
				}
			}
			return true
		case "additionalProperties":
			known, _ := s["properties"].(map[string]any)
			for name, value := range v {
				if _, ok := known[name]; !ok {
					*faults = append(*faults, d.check(s[keyword], value, at+"."+name)...)
				}
			}
			return true
		}
	}
	return slices.Contains(keywords, keyword)
}

// keywords hold for values of one type, and say nothing of others.
var keywords = []string{"pattern", "maxLength", "minLength", "minimum", "maximum", "items", "required", "minProperties", "maxProperties", "properties", "additionalProperties"}

func oneOrMore(v any) []any {
	if a, ok := v.([]any); ok {
		return a
	}
	return []any{v}
}

func isType(name string, v any) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case float64:
		return name == "number" || name == "integer" && v == float64(int64(v))
	case []any:
		return name == "array"
	}
	return name == "object"
}
