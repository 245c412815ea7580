// This file is the query command.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"contentedge/cmd/cli"
	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/terminal"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/generator/hints"
)

func queryCommand(c console) *cli.Command {
	q, differs, asJSON, elastic := "", "", false, false
	cmd := &cli.Command{
		Name: "query", Args: "RELEASE ENV [BODY]", Summary: "answer a search from a release, without a server", Purpose: purposeLook,
		Long: "Answers a search from the snapshot of a release with the code of the edge server, without a server. RELEASE is a directory with releases, or one release. " +
			"BODY is a search body: JSON, @FILE, or - for standard input. Without one, every item matches.\n\n" +
			"On a terminal it prints the hits and the aggregations for people, elsewhere the response. It warns of fields that no item has.\n\n" +
			"With --differs it replays a log of search bodies, such as a site sends to Elasticsearch, and counts the documented differences that they meet, with the first line of each.",
		Examples: []cli.Example{
			{Line: "generator query public site --q 'bread AND NOT draft'"},
			{Line: "generator query public site @body.json --json"},
			{Line: "generator query public site --differs searches.ndjson"},
		},
		ArgValues: func(args []string) []string {
			if len(args) != 1 {
				return nil
			}
			return environmentsIn(args[0])()
		},
	}
	search := cmd.Group("Search")
	search.String(&q, "q", "TEXT", "search for a query string instead of a body").CommandLineOnly()
	search.String(&differs, "differs", "LOG", "count what differs from Elasticsearch for the search bodies in LOG, one on a line; - is standard input").CommandLineOnly()
	g := cmd.Group(groupOutput)
	g.Bool(&asJSON, "json", "print the response on a terminal too")
	g.Bool(&elastic, "elastic", "print the response of Elasticsearch's _search")
	cmd.Run = func(ctx context.Context, args []string) (err error) {
		body := searchText{name: "BODY"}
		switch {
		case differs != "" && len(args) == 3:
			return wrongUsage("--differs and a body are both given", "give only one")
		case differs != "":
			if err := refuseUnused(cmd, ofDiffers); err != nil {
				return err
			}
			return runDiffers(ctx, args[0], args[1], differs, output{json: asJSON}, c)
		case len(args) == 3 && cmd.IsSet("q"):
			return wrongUsage("--q and a body are both given", "give only one")
		case len(args) == 3:
			if body, err = readSearchText(args[2]); err != nil {
				return err
			}
		case cmd.IsSet("q"):
			body = searchText{name: "--q", text: q, inQuery: true}
		}
		return runQuery(args[0], args[1], body, !asJSON && !elastic && isTerminal(c.out), elastic, c)
	}
	return cmd
}

// runQuery prints the response to a search, for people or as a program sends it.
func runQuery(dir, env string, body searchText, forPeople, elastic bool, c console) error {
	r, err := openRelease(dir)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := r.check(env); err != nil {
		return err
	}
	response, err := r.search(env, elastic || forPeople, body)
	if err != nil {
		return err
	}
	for _, h := range r.unknownFields(env, body) {
		c.warn(unknownField(env, h))
	}
	if forPeople {
		return printHits(c.out, response)
	}
	_, err = c.documents().Write(append(terminal.Source(response), '\n'))
	return err
}

// searchText is a search as the user wrote it.
type searchText struct {
	name    string // for messages
	text    string
	inQuery bool // the text is a query string
}

// maxSearchText bounds a search body, in bytes: as the edge server does by default.
const maxSearchText = 256 << 10

func readSearchText(arg string) (searchText, error) {
	name, isFile := strings.CutPrefix(arg, "@")
	var b []byte
	var err error
	switch {
	case arg == "-":
		name = "standard input"
		b, err = io.ReadAll(io.LimitReader(os.Stdin, maxSearchText+1))
	case isFile:
		b, err = os.ReadFile(name)
	default:
		name, b = "BODY", []byte(arg)
	}
	if err != nil {
		return searchText{}, err
	}
	if len(b) > maxSearchText {
		return searchText{}, wrongUsage(fmt.Sprintf("%s is longer than the %d bytes of a search body", name, maxSearchText), "shorten it")
	}
	return searchText{name: name, text: string(withoutMark(b))}, nil
}

// openedRelease answers requests from the snapshots of a release.
type openedRelease struct {
	dir string
	*releasedir.Dir
	content *answer.Release
}

func openRelease(dir string) (*openedRelease, error) {
	d, err := releasedir.Open(dir, nil)
	if err != nil {
		return nil, err
	}
	return &openedRelease{dir, d, answer.FromSnapshots(d.Manifest, d.Readers)}, nil
}

// check returns an error if the release does not have the environment.
func (r *openedRelease) check(env string) error {
	if r.Readers[env] != nil {
		return nil
	}
	names := make([]string, 0, len(r.Readers))
	for name := range r.Readers {
		names = append(names, name)
	}
	slices.Sort(names)
	return wrongUsage(fmt.Sprintf("the release has no environment %q", env), "it has "+strings.Join(names, ", "))
}

// search returns the body of the response to a search of an environment.
func (r *openedRelease) search(env string, elastic bool, s searchText) ([]byte, error) {
	kind, body := address.Search, []byte(s.text)
	if elastic {
		kind = address.ElasticSearch
	}
	target := kind.Path(env)
	if s.inQuery {
		target, body = target+"?q="+url.QueryEscape(s.text), nil
	}
	return r.get(target, body, s)
}

