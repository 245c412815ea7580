// This file is for the generator of a package, which carries the module.

//go:build contentedge_wasm

package module

import (
	"context"
	_ "embed"

	"contentedge/edgeserve/wire/compression"
	"contentedge/edgeserve/wire/contentcoding"
)

// carried is the compressed module. The file is not in the repository: scripts/package builds the generator with an
// overlay that has it.
//
//go:embed contentedge.wasm.gz
var carried []byte

// maxModule is above the size of the module in bytes.
const maxModule = 64 << 20

func webAssembly(context.Context) ([]byte, error) {
	return compression.Decode(contentcoding.Gzip, carried, maxModule)
}
