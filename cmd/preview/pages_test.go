package main

import (
	"io"
	"testing"

	"contentedge/cmd/cli/clitest"
)

// TestPages is about the tables of the page.
func TestPages(t *testing.T) {
	clitest.Pages(t, newProgram(io.Discard, io.Discard, nil, nil), "README.md")
}
