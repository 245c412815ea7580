// This file notes what a release was made of, so that the next process reads and writes only what changed.

package generator

import (
	"encoding/json"
	"os"
	"sync"

	"contentedge/generator/checksums"
	"contentedge/generator/output"
)

// inputsFormat is the version of the note.
const inputsFormat = 1

// inputs are what the current release was made of.
type inputs struct {
	Format  int    `json:"format"`
	Program string `json:"program"` // its digest: other programs may make other bytes of the same content
	Build   string `json:"build"`   // the release
}

// program returns a digest of the running program; "" if it cannot be read.
var program = sync.OnceValue(func() string {
	path := "/proc/self/exe" // of Linux: the file itself, though another may have its name now
	f, err := os.Open(path)
	if err != nil {
		if path, err = os.Executable(); err == nil {
			f, err = os.Open(path)
		}
	}
	if err != nil {
		return ""
	}
	defer f.Close()
	_, sum, err := checksums.Digest(f)
	if err != nil {
		return ""
	}
	return sum
})

// readInputs returns the note of a release that this program made; nil if there is none of it.
func readInputs(out string) *inputs {
	var in inputs
	if json.Unmarshal(output.Inputs(out), &in) != nil || in.Format != inputsFormat || in.Program == "" || in.Program != program() {
		return nil
	}
	return &in
}

// write notes what a release was made of.
func (in *inputs) write(tx *output.Tx) {
	if in.Program == "" {
		return
	}
	if b, err := json.Marshal(in); err == nil {
		tx.WriteInputs(b)
	}
}
