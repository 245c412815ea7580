// Package module holds the files by which JavaScript uses the engine: the WebAssembly module, the code that
// calls its functions, and their types.
package module

import (
	"context"
	_ "embed"
)

// Names of the files.
const (
	WebAssembly = "contentedge.wasm"
	Script      = "contentedge.mjs"
	Types       = "contentedge.d.mts"
)

//go:embed contentedge.mjs
var script []byte

//go:embed contentedge.d.mts
var types []byte

// File is a file of a directory from which JavaScript imports the engine.
type File struct {
	Name string
	Body []byte
}

// Files returns the three files. Programs of a package carry the module; in a clone go builds it.
func Files(ctx context.Context) ([]File, error) {
	wasm, err := webAssembly(ctx)
	if err != nil {
		return nil, err
	}
	return []File{{WebAssembly, wasm}, {Script, script}, {Types, types}}, nil
}
