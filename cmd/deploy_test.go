// This file checks that the files for containers and clusters use settings that the server has.

package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/trust"
)

// settings runs the server as a file says, and returns the settings that it would have.
func settings(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(binaries(t, "edgeserve")["edgeserve"], append(args, "--print-config")...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("edgeserve %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func packaged(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../scripts/package.d", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestDeployFiles: the settings of the service, of compose and of the cluster are the server's.
func TestDeployFiles(t *testing.T) {
	t.Parallel()
	optional := regexp.MustCompile(`(?m)^#([a-z][a-z-]* = )`)
	trustFile := filepath.Join(t.TempDir(), "trust")
	_, public, err := trust.NewKey("news")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(trustFile, []byte("version 1\norigin news\nthreshold 1\nkey "+public+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "edgeserve.conf")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	service := packaged(t, "systemd/edgeserve.conf")
	write(service)
	settings(t, "--config", config)
	write(strings.ReplaceAll(optional.ReplaceAllString(service, "$1"), "/etc/contentedge/trust", trustFile))
	if got := settings(t, "--config", config); !strings.Contains(got, "follow = s3://bucket/prefix") || !strings.Contains(got, "trust = "+trustFile) {
		t.Errorf("with the optional settings of the service: %s", got)
	}

	cluster := packaged(t, "kubernetes/edgeserve.yaml")
	_, text, _ := strings.Cut(cluster, "edgeserve.conf: |\n")
	text, _, _ = strings.Cut(text, "---\n")
	write(strings.ReplaceAll(text, "    ", ""))
	if got := settings(t, "--config", config); !strings.Contains(got, "drain-delay = 5s") || !strings.Contains(got, "admin = :9090") {
		t.Errorf("in the cluster: %s", got)
	}

	command := regexp.MustCompile(`(?m)^    command: \[(.*)\]$`).FindStringSubmatch(packaged(t, "compose/compose.yaml"))
	if command == nil {
		t.Fatal("compose.yaml has no command")
	}
	args := strings.Split(strings.ReplaceAll(command[1], `"`, ""), ", ")
	for i, a := range args {
		if strings.HasPrefix(a, "${STORE") {
			args[i] = "s3://bucket/prefix"
		}
	}
	if got := settings(t, args...); !strings.Contains(got, "follow = s3://bucket/prefix") {
		t.Errorf("in a container: %s", got)
	}
}
