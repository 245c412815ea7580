// This file is the pull command with --watch: it pulls, builds and publishes again and again.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"contentedge/cmd/cli"
	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/listenaddr"
	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/wire/store"
	"contentedge/generator"
	"contentedge/generator/pull/admin"
	"contentedge/generator/pull/pipeline"
	"contentedge/generator/pull/schedule"
	"contentedge/generator/removal"
	"contentedge/generator/ship"
)

// The least and the longest interval of --watch.
const minWatch, maxWatch = time.Second, 24 * time.Hour

// watchFlags are the flags that need --watch.
type watchFlags struct {
	every                  time.Duration
	publish, admin, secret string
	build                  []string // flags of generator build
	sign                   signFlags
	changes                int
	notify                 notifier
}

func (w *watchFlags) add(cmd *cli.Command) {
	g := cmd.Group("Watch")
	g.Duration(&w.every, "watch", "pull again this long after the last pull, for example 30s")
	g.String(&w.publish, "publish", "STORE", "publish each release, as generator publish does")
	w.sign.addKeys(g)
	w.sign.addProvenance(g)
	addChanges(g, &w.changes)
	w.notify.add(g)
	g.String(&w.admin, "admin", "ADDRESS", "serve metrics at "+prometheus.Path+" and a probe at /livez, and take webhooks at "+admin.PullPath+"; keep it from clients")
	g.Secret(&w.secret, webhookSecret, "the secret of webhooks")
}

const webhookSecret = "webhook-secret"

// check refuses flags that need --watch, and others that contradict it. Variables that need it do nothing without.
func (w *watchFlags) check(cmd *cli.Command) error {
	variant := ofOnce
	if cmd.IsSet("watch") {
		variant = ofWatch
	}
	if err := refuseUnused(cmd, variant); err != nil {
		return err
	}
	if err := w.sign.check(); err != nil {
		return err
	}
	if err := w.notify.check(cmd); err != nil {
		return err
	}
	fromFile := webhookSecret + "-file"
	switch {
	case variant == ofOnce && cmd.HasDashes():
		return wrongUsage("pull once does not use --", "omit it; what follows is for pull --watch")
	case variant == ofOnce:
		return nil
	case w.publish == "" && cmd.OnCommandLine("sign"):
		return wrongUsage("--sign needs --publish", "name the store of the signed releases")
	case w.publish == "" && cmd.OnCommandLine(notifyName):
		return wrongUsage("--"+notifyName+" needs --publish", "name the store whose releases the receivers follow")
	case w.every < minWatch || w.every > maxWatch:
		return wrongUsage(fmt.Sprintf("--watch %s: it is from %s to %.0fh", w.every, minWatch, maxWatch.Hours()), cmd.Hint())
	case w.admin == "" && cmd.OnCommandLine(fromFile):
		return wrongUsage("--"+fromFile+" needs --admin", "name the address that takes webhooks")
	case w.admin == "":
		return nil
	}
	if err := checkSecret(cmd, webhookSecret, w.secret); err != nil {
		return err
	}
	if err := listenaddr.Check(w.admin); err != nil {
		return wrongUsage(err.Error(), cmd.Hint())
	}
	return nil
}

// watcher pulls until a signal ends it.
type watcher struct {
	c    console
	o    output
	work *pipeline.Pipeline
	out  string       // where releases go
	to   *store.Store // where they are published; nil: nowhere
	sign ship.Signing // of what is published

	changes int // from how many releases changes are written
	notify  notifier

	warnedPull, warnedBuild, failed string // what was printed last, without digits

	failures int // runs that failed, in a row
}

func runWatch(ctx context.Context, s *pullSettings, c console) error {
	build, err := parseBuild(ctx, s)
	if err != nil {
		return err
	}
	work := pipeline.Config{Pull: s.Config, Build: build}
	watch := &watcher{c: c, o: s.output, out: build.Out, changes: s.changes, notify: s.notify}
	if s.publish != "" {
		if watch.to, err = openStore(s.publish, s.command); err != nil {
			return err
		}
		if watch.sign, err = s.sign.signing(c); err != nil {
			return err
		}
		work.Publish = watch.publish
	}
	if watch.work, err = pipeline.New(work); err != nil {
		return err
	}
	defer watch.work.Close()
	limitMemory(build.Memory)
	return watch.run(ctx, s.watchFlags)
}

// parseBuild reads the flags after --, and the settings of generator build.
func parseBuild(ctx context.Context, s *pullSettings) (generator.BuildConfig, error) {
	args := []string{"build"}
	if file := s.command.Value("config"); file != "" {
		args = append(args, "--config", file)
	}
	var read *buildSettings
	p := newProgramWith(console{io.Discard, io.Discard}, func(_ context.Context, s *buildSettings) error { read = s; return nil })
	if err := p.Run(ctx, append(args, s.build...)); err != nil {
		return generator.BuildConfig{}, err
	}
	if read == nil {
		return generator.BuildConfig{}, wrongUsage("--help after -- shows nothing", "run generator build --help")
	}
	for _, name := range read.command.Given() {
		if slices.Contains([]string{"content", "at", "max-removed", "allow-removal", "dry-run", "json", "quiet"}, name) {
			return generator.BuildConfig{}, wrongUsage(fmt.Sprintf("pull --watch does not use --%s after --", name), "give it before --, if at all")
		}
	}
	return read.BuildConfig, nil
}

