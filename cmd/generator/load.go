// This file is the load command.

package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"contentedge/cmd/cli"
	"contentedge/cmd/clusterflags"
	"contentedge/edgeserve/bytesize"
	"contentedge/edgeserve/wire/clusterhttp"
	"contentedge/generator"
	"contentedge/generator/load"
)

// loadSettings are the settings of load.
type loadSettings struct {
	load.Config
	output
	nodes     clusterhttp.Options
	gc, check bool
	keep      int
	command   *cli.Command // that they belong to
}

func loadCommand(c console) *cli.Command {
	s := &loadSettings{keep: defaultKeep, Config: load.Config{From: defaultPublic, Replicas: load.DefaultReplicas, Jobs: load.DefaultJobs, MaxWait: load.DefaultMaxWait, Warn: c.warn}}
	cmd := &cli.Command{
		Name: "load", Summary: "load the current release into an OpenSearch cluster", Purpose: purposeStore,
		Long: "Fills an index for each environment of a release, ENV-BUILD, which edge servers with --search-at search. An index counts as complete only after every item has been read back and compared with the release. " +
			"Then the alias ENV, for people, moves to it. A load that ended continues where it ended, and indices that are complete stay as they are.\n\n" +
			"--check says whether the release is there and complete. --gc removes indices of older releases.\n\n" +
			"Credentials come from the variables of --cluster-user and --cluster-api-key, and AWS credentials from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY or the machine's role.",
		Examples: []cli.Example{
			{Line: "generator load --to http://127.0.0.1:9200", Text: "the release in public"},
			{Line: "generator load --to https://a.example:9200,https://b.example:9200 --cluster-ca ca.pem --replicas 2", Text: "if a fails, continues with b"},
			{Line: "generator load --to http://127.0.0.1:9200 --check", Text: "exit code 0 if edges can search it"},
			{Line: "generator load --to http://127.0.0.1:9200 --gc --keep 2 --dry-run", Text: "which indices would go"},
		},
	}
	s.command = cmd
	g := cmd.Group("Cluster")
	g.Each("to", "URL[,URL…]", "nodes of the cluster; if one fails, the next one is asked; required", func(text string) error {
		s.nodes.Nodes = append(s.nodes.Nodes, strings.Split(text, ",")...)
		return nil
	})
	clusterflags.Add(g, &s.nodes, "")
	addTime(g, &s.MaxWait, "max-wait", "time for all retries of a request together")
	addJobs(g, &s.Jobs)
	s.addIndices(cmd.Group("Indices"))
	g = cmd.Group(groupRelease)
	g.String(&s.From, "from", "DIR", "the release, or the directory of releases")
	g.Strings(&s.Envs, "env", "ID", "only this environment").Default("all").Offer(func() []string { return environmentsIn(s.From)() }).CommandLineOnly()
	addDryRun(cmd, &s.DryRun)
	s.addJSON(cmd)
	s.addQuiet(cmd)
	cmd.Check = s.checkFlags
	cmd.Run = func(ctx context.Context, _ []string) error { return s.run(ctx, c) }
	return cmd
}

func (s *loadSettings) addIndices(g *cli.Group) {
	addCount(g, &s.Shards, "shards", "shards of a new index; above 1, some answers are approximate (default: as many as the index has, or 1)")
	g.Func("replicas", "N", "copies of each shard, in addition to the shard itself", readNatural(&s.Replicas)).Default(strconv.Itoa(s.Replicas))
	g.Bool(&s.Replace, "replace", "remove the indices of the release and load them again").CommandLineOnly()
	g.Bool(&s.NoAlias, "no-alias", "do not change the aliases for people")
	g.Bool(&s.Verify, "verify", "compare every item of indices that are complete already, too").CommandLineOnly()
	g.Bool(&s.check, "check", "load nothing: say whether the indices are there and complete").CommandLineOnly()
	g.Bool(&s.gc, "gc", "load nothing: remove indices of older releases, except indices that an alias names").CommandLineOnly()
	addCount(g, &s.keep, "keep", "how many complete indices of an environment stay")
}

// readNatural reads a whole number, which may be 0.
func readNatural(to *int) func(string) error {
	return func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 {
			return errors.New("must be a whole number of at least 0")
		}
		*to = n
		return nil
	}
}

func (s *loadSettings) checkFlags() error {
	switch {
	case len(s.nodes.Nodes) == 0:
		return wrongUsage("no node given", "--to names the nodes of the cluster, for example --to http://127.0.0.1:9200")
	case s.gc && s.check:
		return wrongUsage("--gc contradicts --check", "give only one")
	}
	return refuseUnused(s.command, s.variant())
}

func (s *loadSettings) variant() string {
	switch {
	case s.gc:
		return ofGC
	case s.check:
		return ofCheck
	}
	return ofLoad
}

