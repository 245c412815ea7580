// This file is the why command.

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"contentedge/cmd/cli"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/generator"
	"contentedge/generator/ship"
)

// askTime is how long a node may take to answer.
const askTime = 10 * time.Second

// question is what why is asked.
type question struct {
	generator.BuildConfig
	store   string
	nodes   []string
	env, of string
	command *cli.Command
	output
}

func whyCommand(c console) *cli.Command {
	q := &question{}
	cmd := &cli.Command{
		Name: "why", Args: "ENV ID|PATH", Summary: "explain why readers see an item, or do not", Purpose: purposeLook,
		Long: "Reads an environment of the content and prints where an item is written, its status and times, which rule leaves it out, and the lists that have it. " +
			"With --store and --node it also says where the item has arrived. PATH is a file of the content, all of whose items are explained.",
		Examples: []cli.Example{
			{Line: "generator why site Content_00000000-0000-0000-0000-000000000001", Text: "by its id"},
			{Line: "generator why site site/posts/offer.md --node https://edge.example", Text: "by its file, and whether a node has it"},
		},
	}
	q.command = cmd
	g := cmd.Group(groupContent)
	addContent(g, &q.Content)
	addVisibility(g, &q.BuildConfig)
	addLists(cmd, &q.BuildConfig)
	g = cmd.Group("Places")
	g.String(&q.store, "store", "STORE", "look for the item in the current release of this store, too").CommandLineOnly()
	g.Strings(&q.nodes, "node", "URL", "ask this edge server for the item, too").Default("none").CommandLineOnly()
	q.addJSON(cmd)
	cmd.Check = func() error { return q.BuildConfig.Check() }
	cmd.Run = func(ctx context.Context, args []string) error {
		q.env, q.of = args[0], args[1]
		return q.run(ctx, c)
	}
	return cmd
}

func (q *question) run(ctx context.Context, c console) error {
	if !address.ValidEnv(q.env) {
		return wrongUsage(fmt.Sprintf("%q is not the name of an environment", q.env), q.command.Hint())
	}
	for _, node := range q.nodes {
		if u, err := url.Parse(node); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return wrongUsage(fmt.Sprintf("--node: %.80q is not a URL", node), "write it like https://edge.example")
		}
	}
	a, err := q.answer(ctx)
	if !q.json && err == nil {
		printWarnings(c.err, a.problems)
	}
	return show(c, q.output, a, err, (*whyAnswer).String)
}

// answer explains the items, and asks the places.
func (q *question) answer(ctx context.Context) (*whyAnswer, error) {
	found, err := generator.Explain(ctx, q.BuildConfig, generator.View{}, q.env, q.of)
	if err != nil {
		return nil, err
	}
	places, err := q.places(ctx)
	if err != nil {
		return nil, err
	}
	a := &whyAnswer{Environment: q.env, Items: []whyItem{}, More: found.More, problems: found.Problems[:min(len(found.Problems), maxSaid)]}
	a.Diagnostics = findings(a.problems)
	for i := range found.Items {
		e := &found.Items[i]
		a.Items = append(a.Items, whyItemOf(q.env, e, arrivals(ctx, places, q.env, e.ID)))
	}
	if len(found.Items) == 0 && address.ValidID(q.of) {
		a.Places = arrivals(ctx, places, q.env, q.of)
	}
	return a, nil
}

// maxSaid bounds what is said of the content: about half a screen.
const maxSaid = 10

// place is where an item may have arrived.
type place struct {
	name string
	has  func(ctx context.Context, env, id string) (release string, has bool, err error)
}

// arrivals asks each place for an item.
func arrivals(ctx context.Context, places []place, env, id string) (all []arrival) {
	for _, p := range places {
		build, has, err := p.has(ctx, env, id)
		a := arrival{Place: p.name, Release: build, Has: has && err == nil}
		if err != nil {
			a.Error = err.Error()
		}
		all = append(all, a)
	}
	return all
}

// places are the store and the nodes.
func (q *question) places(ctx context.Context) (all []place, err error) {
	if q.store != "" {
		s, err := openStore(q.store, q.command)
		if err != nil {
			return nil, err
		}
		current, err := ship.Current(ctx, s, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, place{"store", func(ctx context.Context, env, id string) (string, bool, error) {
			has, err := current.HasItem(ctx, env, id, maxItemFile)
			return current.Manifest.Build, has, err
		}})
	}
	for _, node := range q.nodes {
		all = append(all, place{node, func(ctx context.Context, env, id string) (string, bool, error) {
			return askNode(ctx, strings.TrimSuffix(node, "/")+address.Item.Path(env, id))
		}})
	}
	return all, nil
}

// askNode asks a node for an item, without its text.
func askNode(ctx context.Context, item string) (build string, has bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, item, nil)
	if err != nil {
		return "", false, err
	}
	r.Header.Set(httpfield.UserAgent, httpfield.OurAgent)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(r)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err
	}
	if err != nil {
		return "", false, err
	}
	_ = response.Body.Close() // of a HEAD
	switch response.StatusCode {
	case http.StatusOK, http.StatusNotFound:
	default:
		err = fmt.Errorf("it answers %d", response.StatusCode)
	}
	return response.Header.Get(httpfield.Release), response.StatusCode == http.StatusOK, err
}
