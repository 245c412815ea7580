package memlimit

import (
	"testing"
	"testing/fstest"
)

// TestMemLimit shows which limit of memory is found in the files of control groups.
func TestMemLimit(t *testing.T) {
	const v2, v1 = "sys/fs/cgroup/", "sys/fs/cgroup/memory/"
	for _, c := range []struct {
		name, groups string
		files        map[string]string
		want         int64
	}{
		{"without control groups there is no limit", "", nil, None},
		{"a group of version 2 has a limit", "0::/a/b\n", map[string]string{v2 + "a/b/memory.max": "7\n"}, 7},
		{"a group may have none", "0::/a\n", map[string]string{v2 + "a/memory.max": "max\n"}, None},
		{"the limit of a group around it holds too", "0::/a/b\n", map[string]string{v2 + "a/b/memory.max": "max\n", v2 + "a/memory.max": "6\n"}, 6},
		{"a container sees its own group as the root", "0::/\n", map[string]string{v2 + "memory.max": "5\n"}, 5},
		{"a path outside of the container is that root too", "0::/../x\n", map[string]string{v2 + "memory.max": "5\n"}, 5},
		{"a group of version 1 has a limit", "5:cpu,memory:/a\n2:cpuset:/\n", map[string]string{v1 + "a/memory.limit_in_bytes": "8\n"}, 8},
		{"of two limits the lower one holds", "5:memory:/a\n0::/\n", map[string]string{v1 + "a/memory.limit_in_bytes": "8\n", v2 + "unified/memory.max": "4\n"}, 4},
		{"lines that cannot be read are skipped", "\n5\n5:memory\n", map[string]string{v1 + "memory.limit_in_bytes": "x"}, None},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := fstest.MapFS{}
			if c.groups != "" {
				root["proc/self/cgroup"] = &fstest.MapFile{Data: []byte(c.groups)}
			}
			for name, text := range c.files {
				root[name] = &fstest.MapFile{Data: []byte(text)}
			}
			if got := Find(root); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
		})
	}
}
