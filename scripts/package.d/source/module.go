// This file lets the generator carry the WebAssembly module, which it would build with go in a clone.

package source

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// carried is the file that the generator embeds with the tag carriesModule. The source does not have it.
const (
	carried       = "cmd/wasm/module/contentedge.wasm.gz"
	carriesModule = "contentedge_wasm"
)

// carryModule makes the module, once for all platforms. It returns the arguments of go build by which programs
// carry it.
func (s *Source) carryModule() ([]string, error) {
	overlay := filepath.Join(s.bin, "overlay.json")
	args := []string{"-tags=" + carriesModule, "-overlay=" + overlay}
	if _, err := os.Stat(overlay); err == nil {
		return args, nil
	}
	dir := filepath.Join(s.bin, "module")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	cmd := s.GoFor(Platform{runtime.GOOS, runtime.GOARCH}, "run", "./cmd/generator", "wasm", "--out", dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("generator wasm: %w\n%s", err, out)
	}
	module, err := os.ReadFile(filepath.Join(dir, "contentedge.wasm"))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(module); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	compressed := filepath.Join(dir, filepath.Base(carried))
	if err := os.WriteFile(compressed, b.Bytes(), 0o644); err != nil {
		return nil, err
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(s.Root, filepath.FromSlash(carried)): compressed}})
	if err != nil {
		return nil, err
	}
	return args, os.WriteFile(overlay, text, 0o644)
}
