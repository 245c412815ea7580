// Package load fills the indices of an OpenSearch cluster with the items of a release, an index for each environment.
//
// An index goes through these states. If a load ends at any moment, the next one continues from the state that it
// finds.
//
//	created   it has its mapping, its _meta, and an alias that documents are sent to
//	filled    all documents were taken
//	blocked   it accepts no writes any more
//	merged    each shard has one segment
//	compared  every document has been read back, and equals the one that the snapshot makes
//	copied    it has its replicas
//	complete  its _meta says so, and it is blocked
//	searched  it has the alias by which edges search it
//
// Documents have the ids of their items, and the bytes of a document depend only on the release. A document that exists
// already stays, so that a document may be sent twice, or by several loads at once. Requests that change the index name
// an alias that it has from its creation to its end. If another program removes or recreates the index meanwhile, nodes
// refuse the requests: a load never changes an index that it does not know, and documents never create an index. An
// index is never unblocked: the load that finds it blocked finishes it.
package load

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/engine/parallel"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/exitcode"
	"contentedge/edgeserve/wire/clusterhttp"
	"contentedge/edgeserve/wire/release"
)

const (
	// DefaultJobs is the default of Config.Jobs: two connections keep a node's queue of writes filled.
	DefaultJobs = 2
	// DefaultReplicas is the default of Config.Replicas: one node may fail.
	DefaultReplicas = 1
	// DefaultMaxWait is the default of Config.MaxWait: a node restarts in less.
	DefaultMaxWait = 5 * time.Minute
	// maxShards is the most that the engines accept for an index.
	maxShards = 1024
)

// Config says what is loaded, and where to.
type Config struct {
	Client   *clusterhttp.Client
	From     string   // a release, or a directory of releases
	Envs     []string // empty: all environments
	Shards   int      // 0 takes the number of an existing index, and 1 for a new one
	Replicas int
	Jobs     int           // bulk requests at once
	MaxWait  time.Duration // how long the failures of a request may last
	Replace  bool          // recreate existing indices
	Verify   bool          // compare indices with the release that are complete already
	NoAlias  bool          // do not move the aliases for people
	DryRun   bool
	Progress func(Progress) // may be nil
	Warn     func(string)
}

// UsageError is a wrong setting.
type UsageError struct{ Message, Hint string }

// Error returns message and hint.
func (e *UsageError) Error() string { return e.Message + ": " + e.Hint }

// ExitCode says that the command line or the settings are to blame.
func (*UsageError) ExitCode() int { return exitcode.Usage }

// load is a run of a command.
type load struct {
	Config
	cluster  cluster
	manifest *release.Manifest
	envs     []*release.Environment
	turns    chan struct{} // a place for each job

	mu sync.Mutex // guards calls of Progress and Warn
}

// begin reads the manifest and asks the cluster who it is.
func begin(ctx context.Context, c Config) (*load, error) {
	if c.Shards < 0 || c.Shards > maxShards || c.Replicas < 0 {
		return nil, &UsageError{fmt.Sprintf("%d shards and %d replicas are impossible", c.Shards, c.Replicas), fmt.Sprintf("an index has 1 to %d shards, and 0 or more replicas", maxShards)}
	}
	l := &load{Config: c, turns: make(chan struct{}, max(1, c.Jobs))}
	l.cluster = newCluster(c.Client, c.MaxWait, l.warn)
	found, err := releasedir.Find(c.From) // the parts of a manifest are next to it, not next to a link to it
	if err == nil {
		l.manifest, _, err = releasedir.ReadManifest(found.Dir)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Clean(c.From), err)
	}
	if err := l.manifest.CheckWhole(); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Clean(c.From), err)
	}
	if !l.manifest.OrdersByInstant() {
		return nil, &UsageError{filepath.Clean(c.From) + ": the release is of an older generator, whose lists order dates by their text, as no cluster does", "build it again"}
	}
	if err := l.choose(); err != nil {
		return nil, err
	}
	return l, l.cluster.hello(ctx)
}

// choose finds the environments. Their names must make names of indices.
func (l *load) choose() error {
	for i := range l.manifest.Environments {
		env := &l.manifest.Environments[i]
		if len(l.Envs) == 0 || slices.Contains(l.Envs, env.ID) {
			l.envs = append(l.envs, env)
		}
	}
	for _, id := range l.Envs {
		if l.manifest.Environment(id) == nil {
			return &UsageError{fmt.Sprintf("the release has no environment %q", id), "generator inspect lists them"}
		}
	}
	for _, env := range l.envs {
		if err := checkName(layout.IndexName(env.ID, l.manifest.Build)); err != nil {
			return &UsageError{fmt.Sprintf("the environment %q", env.ID), err.Error()}
		}
	}
	return nil
}

// maxName is the longest name of an index, in bytes: its alias for documents is longer, and the engines accept 255.
const maxName = 255 - len(aliasMark) - 2*aliasBytes

