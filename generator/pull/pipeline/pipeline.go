// Package pipeline keeps a mirror, a release and a store in step with an origin. A run pulls, builds
// what is new and publishes what was built. It keeps what it knows in memory, so that the next run
// reads only what changed.
//
// Each step keeps what it had when it fails: the mirror, the current release, the store's release. A
// run whose pull fails still builds and publishes what an earlier run left undone.
package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"contentedge/generator"
	"contentedge/generator/pull"
	"contentedge/generator/removal"
	"contentedge/generator/ship"
)

// Config says where content comes from and where releases go.
type Config struct {
	Pull  pull.Config
	Build generator.BuildConfig // of the content directory of Pull, with the Removal of Pull
	// Publish makes the current release current in a store. nil: nothing is published.
	Publish func(ctx context.Context, limit removal.Limit) (*ship.Report, error)
}

// Step is a part of a run.
type Step string

// The steps of a run, in their order.
const (
	Pulling    Step = "pull"
	Building   Step = "build"
	Publishing Step = "publish"
)

// inOrder are the steps of a run, in their order.
var inOrder = []Step{Pulling, Building, Publishing}

// StepError is a step that failed.
type StepError struct {
	Step Step
	Err  error
}

// Error names the step, and says how a removal is allowed once.
func (e *StepError) Error() string {
	text := fmt.Sprintf("%s: %v", e.Step, e.Err)
	if _, refused := errors.AsType[*removal.Error](e.Err); refused {
		text += "\n  here --allow-removal allows it once: start again with it, and it ends with the first run that succeeds"
	}
	return text
}

// Unwrap returns what failed.
func (e *StepError) Unwrap() error { return e.Err }

// Result has the reports of a run. A step that failed, or had nothing to do, has no report.
type Result struct {
	Pull    *pull.Report      `json:"pull,omitempty"`
	Build   *generator.Report `json:"build,omitempty"`
	Publish *ship.Report      `json:"publish,omitempty"`

	Seconds map[Step]float64 `json:"seconds"` // that each step took
}

// Pipeline runs again and again. Run must not be called concurrently; WriteMetrics may be.
type Pipeline struct {
	c       Config
	puller  *pull.Puller
	session *generator.Session
	metrics *figures

	allowed   bool      // any removal, in this run
	built     string    // the fingerprint of the content that the current release has
	build     string    // the current release; "" before the first build
	published string    // the release that was published last
	renewAt   time.Time // when the pointer has to be renewed; zero: never
}

// New checks the Config and opens nothing.
func New(c Config) (*Pipeline, error) {
	p := &Pipeline{c: c, allowed: c.Pull.Removal.Allow}
	p.metrics = newFigures(p.mirror(pull.StateName))
	p.c.Build.Content, p.c.Build.Removal = c.Pull.Content, c.Pull.Removal
	p.c.Build.Removal.Allow = false // of one build only: View.AllowRemoval
	var err error
	if p.puller, err = pull.New(c.Pull); err != nil {
		return nil, err
	}
	if p.session, err = generator.NewSession(p.c.Build); err != nil {
		p.puller.Close()
		return nil, err
	}
	return p, nil
}

// Close ends the connections to the origin.
func (p *Pipeline) Close() { p.puller.Close() }

// Run pulls, builds and publishes once. Its error joins a *StepError for each step that failed, or is
// the cause of ctx when that has ended.
func (p *Pipeline) Run(ctx context.Context) (*Result, error) {
	result := Result{Seconds: map[Step]float64{}}
	var errs []error
	step := func(step Step, run func() (outcome, error)) bool {
		if ctx.Err() != nil {
			return false
		}
		began := time.Now()
		how, err := run()
		result.Seconds[step] = time.Since(began).Seconds()
		if ctx.Err() != nil {
			return false // the context made it fail, or its work is complete
		}
		p.metrics.note(step, how, err)
		if err != nil {
			errs = append(errs, &StepError{step, err})
		}
		return err == nil
	}
	pulled := step(Pulling, func() (outcome, error) { return p.pull(ctx, &result) })
	if pulled || p.mirrored() {
		step(Building, func() (outcome, error) { return p.buildNew(ctx, &result) })
	}
	if p.c.Publish != nil && (p.build != p.published || p.mustRenew(time.Now())) {
		step(Publishing, func() (outcome, error) { return p.publish(ctx, &result) })
	}
	if ctx.Err() != nil {
		return &result, context.Cause(ctx)
	}
	if err := errors.Join(errs...); err != nil {
		return &result, err
	}
	return &result, p.guard()
}

func (p *Pipeline) pull(ctx context.Context, result *Result) (how outcome, err error) {
	if result.Pull, err = p.puller.Run(ctx); err != nil {
		return "", err
	}
	p.metrics.pulled(result.Pull)
	if result.Pull.Unchanged {
		return unchanged, nil
	}
	return changed, nil
}

// mirrored reports whether there is a mirror to build from.
func (p *Pipeline) mirrored() bool {
	_, err := os.Stat(p.mirror(pull.FileName))
	return err == nil
}

// mirror is the path of a file of the mirror.
func (p *Pipeline) mirror(name string) string {
	return filepath.Join(p.c.Pull.Content, cmp.Or(p.c.Pull.As, p.c.Pull.Env), name)
}

// buildNew builds if the content differs from the content of the last build.
func (p *Pipeline) buildNew(ctx context.Context, result *Result) (outcome, error) {
	now, err := fingerprint(p.c.Pull.Content) // first: what changes later is built by the next run
	if err != nil {
		return "", err
	}
	if next := p.NextChange(); now == p.built && (next.IsZero() || time.Now().Before(next)) {
		return unchanged, nil
	}
	r, err := p.session.Build(ctx, generator.View{AllowRemoval: p.allowed})
	if err != nil {
		return "", err
	}
	result.Build, p.built, p.build = r, now, r.Build
	p.metrics.build.Store(&p.build)
	if r.Unchanged {
		return unchanged, nil
	}
	return changed, nil
}

// NextChange returns when the current content makes another release, because items appear or expire. Zero means never.
func (p *Pipeline) NextChange() time.Time { return p.session.NextChange() }

func (p *Pipeline) publish(ctx context.Context, result *Result) (how outcome, err error) {
	limit := p.c.Pull.Removal
	limit.Allow = p.allowed
	if result.Publish, err = p.c.Publish(ctx, limit); err != nil {
		return "", err
	}
	p.published, p.renewAt = p.build, renewal(result.Publish.Expires, time.Now())
	if !result.Publish.Changed {
		return unchanged, nil
	}
	return changed, nil
}

// renewal is when a pointer that expires has to be renewed: in the middle of what is left of its time. Then as much
// stays for a store or a machine that fails.
func renewal(expires string, now time.Time) time.Time {
	end, err := time.Parse(time.RFC3339, expires)
	if err != nil {
		return time.Time{} // it does not expire
	}
	return now.Add(end.Sub(now) / 2)
}

// mustRenew reports whether the published pointer expires soon, and has to be written again though nothing changed.
func (p *Pipeline) mustRenew(now time.Time) bool {
	return p.published != "" && !p.renewAt.IsZero() && !now.Before(p.renewAt)
}

// guard ends the permission to remove anything, after a run that succeeded.
func (p *Pipeline) guard() error {
	if !p.allowed {
		return nil
	}
	c := p.c.Pull
	c.Removal.Allow = false
	guarded, err := pull.New(c)
	if err != nil {
		return err
	}
	p.puller.Close()
	p.puller, p.allowed = guarded, false
	return nil
}
