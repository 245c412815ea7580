// These tests run the command as from a shell, and check its usage.

package main

import (
	"fmt"
	"strings"
	"testing"

	"contentedge/cmd/scripttest"
	"contentedge/edgeserve/exitcode"
)

func TestMain(m *testing.M) { scripttest.Main(m, "generator", main) }

// TestScripts runs testdata/script. Standard error ends in the line of a refusal if, and only if,
// the exit status says that content is refused.
func TestScripts(t *testing.T) {
	scripttest.Run(t, "generator", func(status int, stderr string) error {
		lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
		last := lines[len(lines)-1]
		if strings.HasPrefix(last, refusedLine) != (status == exitcode.Content) {
			return fmt.Errorf("exit status %d with the last line %q", status, last)
		}
		return nil
	})
}

// TestHelps expects a help on standard output, with an example, of each command.
func TestHelps(t *testing.T) {
	for _, name := range commandNames() {
		var out, problems strings.Builder
		if err := dispatch(t.Context(), append(strings.Fields(name), "--help"), console{&out, &problems}); err != nil || problems.String() != "" {
			t.Errorf("%s: %v %s", name, err, problems.String())
		}
		text := out.String()
		if !strings.HasPrefix(text, "Usage: generator "+name+" ") || !strings.Contains(text, "\nExamples:\n") || !strings.Contains(text, "  generator "+name) {
			t.Errorf("%s --help:\n%s", name, text)
		}
	}
}
