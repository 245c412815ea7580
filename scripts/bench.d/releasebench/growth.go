// This file measures how costs grow with a site: each step at several sizes, with the exponent of the growth. A step
// after one edit should cost what the edit costs, not what the site does.

package releasebench

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// perEnvironment is how many items an environment has where environments are counted.
const perEnvironment = 20

// growth measures steps at several sizes.
type growth struct {
	input
	versitygw string
	out       io.Writer
}

// axis is what grows.
type axis struct {
	name  string
	sizes []int
	lay   func(size int, dir string) (*site, error)
	// bound is the largest exponent of a whole build; edited, of the steps after one edit.
	bound, edited float64
}

// step is what is measured at each size. Steps run in order on one site.
type step struct {
	name   string
	edited bool // after one edit
	run    func(g *growth, s *site) (figures, error)
}

// figures are the cost of a step. Zeros are not printed.
type figures struct {
	cpu      float64 // seconds
	peak     int64   // resident memory, in KiB
	requests int64
	bytes    int64 // sent to and received from the store
}

var growthSteps = []step{
	{"build", false, (*growth).build},
	{"verify", false, (*growth).verify},
	{"build, nothing changed", true, (*growth).build},
	{"build of one edit", true, (*growth).editAndBuild},
	{"start of a node", false, (*growth).startNode},
	{"poll of a node at rest, a second", true, (*growth).idle},
	{"swap after one edit", true, (*growth).swap},
	{"publish", false, (*growth).publish},
	{"publish one edit", true, (*growth).editAndPublish},
	{"follow one edit", true, (*growth).follow},
	{"publish one edit for nodes", true, (*growth).editForNodes},
	{"publish one edit in place", true, (*growth).editInPlace},
	{"save in preview", true, (*growth).save},
}

// Growth measures every step at every size and prints a table for each axis.
func Growth(args []string, out io.Writer) error {
	g := growth{out: out}
	var environments, items, only string
	fs := flag.NewFlagSet("bench growth", flag.ContinueOnError)
	g.register(fs)
	fs.StringVar(&environments, "environments", "250,500,1000", "numbers of environments of 20 items; empty skips this axis")
	fs.StringVar(&items, "items-of-one", "2500,5000,10000", "numbers of items of one environment; empty skips this axis")
	fs.StringVar(&only, "only", "", "measure steps whose `name` has this text; builds are run nevertheless")
	fs.StringVar(&g.versitygw, "versitygw", "", "S3 service; without it, nothing is published")
	if err := g.parse(fs, args); err != nil {
		return err
	}
	axes := []axis{
		{name: "environments of 20 items", lay: layEnvironments, bound: 1.05, edited: 0.1},
		{name: "items of one environment", lay: layItems, bound: 1.05, edited: 0.1},
	}
	for i, list := range []string{environments, items} {
		if g.smoke {
			list = []string{"101,150", "50,100"}[i]
		}
		var err error
		if axes[i].sizes, err = numbers(list); err != nil {
			return err
		}
	}
	for _, a := range axes {
		if len(a.sizes) > 0 {
			if err := g.measure(a, only); err != nil {
				return err
			}
		}
	}
	return nil
}

func numbers(list string) (sizes []int, err error) {
	for _, text := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is not a size", text)
		}
		sizes = append(sizes, n)
	}
	slices.Sort(sizes)
	return sizes, nil
}

// errAbsent says that a step cannot run here.
var errAbsent = errors.New("it is left out")

func (g *growth) measure(a axis, only string) error {
	results := make([][]figures, len(growthSteps))
	for _, size := range a.sizes {
		if err := g.measureSite(a, size, only, results); err != nil {
			return fmt.Errorf("%d %s: %w", size, a.name, err)
		}
	}
	fmt.Fprintf(g.out, "| step, by %s |", a.name)
	for _, size := range a.sizes {
		fmt.Fprintf(g.out, " %d |", size)
	}
	fmt.Fprintf(g.out, " exponent | at most |\n| --- |%s ---: | ---: |\n", strings.Repeat(" --- |", len(a.sizes)))
	for i, s := range growthSteps {
		if len(results[i]) < len(a.sizes) {
			continue
		}
		fmt.Fprintf(g.out, "| %s |", s.name)
		for _, f := range results[i] {
			fmt.Fprintf(g.out, " %s |", f)
		}
		bound := a.bound
		if s.edited {
			bound = a.edited
		}
		fmt.Fprintf(g.out, " %s | %.2f |\n", exponent(a.sizes, results[i]), bound)
	}
	fmt.Fprintln(g.out)
	return nil
}

func (g *growth) measureSite(a axis, size int, only string, results [][]figures) (err error) {
	dir, err := os.MkdirTemp("", "bench-growth-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := a.lay(size, dir)
	if err != nil {
		return err
	}
	defer s.stop()
	s.public = filepath.Join(dir, "public")
	for i, step := range growthSteps {
		needed := step.name == "build" || step.name == "build of one edit"
		if !needed && !strings.Contains(step.name, only) {
			continue
		}
		f, err := step.run(g, s)
		if errors.Is(err, errAbsent) {
			fmt.Fprintf(os.Stderr, "bench: without %s: %v\n", step.name, err)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		results[i] = append(results[i], f)
	}
	return nil
}

// String prints the figures that were measured.
func (f figures) String() string {
	parts := []string{fmt.Sprintf("%.3g s", f.cpu)}
	if f.peak > 0 {
		parts = append(parts, fmt.Sprintf("%d MiB", f.peak>>10))
	}
	if f.requests > 0 {
		parts = append(parts, fmt.Sprintf("%d requests, %.3g MB", f.requests, float64(f.bytes)/1e6))
	}
	return strings.Join(parts, ", ")
}

// exponent fits cost = c * size^e by least squares of the logarithms. Of steps with requests, these count too.
func exponent(sizes []int, all []figures) string {
	fit := func(value func(figures) float64) (e float64, ok bool) {
		var sx, sy, sxx, sxy, n float64
		for i, size := range sizes {
			y := value(all[i])
			if y <= 0 {
				return 0, false
			}
			lx, ly := math.Log(float64(size)), math.Log(y)
			sx, sy, sxx, sxy, n = sx+lx, sy+ly, sxx+lx*lx, sxy+lx*ly, n+1
		}
		if n < 2 {
			return 0, false
		}
		return (n*sxy - sx*sy) / (n*sxx - sx*sx), true
	}
	var parts []string
	for _, v := range []struct {
		unit  string
		value func(figures) float64
	}{
		{"", func(f figures) float64 { return f.cpu }},
		{" of requests", func(f figures) float64 { return float64(f.requests) }},
		{" of bytes", func(f figures) float64 { return float64(f.bytes) }},
	} {
		if e, ok := fit(v.value); ok {
			parts = append(parts, fmt.Sprintf("%.2f%s", e, v.unit))
		}
	}
	return strings.Join(parts, ", ")
}
