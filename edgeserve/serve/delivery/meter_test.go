// This file measures what a request does between two looks at its limit: the processor time of its
// thread outside of the kernel, and the memory that it allocates. Other processes do not change either. The
// kernel's time is mostly for the first write to each new page of memory. Such a write takes 0.2 to 20
// microseconds, depending on the machine.

package delivery

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/serve/bodies"

	"golang.org/x/sys/unix"
)

// collectEvery is how many bytes may be allocated between two collections: so much garbage may count
// as memory in use.
const collectEvery = 4 << 20

// meter measures one request at a time, on the thread of its test.
type meter struct {
	t      *testing.T
	memory *bodies.Budget

	free      int64         // of memory before the request, in bytes
	before    int64         // bytes in use then
	live      int64         // bytes in use at the last collection
	collected int64         // bytes ever allocated up to then
	allocated int64         // and up to the last look
	now       time.Duration // of the last look
	taken     int64         // from memory up to then, in bytes
	ended     bool          // the request
	length    int64         // of the body of the response, which is read once more at the end
	last      calls
	used      usage
	perMiB    time.Duration // for a copy of a mebibyte to memory that is new
}

// calls are the program counters of a look.
type calls [24]uintptr

// usage is what a request has taken.
type usage struct {
	cpu    time.Duration
	gap    time.Duration // the longest between two looks
	gapAt  [2]calls
	most   int64 // the bytes allocated between two looks, where they are most
	atMost [2]calls
	peak   int64 // of the bytes in use, beside those taken from the memory budget
}

func newMeter(t *testing.T, memory *bodies.Budget) *meter {
	runtime.LockOSThread()
	percent := debug.SetGCPercent(-1)
	t.Cleanup(func() {
		debug.SetGCPercent(percent)
		runtime.UnlockOSThread()
	})
	m := &meter{t: t, memory: memory}
	m.perMiB = m.copyTime()
	m.collect()
	return m
}

// copyTime returns how long this machine takes to copy a mebibyte to memory that is new. What a request allocates is
// limited as such, and is written: this part of its time says how fast the machine's memory is.
func (m *meter) copyTime() time.Duration {
	const mebibytes = 64
	from := bytes.Repeat([]byte{1}, mebibytes<<20)
	begin := m.processorTime()
	to := bytes.Clone(from)
	took := m.processorTime() - begin
	if len(to) != len(from) {
		m.t.Fatal("not copied")
	}
	return took / mebibytes
}

// measure is what do takes.
func (m *meter) measure(do func()) usage {
	if m.allocated = bytesOf("/gc/heap/allocs:bytes"); m.allocated-m.collected > collectEvery {
		m.collect()
		m.collect() // pools keep what is in them through one
	}
	m.used, m.last, m.taken, m.ended, m.length = usage{}, calls{}, 0, false, 0
	m.free, m.before = m.memory.Left(), m.live+m.allocated-m.collected
	m.now = m.processorTime()
	do()
	m.ended = true
	m.look()
	return m.used
}

// look ends an interval and begins the next one.
func (m *meter) look() {
	took := m.processorTime() - m.now
	m.used.cpu += took
	allocated := bytesOf("/gc/heap/allocs:bytes")
	took -= time.Duration((allocated-m.allocated+m.length)>>20) * m.perMiB
	var here calls
	runtime.Callers(2, here[:])
	if took > m.used.gap {
		m.used.gap, m.used.gapAt = took, [2]calls{m.last, here}
	}
	taken := m.free - m.memory.Left()
	if m.ended { // what was taken is given back, and what was in use is garbage
		taken = m.taken
	}
	if n := allocated - m.allocated - max(taken-m.taken, 0); n > m.used.most {
		m.used.most, m.used.atMost = n, [2]calls{m.last, here}
	}
	if inUse := m.live + allocated - m.collected - m.before; !m.ended {
		m.used.peak = max(m.used.peak, inUse-taken)
	}
	m.taken = taken
	m.allocated, m.last = allocated, here
	if allocated-m.collected > collectEvery {
		m.collect()
	}
	m.now = m.processorTime()
}

func (m *meter) collect() {
	runtime.GC()
	m.live, m.collected = bytesOf("/gc/heap/live:bytes"), bytesOf("/gc/heap/allocs:bytes")
	m.allocated = m.collected
}

// bytesOf reads a number of the runtime.
func bytesOf(name string) int64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

func (m *meter) processorTime() time.Duration {
	var taken unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &taken); err != nil {
		m.t.Fatal(err)
	}
	return time.Duration(taken.Utime.Nano())
}

// between prints the functions of this project at both ends of an interval.
func between(at [2]calls) string {
	return "between\n\t" + at[0].String() + "\nand\n\t" + at[1].String()
}

func (c calls) String() string {
	if c[0] == 0 {
		return "its beginning"
	}
	var names []string
	frames := runtime.CallersFrames(c[:])
	for more := true; more && len(names) < 10; {
		var f runtime.Frame
		f, more = frames.Next()
		if name, ours := strings.CutPrefix(f.Function, "contentedge/edgeserve/"); ours && !strings.HasPrefix(name, "admission.") {
			names = append(names, fmt.Sprintf("%s:%d", name, f.Line))
		}
	}
	return strings.Join(names, " < ")
}
