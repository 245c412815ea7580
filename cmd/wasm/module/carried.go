// This file is for the generator of a package, which carries the module.

//go:build contentedge_wasm

package module

import (
	"context"
	_ "embed"

	"contentedge/edgeserve/wire/contentcoding"
)

// carried is the compressed module. Packages write the file before they build the generator.
//
//go:embed contentedge.wasm.br
var carried []byte

// maxModule is above the size of the module in bytes.
const maxModule = 64 << 20

func webAssembly(context.Context) ([]byte, error) {
	return contentcoding.Decode(contentcoding.Brotli, carried, maxModule)
}
