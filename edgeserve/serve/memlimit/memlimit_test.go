package memlimit

import (
	"testing"
	"testing/fstest"
)

func TestFind(t *testing.T) {
	const v2, v1 = "sys/fs/cgroup/", "sys/fs/cgroup/memory/"
	for _, c := range []struct {
		name, groups string
		files        map[string]string
		want         int64
	}{
		{"no control groups", "", nil, None},
		{"version 2", "0::/a/b\n", map[string]string{v2 + "a/b/memory.max": "7\n"}, 7},
		{"version 2 without a limit", "0::/a\n", map[string]string{v2 + "a/memory.max": "max\n"}, None},
		{"around it", "0::/a/b\n", map[string]string{v2 + "a/b/memory.max": "max\n", v2 + "a/memory.max": "6\n"}, 6},
		{"in a container", "0::/\n", map[string]string{v2 + "memory.max": "5\n"}, 5},
		{"the host's path", "0::/../x\n", map[string]string{v2 + "memory.max": "5\n"}, 5},
		{"version 1", "5:cpu,memory:/a\n2:cpuset:/\n", map[string]string{v1 + "a/memory.limit_in_bytes": "8\n"}, 8},
		{"both", "5:memory:/a\n0::/\n", map[string]string{v1 + "a/memory.limit_in_bytes": "8\n", v2 + "unified/memory.max": "4\n"}, 4},
		{"odd lines", "\n5\n5:memory\n", map[string]string{v1 + "memory.limit_in_bytes": "x"}, None},
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
