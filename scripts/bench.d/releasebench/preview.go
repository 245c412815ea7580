// This file measures preview: how long after a save its responses have the edit, how long it
// takes to start, and its memory.

package releasebench

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"bench/corpus"
	"bench/engine"
	"contentedge/edgeserve/listenaddr/freeport"
)

// perFolder is how many items a folder has, one a file, as people have them.
const perFolder = 200

// pause is the time between a response and the next save. People do not save faster.
const pause = time.Second

// edits are the edits of one preview.
type edits struct {
	input
	count int
	lines bool
	dir   string // the content
	files []string
	url   string
	pid   int

	times, cpu []time.Duration
}

// Preview measures edits of single items with the program as users run it, and a build without
// list files.
func Preview(args []string, out io.Writer) error {
	var e edits
	set := flag.NewFlagSet("bench preview", flag.ContinueOnError)
	e.register(set)
	set.IntVar(&e.count, "edits", 20, "number of edits; half change a name, half the longest text of an item")
	set.BoolVar(&e.lines, "lines", false, "keep the items in one NDJSON file, not in a file each")
	if err := e.parse(set, args); err != nil {
		return err
	}
	if e.smoke {
		e.count = 2
	}
	dir, err := os.MkdirTemp("", "bench-preview-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := e.lay(dir); err != nil {
		return err
	}
	var builds []usage
	for range e.runs {
		public := filepath.Join(dir, "public")
		b, err := measured(filepath.Join(e.programs, "generator"), "build", "--content", e.dir, "--out", public, "--lists", "-", "--status", "all")
		if err := errors.Join(err, os.RemoveAll(public)); err != nil {
			return err
		}
		builds = append(builds, b)
	}
	return e.run(medianOf(builds), out)
}

// lay copies the content, which is going to be edited.
func (e *edits) lay(dir string) error {
	e.dir = filepath.Join(dir, "content")
	if e.items == "" {
		if err := os.CopyFS(e.dir, os.DirFS(e.content)); err != nil {
			return err
		}
		return e.list()
	}
	items, err := corpus.Read(e.items)
	if err != nil {
		return err
	}
	if e.lines {
		if _, err := lay(items, dir); err != nil {
			return err
		}
		return e.list()
	}
	for i, item := range items {
		folder := filepath.Join(e.dir, Env, fmt.Sprintf("%03d", i/perFolder))
		var text bytes.Buffer
		err := errors.Join(json.Indent(&text, item, "", "  "), os.MkdirAll(folder, 0o755),
			os.WriteFile(filepath.Join(folder, fmt.Sprintf("item%06d.json", i)), text.Bytes(), 0o644))
		if err != nil {
			return err
		}
	}
	return e.list()
}

// list lists the files with items.
func (e *edits) list() error {
	return filepath.WalkDir(e.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.Contains(filepath.Ext(path), "json") {
			e.files = append(e.files, path)
		}
		return err
	})
}

