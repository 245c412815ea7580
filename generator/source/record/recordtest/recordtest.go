// Package recordtest measures what reading hostile texts costs, for tests.
package recordtest

import (
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"time"
)

// Bounded fails a test if a call needs more time of the processors, or more memory, than it may. The
// machine may be busy with other things meanwhile.
func Bounded(t *testing.T, longest time.Duration, most int64, call func()) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := processorTime(t)
	call()
	took := processorTime(t) - began
	runtime.ReadMemStats(&after)
	grown := int64(after.HeapSys) - int64(before.HeapInuse)
	if took > longest || grown > most {
		t.Errorf("took %v and %d MB; %v and %d MB are allowed", took, grown>>20, longest, most>>20)
	}
	t.Logf("%v, %d MB", took.Round(time.Millisecond), grown>>20)
}

func processorTime(t *testing.T) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
