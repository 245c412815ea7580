package main

import (
	"io"
	"testing"

	"contentedge/cmd/cli/clitest"
)

// TestPages compares the tables of flags in the pages with the definitions.
func TestPages(t *testing.T) {
	clitest.Pages(t, newProgram(console{io.Discard, io.Discard}), "../../generator/FLAGS.md", "../../generator/PULL.md", "../../generator/IMPORT-FLAGS.md", "../../generator/IMPORT-MARKDOWN.md", "../../generator/STORE.md", "../../generator/STATIC-SEARCH.md", "../../generator/TYPES.md", "../../generator/JOIN.md", "../../generator/LOAD.md", "../wasm/README.md")
}