// checkName refuses what the engines refuse as the name of an index.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("an index needs a name")
	case len(name) > maxName:
		return fmt.Errorf("%s is too long for the name of an index: at most %d bytes", name, maxName)
	case strings.ContainsAny(name, `\/*?"<>| ,#:`), strings.ToLower(name) != name:
		return fmt.Errorf(`%s cannot be the name of an index: it has capitals, or one of \ / * ? " < > | , # : and space`, name)
	case strings.IndexAny(name, "-_+.") == 0:
		return fmt.Errorf("%s cannot be the name of an index: it begins with one of - _ + and a dot", name)
	}
	return nil
}

func (l *load) warn(message string) {
	if l.Warn != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.Warn(message)
	}
}

func (l *load) progress(p Progress) {
	if l.Progress != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.Progress(p)
	}
}

// Run loads the release, and moves the aliases for people once all its indices are complete.
func Run(ctx context.Context, c Config) (*Report, error) {
	l, err := begin(ctx, c)
	if err != nil {
		return nil, err
	}
	opened, err := releasedir.Open(c.From, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Clean(c.From), err)
	}
	defer opened.Close()
	if opened.Build() != l.manifest.Build {
		return nil, errors.New("another release has become current meanwhile: load again")
	}
	report := l.report()
	err = parallel.Each(ctx, max(1, c.Jobs), len(l.envs), func(_, i int) error {
		env := l.envs[i]
		e := l.newIndex(env, opened.Readers[env.ID], &report.Environments[i])
		if err := e.run(ctx); err != nil {
			return fmt.Errorf("environment %s: %w", env.ID, err)
		}
		return nil
	})
	if err == nil && !c.NoAlias {
		err = l.moveAliases(ctx, report)
	}
	if err != nil {
		return nil, err
	}
	return report, nil
}

// index is the load of an environment.
type index struct {
	*load
	env      *release.Environment
	snapshot *snapshot.Reader // nil where no items are read
	name     string
	report   *EnvReport
	replace  bool // remove the existing index, once
	began    bool // this load has worked on the index

	shards    int
	want      layout.Meta
	long      []string // the Long of want
	ties      []string // the Ties of want
	measured  bool     // both were read from the snapshot
	documents *layout.Documents
	target    string // what requests are sent to: the index, or an alias that it has while it is being filled
}

func (l *load) newIndex(env *release.Environment, r *snapshot.Reader, report *EnvReport) *index {
	name := layout.IndexName(env.ID, l.manifest.Build)
	*report = EnvReport{Environment: env.ID, Index: name, Items: env.Items}
	return &index{load: l, env: env, snapshot: r, name: name, target: name, report: report, replace: l.Replace}
}

// maxRestarts bounds how often a load of an index begins again because another program changed the index.
const maxRestarts = 9

// restartPause is the first pause before a load begins again; further pauses are twice as long, up to longestPause.
// Loads that replace an index do not do so in turn without an end, and a load waits while another one finishes the index.
const (
	restartPause = 100 * time.Millisecond
	longestPause = 8 * restartPause
)

// errChanged is the error of a step that met another index than the load began with, or one that is blocked now.
var errChanged = errors.New("another program changed the index meanwhile")

func (e *index) run(ctx context.Context) error {
	start := time.Now()
	defer func() { e.report.Seconds = time.Since(start).Seconds() }()
	for n := 1; ; n++ {
		err := e.once(ctx)
		if isMissing(err) {
			err = fmt.Errorf("%w (%w)", errChanged, err)
		}
		if n == maxRestarts || !errors.Is(err, errChanged) {
			return err
		}
		e.began = true
		if err := pause(ctx, min(restartPause<<(n-1), longestPause)); err != nil {
			return err
		}
	}
}

// once takes the index from the state that it has to the last one.
func (e *index) once(ctx context.Context) error {
	e.target = e.name
	found, err := e.look(ctx)
	if err != nil {
		return err
	}
	if err := e.define(found); err != nil {
		return err
	}
	next, err := e.decide(found)
	if err != nil {
		return err
	}
	e.report.Action = next.String()
	if e.DryRun {
		return e.predict(ctx, next)
	}
	if next == keep {
		if err := e.confirm(ctx); err != nil {
			return err
		}
		return e.publish(ctx, found)
	}
	missing := []span{{0, e.env.Items}}
	if next == goOn {
		missing, err = e.resume(ctx, found)
	} else {
		err = e.create(ctx, found)
	}
	if err != nil {
		return err
	}
	if err := e.fill(ctx, missing); err != nil {
		return err
	}
	return e.finish(ctx)
}

// confirm looks at an index that is complete already.
func (e *index) confirm(ctx context.Context) error {
	e.report.Complete, e.report.Kept = true, e.env.Items
	if err := e.count(ctx); err != nil {
		return err
	}
	if e.Verify {
		if err := e.compare(ctx); err != nil {
			return err
		}
	}
	return e.measure(ctx)
}

// predict says what a load would do.
func (e *index) predict(ctx context.Context, next action) error {
	switch next {
	case keep:
		e.report.Complete, e.report.Kept = true, e.env.Items
	case goOn:
		missing, err := e.missing(ctx)
		e.report.Kept = e.env.Items - sum(missing)
		return err
	}
	return nil
}

// pause waits, unless the context ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
