// These tests run the command as from a shell, and check its usage.

package main

import (
	"fmt"
	"strings"
	"testing"

	"contentedge/cmd/scripttest"
)

func TestMain(m *testing.M) { scripttest.Main(m, "generator", main) }

// TestScripts runs testdata/script. Standard error ends in the line of a refusal if, and only if,
// the exit status says that content is refused.
func TestScripts(t *testing.T) {
	scripttest.Run(t, "generator", func(status int, stderr string) error {
		lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
		last := lines[len(lines)-1]
		if strings.HasPrefix(last, refusedLine) != (status == exitContent) {
			return fmt.Errorf("exit status %d with the last line %q", status, last)
		}
		return nil
	})
}
