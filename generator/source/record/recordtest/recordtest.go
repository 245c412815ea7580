// Package recordtest checks records, and measures what reading hostile texts costs, for tests.
package recordtest

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source/jsonscan"
	"contentedge/generator/source/record"
)

// Bounded fails a test if a call needs more time of the processors, or more memory, than it may. On a busy machine
// garbage is collected late, so the call is made again, twice at most, until it is within both bounds. Short tests,
// which the race detector runs, skip it.
func Bounded(t *testing.T, longest time.Duration, most int64, call func()) {
	t.Helper()
	if testing.Short() {
		t.Skip("the time that it takes differs from a build's")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	for range 3 {
		took, grown := cost(t, call)
		t.Logf("%v, %d MB", took.Round(time.Millisecond), grown>>20)
		if t.Failed() || took <= longest && grown <= most {
			return
		}
	}
	t.Errorf("each of three calls took more than %v or %d MB", longest, most>>20)
}

// cost returns the time of the processors that a call needs, and the memory by which the process grows.
func cost(t *testing.T, call func()) (took time.Duration, grown int64) {
	debug.FreeOSMemory() // so that only the call's memory is more
	before := heap()
	began := ProcessorTime(t)
	call()
	took = ProcessorTime(t) - began
	return took, heap() - before
}

// heap is the memory that the process has for its heap, in bytes.
func heap() int64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapSys - stats.HeapReleased)
}

// ProcessorTime is the time that the processors have spent on the test's process. Other processes do not count.
func ProcessorTime(t *testing.T) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// Check fails a test unless a record is valid JSON without white space. All its keys and values must have
// places within a text of that many lines.
func Check(t *testing.T, r *record.Record, lines int) {
	t.Helper()
	if _, end, err := jsonscan.New().Object(r.JSON, 0); err != nil || end != len(r.JSON) {
		t.Fatalf("%v: %s", err, r.JSON)
	}
	if compact := jsonscan.AppendCompact(nil, r.JSON); !bytes.Equal(compact, r.JSON) {
		t.Errorf("%s\nis not compact: %s", r.JSON, compact)
	}
	for at := range r.JSON {
		if p := r.Place(at); p.Line < 1 || p.Line > lines || p.Col < 1 {
			t.Fatalf("offset %d of %s is at %+v; the text has %d lines", at, r.JSON, p, lines)
		}
	}
}

// Numbers fails a test unless the text has each number of a record.
func Numbers(t *testing.T, r *record.Record, text string) {
	t.Helper()
	var walk func(name []byte, at int) int
	walk = func(_ []byte, at int) int {
		switch c := r.JSON[at]; {
		case c == '{' || c == '[':
			return jsoncursor.Children(r.JSON, at, walk)
		case c == '-' || '0' <= c && c <= '9':
			end := jsoncursor.ScalarEnd(r.JSON, at)
			if number := r.JSON[at:end]; !bytes.Contains([]byte(text), number) {
				t.Errorf("the number %s is not in the text", number)
			}
			return end
		}
		return jsoncursor.ScalarEnd(r.JSON, at)
	}
	walk(nil, 0)
}