func (e *edits) run(build usage, out io.Writer) (err error) {
	port, err := freeport.Lend()
	if err != nil {
		return err
	}
	defer port.Return()
	cmd := exec.Command(filepath.Join(e.programs, "preview"), "--content", e.dir, "--addr", port.Addr)
	cmd.Stderr = os.Stderr
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cmd.Process.Signal(syscall.SIGTERM), cmd.Wait()) }()
	e.url, e.pid = "http://"+port.Addr+"/cda/rest/v1/", cmd.Process.Pid
	env, _, _ := strings.Cut(strings.TrimPrefix(e.files[0], e.dir+"/"), "/")
	if err := FirstResponse(e.url+env+"/contents", begin); err != nil {
		return err
	}
	first, cpu := time.Since(begin), e.cpuTime()
	for round := range e.count {
		time.Sleep(pause)
		if err := e.edit(round); err != nil {
			return err
		}
	}
	time.Sleep(restTime)
	anon, file, peak := engine.Memory(strconv.Itoa(e.pid))
	fmt.Fprint(out, "| | median | least | most | CPU, median |\n| --- | ---: | ---: | ---: | ---: |\n")
	slices.Sort(e.times)
	slices.Sort(e.cpu)
	fmt.Fprintf(out, "| save to response, ms | %d | %d | %d | %d |\n", e.times[len(e.times)/2].Milliseconds(), e.times[0].Milliseconds(), e.times[len(e.times)-1].Milliseconds(), e.cpu[len(e.cpu)/2].Milliseconds())
	fmt.Fprintf(out, "| start, ms | %d | | | %d |\n", first.Milliseconds(), cpu.Milliseconds())
	fmt.Fprintf(out, "| build without list files, ms | %d | | | %d |\n", build.wall.Milliseconds(), build.cpu.Milliseconds())
	fmt.Fprintf(out, "| start to build | %.2f | | | %.2f |\n\n", ratio(first, build.wall), ratio(cpu, build.cpu))
	fmt.Fprintf(out, "%d edits; memory at rest in KiB: %s anonymous, %s of files, peak %s\n", e.count, anon, file, peak)
	return nil
}

// texts are strings of a file that are values, with what is before them.
var (
	texts = regexp.MustCompile(`":\s*"((?:[^"\\]|\\.)*)"`)
	ids   = regexp.MustCompile(`"ContentID":\s*"([^"]+)"`)
	names = regexp.MustCompile(`"Name":\s*"`)
)

// edit changes an item and waits for the response that has the change.
func (e *edits) edit(round int) error {
	path := e.files[(round*2+1)*len(e.files)/(2*e.count)%len(e.files)]
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	from, to := 0, len(text)
	if filepath.Ext(path) != ".json" { // a line in the middle
		from = bytes.LastIndexByte(text[:len(text)*(round+1)/(e.count+1)], '\n') + 1
		to = from + bytes.IndexByte(text[from:], '\n')
	}
	item := text[from:to]
	id, at := ids.FindSubmatch(item), names.FindIndex(item)
	if id == nil || at == nil {
		return fmt.Errorf("%s: no item was found", path)
	}
	place := at[1]
	if round%2 == 1 && bytes.Count(item, []byte(`"ContentID"`)) == 1 {
		place = longest(item)
	}
	mark := fmt.Sprintf("edit%d", time.Now().UnixNano())
	edited := slices.Concat(text[:from+place], []byte(mark+" "), text[from+place:])
	env, _, _ := strings.Cut(strings.TrimPrefix(path, e.dir+"/"), "/")
	cpu := e.cpuTime()
	if err := os.WriteFile(path, edited, 0o644); err != nil {
		return err
	}
	begin := time.Now()
	if err := await(e.url+env+"/contents/"+string(id[1]), mark); err != nil {
		return err
	}
	e.times = append(e.times, time.Since(begin))
	e.cpu = append(e.cpu, e.cpuTime()-cpu)
	return nil
}

// longest is where the longest text of an item begins.
func longest(item []byte) (at int) {
	most := -1
	for _, m := range texts.FindAllSubmatchIndex(item, -1) {
		if n := m[3] - m[2]; n > most && !bytes.HasPrefix(item[m[2]:], []byte("Content_")) {
			at, most = m[2], n
		}
	}
	return at
}

// await asks for a document until it has a text.
func await(url, mark string) error {
	for begin := time.Now(); time.Since(begin) < startLimit; time.Sleep(time.Millisecond) {
		resp, err := http.Get(url)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			return err
		}
		if bytes.Contains(body, []byte(mark)) {
			return nil
		}
	}
	return fmt.Errorf("%s never had the edit", url)
}

// cpuTime returns the CPU time of the preview so far, in ticks of 10 ms.
func (e *edits) cpuTime() time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", e.pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	f := strings.Fields(rest)
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}
