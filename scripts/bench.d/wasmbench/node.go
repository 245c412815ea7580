// This file runs the measurements in Node, each in a new process.

package wasmbench

import (
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed node
var scripts embed.FS

// inNode runs a script with what work describes, and reads what it prints.
func (w *work) inNode(script string, into any, args ...string) error {
	if err := os.CopyFS(w.Scratch, scripts); err != nil && !os.IsExist(err) {
		return err
	}
	text, err := json.Marshal(w)
	if err != nil {
		return err
	}
	file := filepath.Join(w.Scratch, "work.json")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return err
	}
	cmd := exec.Command("node", append([]string{filepath.Join(w.Scratch, "node", script), file}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", script, err)
	}
	if err := json.Unmarshal(out, into); err != nil {
		return fmt.Errorf("%s: %w in %.300s", script, err, out)
	}
	return nil
}

// sizes are bytes of what a browser fetches.
type sizes struct {
	Module, ModuleBrotli, ModuleGzip            int64
	Snapshot, SearchOnly, SearchOnlyBrotli      int64
	NodeVersion, PagefindVersion, SQLiteVersion string
}

// first is a first answer in a new process, and searches after it.
type first struct {
	Bytes   int64   // fetched until the answer, compressed
	Files   int     // fetched
	Took    float64 // milliseconds until the answer, without the network
	Worked  float64 // milliseconds of processor time until it
	CPU     float64 // microseconds of a later search
	Wall    float64
	Memory  int64 // bytes of the WebAssembly memory at the end
	Process int64 // bytes by which the resident memory of Node grew
	Hits    int   // of the first word
	// Only of contentedge:
	Compile, Initialize, Open, Answer float64 // milliseconds of Took
}

// whole is a process with the whole snapshot.
type whole struct {
	Families map[string]timing
	Memory   int64 // bytes of the WebAssembly memory at the end
}