func (s *loadSettings) run(ctx context.Context, c console) error {
	client, err := clusterhttp.New(s.nodes)
	if err != nil {
		return wrongUsage(err.Error(), s.command.Hint())
	}
	defer client.Close()
	s.Client = client
	switch s.variant() {
	case ofGC:
		report, err := load.GC(ctx, s.Config, s.keep)
		return show(c, s.output, report, err, s.collected)
	case ofCheck:
		report, err := load.Check(ctx, s.Config)
		if err == nil {
			err = notLoaded(report)
		}
		return show(c, s.output, report, err, describeChecked)
	}
	watch := newLoadProgress(c, s.quiet)
	s.Progress = watch.show
	start := time.Now()
	report, err := load.Run(ctx, s.Config)
	watch.bar.clear()
	return show(c, s.output, report, err, func(r *load.Report) string { return describeLoad(s.Config, r, time.Since(start)) })
}

// errNotLoaded is the error of a release that edges cannot search.
var errNotLoaded = errors.New("the release is not complete in the cluster")

func notLoaded(r *load.Report) error {
	var b strings.Builder
	for _, e := range r.Missing() {
		fmt.Fprintf(&b, "\n%s: %s: %s", e.Environment, e.Index, e.Problem)
	}
	if b.Len() == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s%s", errNotLoaded, r.Build, b.String())
}

func describeChecked(r *load.Report) string {
	t := newTable("environment", "index", "items", "shards", "bytes", "health")
	for _, e := range r.Environments {
		t.row(e.Environment, e.Index, e.Items, e.Shards, bytesize.Format(e.Bytes), e.Health)
	}
	return t.String() + fmt.Sprintf("%s is complete in the cluster (%s)\n", r.Build, r.Cluster)
}

func describeLoad(config load.Config, r *load.Report, took time.Duration) string {
	if config.DryRun {
		t := newTable("environment", "index", "items", "there already", "would")
		for _, e := range r.Environments {
			t.row(e.Environment, e.Index, e.Items, e.Kept, e.Action)
		}
		return t.String()
	}
	t := newTable("environment", "index", "items", "sent", "items a second", "shards", "bytes", "bytes an item", "health")
	items, sent, already := 0, 0, 0
	for _, e := range r.Environments {
		t.row(e.Environment, e.Index, e.Items, e.Sent, perSecond(e.Sent, e.SendSeconds), e.Shards, bytesize.Format(e.Bytes), e.Bytes/int64(max(1, e.Items)), e.Health)
		items, sent = items+e.Items, sent+e.Sent
		if e.Action == load.Kept {
			already++
		}
	}
	text := t.String()
	for _, e := range r.Environments {
		if e.Refused > 0 {
			text += fmt.Sprintf("%s: nodes refused %d documents for a while\n", e.Environment, e.Refused)
		}
		if len(e.AliasFrom) > 0 {
			text += fmt.Sprintf("the alias %s moved from %s\n", e.Alias, strings.Join(e.AliasFrom, ", "))
		}
	}
	verb := "loaded"
	if already == len(r.Environments) {
		verb = "all indices were complete already:"
	}
	return text + fmt.Sprintf("%s %s: %d items, %d sent; complete after %.2f s (%s)\n", verb, r.Build, items, sent, took.Seconds(), r.Cluster)
}

func perSecond(n int, seconds float64) string {
	if n == 0 || seconds == 0 {
		return "-"
	}
	return strconv.Itoa(int(float64(n) / seconds))
}

func (s *loadSettings) collected(r *load.GCReport) string {
	verb := "removed"
	if s.DryRun {
		verb = "would remove"
	}
	return fmt.Sprintf("%s %d indices, %d stay\n%s", verb, len(r.Removed), len(r.Kept), lines(r.Removed))
}

// lineEvery is the pause between lines of progress where no terminal is: a load may take hours.
const lineEvery = 30 * time.Second

// loadProgress shows how far a load is: on a terminal by a line that changes, elsewhere by a line now and then.
type loadProgress struct {
	bar   *bar
	c     console
	quiet bool
	last  time.Time
}

func newLoadProgress(c console, quiet bool) *loadProgress {
	return &loadProgress{bar: newBar(c.err, quiet), c: c, quiet: quiet, last: time.Now()}
}

func (p *loadProgress) show(is load.Progress) {
	text := fmt.Sprintf("%s: %s %d/%d items", is.Environment, is.Stage, is.Items, is.Total)
	p.bar.draw(generator.Writing, int64(is.Items), -1, text)
	if p.bar.w == nil && !p.quiet && time.Since(p.last) >= lineEvery {
		p.last = time.Now()
		fmt.Fprintf(p.c.err, program+": %s\n", text)
	}
}
