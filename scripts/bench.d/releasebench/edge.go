// This file measures the edge server.

package releasebench

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"bench/engine"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/listenaddr/freeport"
	"contentedge/edgeserve/wire/release"
)

const (
	startLimit = 30 * time.Second
	restTime   = time.Second // between the first response and reading the memory
)

// start is one start of the server.
type start struct {
	first      time.Duration
	anon, file int64 // resident memory at rest, in KiB
}

// Edge measures the time from exec to the first 200 of a list, and the memory at rest.
func Edge(args []string, out io.Writer) error {
	var in input
	fs := flag.NewFlagSet("bench edge", flag.ContinueOnError)
	in.register(fs)
	public := fs.String("public", "", "`directory` with a release (default: one is built)")
	if err := in.parse(fs, args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-edge-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if *public == "" {
		*public = filepath.Join(dir, "public")
		content, err := in.unpack(dir)
		if err != nil {
			return err
		}
		if _, err := in.generate(content, *public); err != nil {
			return err
		}
	}
	return in.edge(*public, out)
}

func (in *input) edge(public string, out io.Writer) error {
	root, err := filepath.EvalSymlinks(filepath.Join(public, release.CurrentLink))
	if err != nil {
		return err
	}
	m, _, err := releasedir.ReadManifest(root)
	if err != nil {
		return err
	}
	items, snapshots := 0, int64(0)
	for _, e := range m.Environments {
		items += e.Items
		snapshots += e.Snapshot.Bytes
	}
	var firsts, anons, files []usage
	for range in.runs {
		s, err := in.start(public, m.Environments[0].ID)
		if err != nil {
			return err
		}
		firsts, anons, files = append(firsts, usage{wall: s.first}), append(anons, usage{peak: s.anon}), append(files, usage{peak: s.file})
	}
	fmt.Fprintf(out, "%d items, snapshots of %.1f MB\n\n", items, float64(snapshots)/1e6)
	fmt.Fprint(out, "| exec to first 200, ms | RssAnon at rest, MiB | RssFile at rest, MiB |\n| ---: | ---: | ---: |\n")
	fmt.Fprintf(out, "| %.1f | %.1f | %.1f |\n", float64(medianOf(firsts).wall.Microseconds())/1000, float64(medianOf(anons).peak)/1024, float64(medianOf(files).peak)/1024)
	return nil
}

// start starts the server, waits for its first response, reads its memory and stops it.
func (in *input) start(public, env string) (s start, err error) {
	port, err := freeport.Lend()
	if err != nil {
		return s, err
	}
	defer port.Return()
	cmd := exec.Command(filepath.Join(in.programs, "edgeserve"), "--public", public, "--addr", port.Addr)
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return s, err
	}
	defer func() {
		err = errors.Join(err, cmd.Process.Signal(syscall.SIGTERM), cmd.Wait())
	}()
	if err := FirstResponse("http://"+port.Addr+"/cda/rest/v1/"+env+"/contents", begin); err != nil {
		return s, err
	}
	s.first = time.Since(begin)
	time.Sleep(restTime)
	anon, file, _ := engine.Memory(strconv.Itoa(cmd.Process.Pid))
	s.anon, _ = strconv.ParseInt(anon, 10, 64)
	s.file, _ = strconv.ParseInt(file, 10, 64)
	return s, nil
}

// FirstResponse sends requests without pause until one returns 200.
func FirstResponse(url string, begin time.Time) error {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for time.Since(begin) < startLimit {
		resp, err := client.Get(url)
		if err != nil {
			continue
		}
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if err == nil && resp.StatusCode == http.StatusOK {
			return nil
		}
	}
	return fmt.Errorf("no response from %s", url)
}
