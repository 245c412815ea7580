// This file exports metrics of the Go runtime and the process, under Prometheus' usual names.

package prometheus

import (
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"syscall"
	"time"

	"contentedge/edgeserve/fdlimit"
)

var started = time.Now() // approximates the start of the process

// runtimeMetrics are read together, without stopping the world.
var runtimeMetrics = [...]struct{ from, name, kind, help string }{
	{"/sched/goroutines:goroutines", "go_goroutines", "gauge", "Number of goroutines."},
	{"/sched/gomaxprocs:threads", "go_sched_gomaxprocs_threads", "gauge", "Largest number of processors that run Go code at once."},
	{"/memory/classes/heap/objects:bytes", "go_memstats_heap_alloc_bytes", "gauge", "Bytes of heap objects, including garbage not yet collected."},
	{"/memory/classes/heap/released:bytes", "go_memstats_heap_released_bytes", "gauge", "Bytes of the heap returned to the system."},
	{"/memory/classes/heap/stacks:bytes", "go_memstats_stack_inuse_bytes", "gauge", "Bytes of goroutine stacks."},
	{"/memory/classes/total:bytes", "go_memstats_sys_bytes", "gauge", "Bytes mapped by the runtime, without mapped snapshots."},
	{"/gc/heap/goal:bytes", "go_memstats_next_gc_bytes", "gauge", "Target heap size of the next garbage collection."},
	{"/gc/gomemlimit:bytes", "go_gc_gomemlimit_bytes", "gauge", "Memory limit of the runtime (GOMEMLIMIT)."},
	{"/gc/cycles/total:gc-cycles", "go_gc_cycles_total", "counter", "Garbage collections completed."},
	{"/gc/heap/allocs:bytes", "go_memstats_alloc_bytes_total", "counter", "Bytes allocated on the heap since the start."},
}

// WriteProcess writes the go_ and process_ families. It omits metrics that the system lacks.
func WriteProcess(t *Text) {
	t.Family("go_info", "gauge", "Go version of the build.")
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
	t.Family("process_start_time_seconds", "gauge", "Unix time at which the process started.")
	t.Float(float64(started.UnixMilli()) / 1000)
}

func writeCPU(t *Text) {
	var use syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &use) != nil {
		return
	}
	t.Family("process_cpu_seconds_total", "counter", "User and system CPU time.")
	t.Float(time.Duration(use.Utime.Nano() + use.Stime.Nano()).Seconds())
}

func writeMemory(t *Text) {
	b, err := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(b))
	if err != nil || len(fields) < 2 {
		return
	}
	for i, m := range [...]struct{ name, help string }{
		{"process_virtual_memory_bytes", "Virtual memory."},
		{"process_resident_memory_bytes", "Resident memory, including pages of mapped snapshots."},
	} {
		if pages, err := strconv.ParseUint(fields[i], 10, 64); err == nil {
			t.Family(m.name, "gauge", m.help)
			t.Uint(pages * uint64(os.Getpagesize()))
		}
	}
}

// descriptors is the directory of the open descriptors, by system. FreeBSD's /dev/fd has only the first three.
// On Linux /dev/fd is a link, which is absent where there is no /dev.
var descriptors = map[string]string{"linux": "/proc/self/fd", "darwin": "/dev/fd"}

func writeDescriptors(t *Text) {
	if entries, err := os.ReadDir(descriptors[runtime.GOOS]); err == nil {
		t.Family("process_open_fds", "gauge", "Open file descriptors.")
		t.Uint(uint64(max(len(entries)-1, 0))) // one is the directory itself
	}
	if limit, ok := fdlimit.Find(); ok {
		t.Family("process_max_fds", "gauge", "Limit of open file descriptors.")
		t.Uint(uint64(limit))
	}
}
