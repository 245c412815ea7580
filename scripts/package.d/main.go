// Packaging makes what a release of the project consists of: archives, Linux packages, a container
// image, bills of materials and checksums. scripts/package starts it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"packaging/source"
)

// parts are what a run can make, in this order.
var parts = []struct {
	name string
	make func(*job) error
}{
	{"archives", (*job).archives},
	{"linux", (*job).linuxPackages},
	{"oci", (*job).oci},
	{"sbom", (*job).bills},
}

func partNames() string {
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	return strings.Join(names, ", ")
}

func main() {
	err := run(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "package:", err)
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	root, version, out, maintainer string
	platforms                      []source.Platform
	parts                          []string
}

func parse(args []string) (options, error) {
	var o options
	var platforms string
	fs := flag.NewFlagSet("scripts/package", flag.ContinueOnError)
	fs.StringVar(&o.root, "source", ".", "`directory` of the sources")
	fs.StringVar(&o.version, "version", "", "`version` of sources without a checkout, or in place of the checkout's own, for example v1.2.3")
	fs.StringVar(&o.out, "out", "dist", "`directory` for the artefacts; it must be empty or absent")
	fs.StringVar(&o.maintainer, "maintainer", "contentedge <contentedge@localhost>", "`name <address>` of who answers for the Linux packages")
	fs.StringVar(&platforms, "platforms", "", "OS/ARCH of those to make, separated by commas (default all)")
	fs.Usage = func() {
		fmt.Fprintf(fs.Output(), "Usage: scripts/package [flags] [PART...]\n       scripts/package test [--short]\n\nMakes the parts %s (default all).\n\n", partNames())
		fs.PrintDefaults()
	}
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	o.platforms = source.Platforms
	if platforms != "" {
		o.platforms = nil
		for name := range strings.SplitSeq(platforms, ",") {
			i := slices.IndexFunc(source.Platforms, func(p source.Platform) bool { return p.String() == name })
			if i < 0 {
				return o, fmt.Errorf("unknown platform %q; there are %v", name, source.Platforms)
			}
			o.platforms = append(o.platforms, source.Platforms[i])
		}
	}
	for _, p := range parts {
		if fs.NArg() == 0 || slices.Contains(fs.Args(), p.name) {
			o.parts = append(o.parts, p.name)
		}
	}
	for _, name := range fs.Args() {
		if !slices.Contains(o.parts, name) {
			return o, fmt.Errorf("unknown part %q; there are %s", name, partNames())
		}
	}
	return o, nil
}

// run makes everything in a temporary directory next to the destination, and moves it there at the
// end: a run that fails leaves nothing.
func run(args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if o.out, err = filepath.Abs(o.out); err != nil {
		return err
	}
	if left, err := os.ReadDir(o.out); err == nil && len(left) > 0 {
		return fmt.Errorf("%s has files already: remove them, or name another directory with --out", o.out)
	}
	if err := os.MkdirAll(filepath.Dir(o.out), 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(o.out), "."+filepath.Base(o.out)+"-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	j, err := newJob(o, work)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if slices.Contains(o.parts, p.name) {
			if err := p.make(j); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		}
	}
	if err := j.checksums(); err != nil {
		return err
	}
	if err := os.RemoveAll(o.out); err != nil { // it is empty
		return err
	}
	if err := os.Rename(j.dist, o.out); err != nil {
		return err
	}
	fmt.Printf("%s: version %s, %s, in %s\n", strings.Join(o.parts, ", "), j.src.Version, j.src.Go, o.out)
	return nil
}
