// This file describes the process: what Go's runtime and the kernel say about it, by
// the names that dashboards know.

package metrics

import (
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// started is when the process began, to within its own start-up.
var started = time.Now()

// runtimeMetrics are read together, without stopping the program.
var runtimeMetrics = [...]struct{ from, name, kind, help string }{
	{"/sched/goroutines:goroutines", "go_goroutines", "gauge", "Goroutines that exist."},
	{"/sched/gomaxprocs:threads", "go_sched_gomaxprocs_threads", "gauge", "Processors that Go code runs on at most."},
	{"/memory/classes/heap/objects:bytes", "go_memstats_heap_alloc_bytes", "gauge", "Bytes of objects on the heap, those not yet collected included."},
	{"/memory/classes/heap/released:bytes", "go_memstats_heap_released_bytes", "gauge", "Bytes of the heap given back to the system."},
	{"/memory/classes/heap/stacks:bytes", "go_memstats_stack_inuse_bytes", "gauge", "Bytes of goroutines' stacks."},
	{"/memory/classes/total:bytes", "go_memstats_sys_bytes", "gauge", "Bytes that the runtime has mapped; mapped snapshots are not among them."},
	{"/gc/heap/goal:bytes", "go_memstats_next_gc_bytes", "gauge", "Size of the heap at which the next collection ends."},
	{"/gc/gomemlimit:bytes", "go_gc_gomemlimit_bytes", "gauge", "Memory limit of the runtime (GOMEMLIMIT)."},
	{"/gc/cycles/total:gc-cycles", "go_gc_cycles_total", "counter", "Collections completed."},
	{"/gc/heap/allocs:bytes", "go_memstats_alloc_bytes_total", "counter", "Bytes ever allocated on the heap."},
}

// WriteProcess writes the go_ and process_ families. What the system does not tell is
// left out.
func WriteProcess(t *Text) {
	t.Family("go_info", "gauge", "Version of Go that the program was built with.")
	t.Uint(1, "version", runtime.Version())
	samples := make([]metrics.Sample, len(runtimeMetrics))
	for i, m := range runtimeMetrics {
		samples[i].Name = m.from
	}
	metrics.Read(samples)
	for i, m := range runtimeMetrics {
		if samples[i].Value.Kind() == metrics.KindUint64 {
			t.Family(m.name, m.kind, m.help)
			t.Uint(samples[i].Value.Uint64())
		}
	}
	writeCPU(t)
	writeMemory(t)
	writeDescriptors(t)
	t.Family("process_start_time_seconds", "gauge", "Start of the process, in seconds since 1970.")
	t.Float(float64(started.UnixMilli()) / 1000)
}

func writeCPU(t *Text) {
	var use syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &use) != nil {
		return
	}
	t.Family("process_cpu_seconds_total", "counter", "Processor time used, the program's and the kernel's for it.")
	t.Float(time.Duration(use.Utime.Nano() + use.Stime.Nano()).Seconds())
}

// writeMemory reads sizes in pages: of the address space, and of what is resident.
func writeMemory(t *Text) {
	b, err := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(b))
	if err != nil || len(fields) < 2 {
		return
	}
	for i, m := range [...]struct{ name, help string }{
		{"process_virtual_memory_bytes", "Bytes of address space."},
		{"process_resident_memory_bytes", "Bytes resident, pages of mapped snapshots included."},
	} {
		if pages, err := strconv.ParseUint(fields[i], 10, 64); err == nil {
			t.Family(m.name, "gauge", m.help)
			t.Uint(pages * uint64(os.Getpagesize()))
		}
	}
}

func writeDescriptors(t *Text) {
	if entries, err := os.ReadDir("/dev/fd"); err == nil {
		t.Family("process_open_fds", "gauge", "File descriptors open.")
		t.Uint(uint64(max(len(entries)-1, 0))) // one is the directory's
	}
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil {
		t.Family("process_max_fds", "gauge", "File descriptors that may be open.")
		t.Uint(limit.Cur)
	}
}
