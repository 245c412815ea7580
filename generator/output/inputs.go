// This file keeps a note next to the releases: what the current release was made of.
//
//	out/releases/.inputs       a digest of the rest, and text that output does not interpret
//
// The note only saves time. A note that is damaged, or that another program wrote, is ignored.

package output

import (
	"bytes"
	"io"
	"os"
	"path/filepath"

	"contentedge/edgeserve/wire/release"
)

const (
	inputsName = ".inputs"
	// inputsMode keeps the note from readers of the releases: it names content that they do not have.
	inputsMode = 0o600
	// maxInputs is a kilobyte for each of 65,536 environments.
	maxInputs = 64 << 20
)

// Inputs reads the note in an output directory. It returns nil if the note is missing or damaged.
func Inputs(out string) []byte {
	f, err := os.Open(filepath.Join(out, release.ReleasesDir, inputsName))
	if err != nil {
		return nil
	}
	defer f.Close() // only read from
	b, err := io.ReadAll(io.LimitReader(f, maxInputs+1))
	sum, text, ok := bytes.Cut(b, []byte("\n"))
	if err != nil || !ok || len(b) > maxInputs || string(sum) != release.HexSHA256(text) {
		return nil
	}
	return text
}

// WriteInputs replaces the note. Where a directory has its name it warns: each build then reads everything.
func (t *Tx) WriteInputs(text []byte) error {
	path := filepath.Join(t.out, release.ReleasesDir, inputsName)
	if bytes.Equal(Inputs(t.out), text) || len(text) > maxInputs-len(release.HexSHA256(nil))-1 {
		return nil
	}
	if fi, err := os.Lstat(path); err == nil && fi.IsDir() {
		t.warn(path, "this directory is in the way of a note", "remove it: without the note each build reads all content")
		return nil
	}
	temp := filepath.Join(t.out, release.ReleasesDir, release.TempPrefix+"inputs")
	err := os.WriteFile(temp, append([]byte(release.HexSHA256(text)+"\n"), text...), inputsMode)
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp) // err is the one to report; the next build removes what stays
	}
	return err
}
