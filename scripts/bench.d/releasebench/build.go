// This file measures the generator.

package releasebench

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Build compares a build with `cp -r` of its release plus compressing its files once.
// It also measures a build after one item changed.
func Build(args []string, out io.Writer) error {
	var in input
	fs := flag.NewFlagSet("bench build", flag.ContinueOnError)
	in.register(fs)
	if err := in.parse(fs, args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	content, err := in.unpack(dir)
	if err != nil {
		return err
	}
	build, copied, err := in.compare(content, dir)
	if err != nil {
		return err
	}
	files, bytes, err := count(filepath.Join(dir, "public"))
	if err != nil {
		return err
	}
	coded, err := coding(filepath.Join(dir, "public"))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d files, %.1f MB\n\n", files, float64(bytes)/1e6)
	fmt.Fprint(out, "| | seconds | CPU seconds | peak memory, MiB |\n| --- | ---: | ---: | ---: |\n")
	line(out, "generator build", build)
	line(out, "cp -r of its output", copied)
	line(out, "gzip and br of its items and pages", coded)
	fmt.Fprintf(out, "| ratio to both | %.2f | %.2f | |\n", ratio(build.wall, copied.wall+coded.wall), ratio(build.cpu, copied.cpu+coded.cpu))
	if in.items == "" {
		return nil // the user's content directory must not be edited
	}
	again, err := in.again(content, filepath.Join(dir, "public"))
	if err != nil {
		return err
	}
	line(out, "generator build, one item changed", again)
	fmt.Fprintf(out, "| ratio to a full build | %.2f | %.2f | |\n", ratio(again.wall, build.wall), ratio(again.cpu, build.cpu))
	return nil
}

// compare builds and copies alternately, each time to a new directory.
func (in *input) compare(content, dir string) (build, copied usage, err error) {
	public, twin := filepath.Join(dir, "public"), filepath.Join(dir, "copy")
	var builds, copies []usage
	for range in.runs {
		if err := removeAll(public, twin); err != nil {
			return build, copied, err
		}
		b, err := in.generate(content, public)
		if err != nil {
			return build, copied, err
		}
		c, err := measured("cp", "-r", public, twin)
		if err != nil {
			return build, copied, err
		}
		builds, copies = append(builds, b), append(copies, c)
	}
	return medianOf(builds), medianOf(copies), nil
}

func removeAll(paths ...string) error {
	for _, path := range paths {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return nil
}

// count counts the files below a directory; links are not followed.
func count(dir string) (files int, bytes int64, err error) {
	err = filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			files++
			bytes += info.Size()
		}
		return err
	})
	return files, bytes, err
}

func line(out io.Writer, name string, u usage) {
	fmt.Fprintf(out, "| %s | %.2f | %.2f | %.1f |\n", name, u.wall.Seconds(), u.cpu.Seconds(), float64(u.peak)/1024)
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(max(1, b)) }