func (w *watcher) publish(ctx context.Context, limit removal.Limit) (*ship.Report, error) {
	limit.Withdrawn = func() map[string][]string { return generator.Withdrawn(w.out) }
	return publishVerified(ctx, ship.PublishConfig{Store: w.to, Public: w.out, Jobs: ship.DefaultJobs, Removal: limit, Sign: w.sign, ChangesFrom: w.changes, Patches: ship.DefaultPatches, Warn: w.c.warn}, &w.notify)
}

// run works until a signal comes, which is a good end.
func (w *watcher) run(ctx context.Context, flags watchFlags) error {
	s := schedule.New(schedule.Config{Every: flags.every, Run: w.once, Due: w.work.NextChange})
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if flags.admin != "" {
		ln, err := net.Listen(listenaddr.Network(flags.admin), flags.admin)
		if err != nil {
			return fmt.Errorf("the admin listener: %w", err)
		}
		w.say("admin listening on %s\n", ln.Addr())
		done := make(chan struct{})
		defer func() { stop(nil); <-done }()
		go func() {
			defer crash.Exit()
			defer close(done)
			if err := admin.New(admin.Config{Secret: []byte(flags.secret), Trigger: s.Trigger, Metrics: w.work.WriteMetrics}).Serve(ctx, ln); err != nil {
				stop(fmt.Errorf("the admin listener: %w", err))
			}
		}()
	}
	err := s.Run(ctx)
	if _, signal := errors.AsType[*signalError](err); signal {
		return nil
	}
	return err
}

// watched is the JSON object of a run.
type watched struct {
	*pipeline.Result
	Errors []stepFailure `json:"errors,omitempty"`
}

type stepFailure struct {
	Step pipeline.Step `json:"step"`
	failure
}

// once is one run. It prints what changed.
func (w *watcher) once(ctx context.Context) error {
	r, err := w.work.Run(ctx)
	if ctx.Err() == nil {
		w.print(r, err)
	}
	return err
}

func (w *watcher) print(r *pipeline.Result, err error) {
	errs := parts(err)
	if w.o.json {
		result := watched{Result: r}
		for _, e := range errs {
			f := stepFailure{failure: describe(e)}
			if of, ok := errors.AsType[*pipeline.StepError](e); ok {
				f.Step = of.Step
			}
			result.Errors = append(result.Errors, f)
		}
		if len(errs) > 0 || changed(r) {
			_ = printJSON(w.c.documents(), result, nil)
		}
		return
	}
	w.printWarnings(r)
	w.printErrors(errs)
	if w.o.quiet {
		return
	}
	took := func(s pipeline.Step) time.Duration { return time.Duration(r.Seconds[s] * float64(time.Second)) }
	if p := r.Pull; p != nil && !p.Unchanged {
		fmt.Fprint(w.c.out, describePull(false, p, took(pipeline.Pulling)))
	}
	if b := r.Build; b != nil && !b.Unchanged {
		fmt.Fprint(w.c.out, describeBuild(generator.BuildConfig{Out: w.out}, buildResult{Report: b, Seconds: r.Seconds[pipeline.Building]}))
	}
	if p := r.Publish; p != nil && p.Changed {
		fmt.Fprint(w.c.out, describePublish(ship.PublishConfig{Store: w.to}, p, took(pipeline.Publishing)))
	}
}

// changed reports whether a run changed anything.
func changed(r *pipeline.Result) bool {
	return r.Pull != nil && !r.Pull.Unchanged || r.Build != nil && !r.Build.Unchanged || r.Publish != nil && r.Publish.Changed
}

// printWarnings prints warnings once, however many runs they last. A step without a report says nothing
// of its warnings.
func (w *watcher) printWarnings(r *pipeline.Result) {
	var text strings.Builder
	if r.Pull != nil {
		for _, message := range r.Pull.Warnings {
			console{err: &text}.warn(message)
		}
		w.printNew(&w.warnedPull, text.String())
	}
	if text.Reset(); r.Build != nil {
		printWarnings(&text, r.Build.Warnings)
		w.printNew(&w.warnedBuild, text.String())
	}
}

// printNew prints a text that differs from the last one by more than digits: times and counts may differ.
func (w *watcher) printNew(last *string, text string) {
	if same := strings.Map(withoutDigits, text); same != *last {
		fmt.Fprint(w.c.err, text)
		*last = same
	}
}

// printErrors prints errors once, however many runs they last.
func (w *watcher) printErrors(errs []error) {
	text := ""
	for _, e := range errs {
		text += program + ": " + e.Error() + "\n"
	}
	w.printNew(&w.failed, text)
	if text == "" && w.failures > 0 {
		w.say("well again after %d failed runs\n", w.failures)
	}
	if w.failures++; text == "" {
		w.failures = 0
	}
}

func withoutDigits(r rune) rune {
	if '0' <= r && r <= '9' {
		return -1
	}
	return r
}

func (w *watcher) say(format string, args ...any) {
	if !w.o.quiet {
		fmt.Fprintf(w.c.err, program+": "+format, args...)
	}
}

// parts returns the errors that a run joined.
func parts(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}
