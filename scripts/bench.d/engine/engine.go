// Package engine has what all engines of the search benchmark share: commands,
// measurement and reports. Each engine is a process, so that memory, caches and garbage
// are its own.
package engine

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"bench/corpus"
	"bench/queries"
)

// Engine builds an index in a directory and opens it.
type Engine interface {
	Build(items [][]byte, fields corpus.Fields, dir string) error
	Open(dir string, fields corpus.Fields) (Searcher, error)
}

// Searcher runs queries. Prepare does the work that a caller does once for a repeated
// query. Each call of its result runs the query, counts all matches and copies the JSON
// of the first hits into a reused buffer.
type Searcher interface {
	Prepare(q queries.Query) (Prepared, error)
}

// Prepared runs a prepared query and returns the number of all matches; of suggestions, their number.
type Prepared func() (total int, err error)

// CountSuggestions counts the suggestions in JSON.
func CountSuggestions(json []byte) int { return bytes.Count(json, []byte(`"score":`)) }

// Refusal is the error of an engine that will have a kind of query, but refuses it yet.
type Refusal struct{ Err error }

// Error returns the reason.
func (r *Refusal) Error() string { return r.Err.Error() }

// ErrUnsupported: the engine does not support the kind of query.
var ErrUnsupported = fmt.Errorf("the engine has no such query")

// The files of a prepared benchmark in its directory.
const (
	ItemsFile   = "items.ndjson" // in default order
	FieldsFile  = "fields.tsv"
	QueriesFile = "queries.tsv"
	CutFile     = "items.cut" // see corpus.WriteCut
)

// Main runs an engine with `build` or `run`, and flags. Both print a tab-separated
// report to out.
func Main(e Engine, args []string, out io.Writer) error {
	if len(args) == 0 {
		return fmt.Errorf("want build or run")
	}
	fs := flag.NewFlagSet(args[0], flag.ContinueOnError)
	work := fs.String("work", "", "directory with the prepared benchmark")
	index := fs.String("index", "", "directory of the index")
	var m measure
	fs.DurationVar(&m.least, "least", 0, "shortest time to measure a family")
	fs.DurationVar(&m.most, "most", 0, "longest time for one pass over a family's queries")
	if err := fs.Parse(args[1:]); err != nil {
		return err
	}
	fields, err := corpus.ReadFields(filepath.Join(*work, FieldsFile))
	if err != nil {
		return err
	}
	m.out = bufio.NewWriter(out)
	switch args[0] {
	case "build":
		err = m.build(e, *work, fields, *index)
	case "run":
		err = m.run(e, *work, fields, *index)
	default:
		err = fmt.Errorf("unknown command %q", args[0])
	}
	if err != nil {
		return err
	}
	return m.out.Flush()
}

// CPU is the CPU time of this process with all threads, in ns.
func CPU() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(err) // the clock exists on all supported systems
	}
	return t.Nano()
}

// CPUOf is the CPU time of another process with all threads, in ns; 0 if it has ended. /proc/PID/stat has the same
// time in ticks of 10 ms.
func CPUOf(pid int) int64 {
	const scheduled = 2 // the clock that the scheduler counts, in the low bits of a process's clock
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|scheduled), &t); err != nil {
		return 0
	}
	return t.Nano()
}

// Memory returns the resident memory of a process by kind, in KiB, and its peak.
func Memory(pid string) (anon, file, peak string) {
	b, _ := os.ReadFile("/proc/" + pid + "/status")
	for line := range strings.Lines(string(b)) {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSuffix(strings.TrimSpace(value), " kB")
		switch name {
		case "RssAnon":
			anon = value
		case "RssFile":
			file = value
		case "VmHWM":
			peak = value
		}
	}
	return anon, file, peak
}

// size is the total size of the files below a directory.
func size(dir string) (n int64, err error) {
	err = filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
		return err
	})
	return n, err
}
