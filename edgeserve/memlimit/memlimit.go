// Package memlimit finds the memory limit of the process, above which the kernel kills it.
package memlimit

import (
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// None means that no limit is set.
const None = math.MaxInt64

// Find returns the lowest limit of the process's control groups (version 1 and 2) below root.
func Find(root fs.FS) int64 {
	limit := int64(None)
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return limit
	}
	for line := range strings.Lines(string(groups)) {
		limit = min(limit, groupLimit(root, strings.TrimSpace(line)))
	}
	return limit
}

// groupLimit is the limit for a line of /proc/self/cgroup: NUMBER:CONTROLLERS:PATH.
func groupLimit(root fs.FS, line string) int64 {
	_, rest, _ := strings.Cut(line, ":")
	controllers, group, _ := strings.Cut(rest, ":")
	switch {
	case controllers == "":
		return min(least(root, "sys/fs/cgroup", group, "memory.max"), least(root, "sys/fs/cgroup/unified", group, "memory.max"))
	case hasMemory(controllers):
		return least(root, "sys/fs/cgroup/memory", group, "memory.limit_in_bytes")
	}
	return None
}

func hasMemory(controllers string) bool {
	for name := range strings.SplitSeq(controllers, ",") {
		if name == "memory" {
			return true
		}
	}
	return false
}

// least is the lowest limit of a group and its ancestors. In a container path may be the host's;
// the container's own group is then at the root.
func least(root fs.FS, base, group, file string) int64 {
	limit := int64(None)
	for at := path.Clean("/" + group); ; at = path.Dir(at) {
		text, err := fs.ReadFile(root, path.Join(base, at, file))
		if n, bad := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && bad == nil {
			limit = min(limit, n)
		}
		if at == "/" {
			return limit
		}
	}
}
