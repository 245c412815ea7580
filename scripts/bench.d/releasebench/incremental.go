// This file measures the references for a build: compressing its files, and building
// again after one item changed.

package releasebench

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"bench/corpus"

	"contentedge/edgeserve/wire/compression"
	"contentedge/edgeserve/wire/contentcoding"
)

// coding compresses every item and page of a release with gzip and Brotli on all cores,
// and writes nothing.
func coding(public string) (usage, error) {
	root, err := filepath.EvalSymlinks(filepath.Join(public, "current"))
	if err != nil {
		return usage{}, err
	}
	begin, cpu := time.Now(), cpuTime()
	names, errs := make(chan string), make(chan error, runtime.NumCPU())
	var wg sync.WaitGroup
	for range runtime.NumCPU() {
		wg.Go(func() {
			var out []byte
			var failed error
			for name := range names {
				body, err := os.ReadFile(name)
				if failed == nil {
					failed = err
				}
				out = compression.ForFiles.Encode(contentcoding.Gzip, out[:0], body)
				out = compression.ForFiles.Encode(contentcoding.Brotli, out[:0], body)
			}
			errs <- failed
		})
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".json") {
			names <- path
		}
		return err
	})
	close(names)
	wg.Wait()
	for range runtime.NumCPU() {
		if e := <-errs; err == nil {
			err = e
		}
	}
	return usage{wall: time.Since(begin), cpu: cpuTime() - cpu}, err
}

// cpuTime is this process's CPU time.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// edit renames one item, differently each time.
func (in *input) edit(content string, round int) error {
	items, err := corpus.Read(in.items)
	if err != nil {
		return err
	}
	i := len(items) / 2
	name := `"Name":"` + strings.Repeat("x", 1+round)
	items[i] = bytes.Replace(items[i], []byte(`"Name":"`), []byte(name), 1)
	return corpus.WriteFile(filepath.Join(content, Env, "items.ndjson"), items)
}

// again measures builds after one item changed, on top of the previous release.
func (in *input) again(content, out string) (usage, error) {
	var all []usage
	for round := range in.runs + 1 {
		if err := in.edit(content, round); err != nil {
			return usage{}, err
		}
		u, err := in.generate(content, out)
		if err != nil {
			return usage{}, err
		}
		if round > 0 { // only now must a build remove an older release
			all = append(all, u)
		}
	}
	return medianOf(all), nil
}
