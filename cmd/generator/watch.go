// This file is the pull command with --watch: it pulls, builds and publishes again and again.

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/listenaddr"
	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/wire/store"
	"contentedge/generator"
	"contentedge/generator/pull"
	"contentedge/generator/pull/admin"
	"contentedge/generator/pull/pipeline"
	"contentedge/generator/pull/schedule"
	"contentedge/generator/pull/webhook"
	"contentedge/generator/removal"
	"contentedge/generator/ship"
)

// The least and the longest interval of --watch.
const minWatch, maxWatch = time.Second, 24 * time.Hour

// secretVariable has the secret of webhooks, unless --webhook-secret names a file.
const secretVariable = "CONTENTEDGE_WEBHOOK_SECRET"

const watchUsage = `
With --watch it goes on until a signal ends it, and builds a release of what it pulled.
Flags of generator build stand behind all others, after --. --allow-removal then ends
with the first run that succeeds.

  --watch DURATION       pull again this long after the last pull, for example 30s
  --publish STORE        publish each release, as generator publish does
  --admin ADDRESS        serve metrics at ` + prometheus.Path + ` and a probe at /livez, and take webhooks
                         at ` + admin.PullPath + `; keep it from clients
  --webhook-secret FILE  read the secret of webhooks from a file
                         (default: the variable ` + secretVariable + `)
`

// watchFlags are the flags that need --watch.
type watchFlags struct {
	every                      time.Duration
	publish, admin, secretFile string
	build                      []string // flags of generator build
}

func (w *watchFlags) register(set *flag.FlagSet) {
	set.Func("watch", "", readDuration(&w.every))
	set.StringVar(&w.publish, "publish", "", "")
	set.StringVar(&w.admin, "admin", "", "")
	set.StringVar(&w.secretFile, "webhook-secret", "", "")
}

// cutBuildFlags splits arguments at --.
func cutBuildFlags(args []string) (own, build []string, found bool) {
	at := slices.Index(args, "--")
	if at < 0 {
		return args, nil, false
	}
	return args[:at], args[at+1:], true
}

// check refuses flags that need --watch, and others that contradict it.
func (w *watchFlags) check(set *flag.FlagSet, hasBuild bool) error {
	variant := ofOnce
	set.Visit(func(f *flag.Flag) {
		if f.Name == "watch" {
			variant = ofWatch
		}
	})
	if err := refuseUnused(set, variant); err != nil {
		return err
	}
	switch {
	case variant == ofOnce && hasBuild:
		return wrongUsage("pull once does not use --", "omit it; what follows is for pull --watch")
	case variant == ofWatch && (w.every < minWatch || w.every > maxWatch):
		return wrongUsage(fmt.Sprintf("--watch %s: it is from %s to %.0fh", w.every, minWatch, maxWatch.Hours()), pullHint)
	case w.admin == "" && w.secretFile != "":
		return wrongUsage("--webhook-secret needs --admin", "name the address that takes webhooks")
	case w.admin != "":
		return usage(listenaddr.Check(w.admin), pullHint)
	}
	return nil
}

func usage(err error, hint string) error {
	if err == nil {
		return nil
	}
	return wrongUsage(err.Error(), hint)
}

const pullHint = "run generator pull --help"

// watcher is a pull that goes on.
type watcher struct {
	c    console
	o    output
	work *pipeline.Pipeline
	out  string       // where releases go
	to   *store.Store // where they are published; nil: nowhere

	warnedPull, warnedBuild, failed string // what was printed last, without digits

	failures int // runs that failed, in a row
}

func runWatch(ctx context.Context, config pull.Config, w watchFlags, o output, c console) error {
	build, err := parseBuild(w.build)
	if err != nil {
		return err
	}
	secret, err := w.secret()
	if err != nil {
		return err
	}
	work := pipeline.Config{Pull: config, Build: build}
	watch := &watcher{c: c, o: o, out: build.Out}
	if w.publish != "" {
		if watch.to, err = openStore(w.publish, "pull"); err != nil {
			return err
		}
		work.Publish = watch.publish
	}
	if watch.work, err = pipeline.New(work); err != nil {
		return err
	}
	defer watch.work.Close()
	limitMemory(build.Memory)
	return watch.run(ctx, w, secret)
}

// parseBuild reads the flags behind --.
func parseBuild(args []string) (config generator.BuildConfig, err error) {
	var o output
	var dry bool
	set := flag.NewFlagSet("build", flag.ContinueOnError)
	addWriting(set, &config, &dry, &o)
	if _, err := parse(set, "", args, 0, io.Discard); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			err = wrongUsage("--help stands behind --", "run generator build --help")
		}
		return config, err
	}
	set.Visit(func(f *flag.Flag) {
		if slices.Contains([]string{"content", "max-removed", "allow-removal", "dry-run", "json", "quiet"}, f.Name) && err == nil {
			err = wrongUsage(fmt.Sprintf("pull --watch does not use --%s behind --", f.Name), "give it before --, if at all")
		}
	})
	return config, err
}

// secret returns the secret of webhooks; nil if there is none.
func (w *watchFlags) secret() ([]byte, error) {
	if w.admin == "" {
		return nil, nil
	}
	text, from := os.Getenv(secretVariable), secretVariable
	if w.secretFile != "" {
		b, err := os.ReadFile(w.secretFile)
		if err != nil {
			return nil, fmt.Errorf("the secret of webhooks: %w", err)
		}
		text, from = strings.TrimRight(string(b), "\r\n"), w.secretFile
	}
	if text == "" && w.secretFile == "" {
		return nil, nil
	}
	if len(text) < webhook.MinSecret {
		return nil, wrongUsage(fmt.Sprintf("the secret in %s has %d bytes, fewer than %d", from, len(text), webhook.MinSecret), "make one with openssl rand -hex 32")
	}
	return []byte(text), nil
}

func (w *watcher) publish(ctx context.Context, limit removal.Limit) (*ship.Report, error) {
	return publishVerified(ctx, ship.PublishConfig{Store: w.to, Public: w.out, Jobs: ship.DefaultJobs, Removal: limit, Warn: w.c.warn})
}

// run works until a signal comes, which is a good end.
func (w *watcher) run(ctx context.Context, flags watchFlags, secret []byte) error {
	s := schedule.New(schedule.Config{Every: flags.every, Run: w.once})
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
			if err := admin.New(admin.Config{Secret: secret, Trigger: s.Trigger, Metrics: w.work.WriteMetrics}).Serve(ctx, ln); err != nil {
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
			_ = printJSON(w.c.out, result, nil)
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
		text += "generator: " + e.Error() + "\n"
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
		fmt.Fprintf(w.c.err, "generator: "+format, args...)
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
