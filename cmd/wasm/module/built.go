// This file is for programs that are built in a clone.

//go:build !contentedge_wasm

package module

import "context"

// webAssembly builds the module: programs that are built in a clone do not carry it.
func webAssembly(ctx context.Context) ([]byte, error) { return Build(ctx, ".") }
