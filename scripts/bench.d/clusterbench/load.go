// This file fills the cluster with the items.

package clusterbench

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"bench/engine"
	"bench/engine/elastic"
	"bench/releasebench"
	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/wire/release"
)

// loading is what a load cost.
type loading struct {
	wall             time.Duration
	generator, nodes time.Duration // processor time
	bytes            int64         // of the index
}

// fill builds a release of the items without files of lists, and loads it.
func (b *bench) fill(items [][]byte) (err error) {
	if b.public, err = releasebench.Release(b.programs, items, b.dir, "--compress", "none", "--lists", "-"); err != nil {
		return err
	}
	root, err := filepath.EvalSymlinks(filepath.Join(b.public, release.CurrentLink))
	if err != nil {
		return err
	}
	m, _, err := releasedir.ReadManifest(root)
	if err != nil {
		return err
	}
	b.index = layout.IndexName(releasebench.Env, m.Build)
	// A release that a former run loaded is loaded again.
	cmd := exec.Command(filepath.Join(b.programs, "generator"), "load", "--to", strings.Join(b.nodes, ","), "--from", b.public, "--replicas", strconv.Itoa(len(b.nodes)-1), "--replace")
	begin, nodes := time.Now(), b.nodesCPU()
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("generator load: %w: %s", err, said)
	}
	b.loaded.wall, b.loaded.nodes = time.Since(begin), time.Duration(b.nodesCPU()-nodes)
	b.loaded.generator = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return nil
}

func (b *bench) nodesCPU() (sum int64) {
	for _, pid := range b.pids {
		sum += engine.CPUOf(pid)
	}
	return sum
}

// size returns the bytes of the index without its replicas.
func (b *bench) size() (int64, error) {
	answer, err := newClient(b.nodes[0], 1).do(request{"GET", elastic.StoreOf(b.index), ""})
	if err != nil {
		return 0, err
	}
	return elastic.StoreBytes(answer)
}