// get answers a request. A problem is the error of the search.
func (r *openedRelease) get(target string, body []byte, s searchText) ([]byte, error) {
	response, p, cause := r.content.Respond(target, body)
	switch {
	case cause != nil:
		return nil, fmt.Errorf("%s: %w", filepath.Clean(r.dir), cause)
	case p != nil:
		return nil, &bodyError{s.name, s.text, s.inQuery, p}
	}
	return response.Body, nil
}

// unknownFields returns hints about the fields of a search that no item has.
func (r *openedRelease) unknownFields(env string, s searchText) []hints.Hint {
	raw := []byte(s.text)
	if s.inQuery {
		text, _ := json.Marshal(s.text) // a string is always JSON
		raw = fmt.Appendf(nil, `{"query":{"query_string":{"query":%s}}}`, text)
	}
	asked, ok := hints.FieldsOf(raw)
	if !ok {
		return nil
	}
	e := r.Manifest.Environment(env)
	var known []string
	for _, f := range e.Fields {
		known = hints.WithSubFields(known, f.Path, f.SubFields)
	}
	return hints.Unknown(asked, known, e.LeftOut)
}

// unknownField says that no item has a field.
func unknownField(env string, h hints.Hint) string {
	name := terminal.Text(fmt.Sprintf("%.200s", h.Name))
	switch {
	case h.LeftOut != "":
		return fmt.Sprintf("%s is left out of the search by the rule %s of %s", name, terminal.Text(fmt.Sprintf("%.200s", h.LeftOut)), env)
	case h.Meant != "":
		return fmt.Sprintf("no item of %s has the field %s: did you mean %s?", env, name, terminal.Text(fmt.Sprintf("%.200s", h.Meant)))
	}
	return fmt.Sprintf("no item of %s has the field %s", env, name)
}

func isTerminal(w io.Writer) bool {
	f, ok := terminal.Raw(w).(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// elasticResponse is the part of a response that is printed on a terminal.
type elasticResponse struct {
	Hits struct {
		Total struct{ Value int }
		Hits  []struct {
			ID     string   `json:"_id"`
			Score  *float64 `json:"_score"`
			Source struct {
				Name string
			} `json:"_source"`
			Highlight orderedMap
		}
	}
	Aggregations orderedMap
}

// orderedMap is a JSON object whose members keep their order.
type orderedMap []namedValue

type namedValue struct {
	name  string
	value json.RawMessage
}

// UnmarshalJSON reads an object.
func (m *orderedMap) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(strings.NewReader(string(b)))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.Join(err, errors.New("no object"))
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		v := namedValue{name: name.(string)}
		if err := d.Decode(&v.value); err != nil {
			return err
		}
		*m = append(*m, v)
	}
	return nil
}

func printHits(w io.Writer, response []byte) error {
	var a elasticResponse
	if err := json.Unmarshal(response, &a); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d matches, %d shown\n", a.Hits.Total.Value, len(a.Hits.Hits))
	if len(a.Hits.Hits) > 0 {
		t := newTable("id", address.FieldName, "score")
		for _, h := range a.Hits.Hits {
			score := "-"
			if h.Score != nil {
				score = string(envelope.AppendFloat(nil, *h.Score, 32))
			}
			t.row(h.ID, h.Source.Name, score)
		}
		rows := strings.SplitAfter(t.String(), "\n")
		b.WriteString(rows[0])
		for i, h := range a.Hits.Hits {
			b.WriteString(rows[i+1])
			for _, field := range h.Highlight {
				var texts []string
				_ = json.Unmarshal(field.value, &texts) // a highlight is a list of texts
				for _, text := range texts {
					fmt.Fprintf(&b, "  %s\n", terminal.Text(field.name+": "+text))
				}
			}
		}
	}
	if len(a.Aggregations) > 0 {
		t := newTable("aggregation", "key", "value")
		for _, agg := range a.Aggregations {
			tabulate(t, agg.name, "", agg.value)
		}
		b.WriteString("\n" + t.String())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// tabulate adds the rows of an aggregation: one for each bucket and each number.
func tabulate(t *table, name, key string, raw json.RawMessage) {
	var members orderedMap
	if json.Unmarshal(raw, &members) != nil {
		return
	}
	for _, m := range members {
		switch {
		case m.name == "buckets":
			tabulateBuckets(t, name, key, m.value)
		case m.name == "doc_count_error_upper_bound" || m.name == "sum_other_doc_count" && string(m.value) == "0":
		case m.name == "value_as_string" || m.name == "key" || m.name == "key_as_string":
		case len(m.value) > 0 && m.value[0] == '{':
			tabulate(t, name+"."+m.name, key, m.value)
		case m.name == "value" || m.name == "doc_count":
			t.row(name, key, string(m.value))
		default:
			t.row(name+"."+m.name, key, string(m.value))
		}
	}
}

func tabulateBuckets(t *table, name, outer string, raw json.RawMessage) {
	var named orderedMap
	if json.Unmarshal(raw, &named) == nil { // of filters
		for _, b := range named {
			tabulate(t, name, joinKeys(outer, b.name), b.value)
		}
		return
	}
	var list []json.RawMessage
	_ = json.Unmarshal(raw, &list) // else it is a list
	for i, b := range list {
		var of struct {
			Key         any
			KeyAsString string `json:"key_as_string"`
		}
		_ = json.Unmarshal(b, &of)
		key := of.KeyAsString
		if key == "" && of.Key != nil {
			key = fmt.Sprint(of.Key)
		} else if key == "" {
			key = fmt.Sprintf("[%d]", i)
		}
		tabulate(t, name, joinKeys(outer, key), b)
	}
}

func joinKeys(outer, key string) string {
	if outer == "" {
		return key
	}
	return outer + " > " + key
}
