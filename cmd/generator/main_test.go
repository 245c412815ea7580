// These tests run the command as from a shell, and check its usage.

package main

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"contentedge/cmd/scripttest"
	"contentedge/generator"
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

func TestUsageNamesEveryFlag(t *testing.T) {
	for _, cmd := range commands {
		var out strings.Builder
		if err := cmd.run(t.Context(), []string{"--help"}, console{&out, &out}); err == nil {
			t.Errorf("%s --help ran the command", cmd.name)
		}
		if !strings.HasPrefix(out.String(), "Usage: generator "+cmd.name) {
			t.Errorf("%s --help printed %q", cmd.name, out.String())
		}
	}
	set := flag.NewFlagSet("", flag.ContinueOnError)
	addInput(set, new(generator.BuildConfig))
	set.VisitAll(func(f *flag.Flag) {
		if !strings.Contains(inputHelp(), "--"+f.Name+" ") {
			t.Errorf("the usage does not mention --%s", f.Name)
		}
	})
}
