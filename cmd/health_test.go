package cmd

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/edgeserve/listenaddr/freeport"
	"contentedge/edgeserve/wire/store/storetest"
)

// TestHealthCommand asks a server as a container asks itself: by the same variables, with nothing else.
func TestHealthCommand(t *testing.T) {
	bin := binaries(t, "generator", "edgeserve")
	public := filepath.Join(t.TempDir(), "public")
	buildSite(t, bin["generator"], "../content", public)
	variables := []string{"CONTENTEDGE_PUBLIC=" + public, "CONTENTEDGE_ADDR=" + freeport.Addr(t), "CONTENTEDGE_ADMIN=" + freeport.Addr(t)}
	health := func() (out string, status int) {
		c := exec.Command(bin["edgeserve"], "health")
		c.Env = variables
		text, err := c.CombinedOutput()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return string(text), exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		return string(text), 0
	}
	if out, status := health(); status != 1 {
		t.Errorf("before the start: %d, %s", status, out)
	}
	server := exec.Command(bin["edgeserve"])
	server.Env = append(os.Environ(), variables...)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Process.Kill(); _ = server.Wait() }()
	storetest.WaitFor(t, "the server to be healthy", func() bool {
		out, status := health()
		return status == 0 && strings.Contains(out, "build")
	})
}
