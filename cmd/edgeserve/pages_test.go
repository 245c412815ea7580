package main

import (
	"io"
	"testing"

	"contentedge/cmd/cli/clitest"
)

func TestPages(t *testing.T) {
	clitest.Pages(t, newProgram(io.Discard, io.Discard, nil, nil), "../../edgeserve/FLAGS.md", "../../edgeserve/OPERATION.md", "../../edgeserve/CLUSTER.md")
}
