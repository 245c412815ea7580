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

func TestSizes(t *testing.T) {
	tests := []struct {
		in   string
		want int64 // 0: refused
	}{
		{"1", 1}, {"1024", 1024}, {"2KiB", 2048}, {"2 MiB", 2 << 20}, {"8GiB", 8 << 30}, {"1TiB", 1 << 40},
		{"", 0}, {"0", 0}, {"-1", 0}, {"1.5GiB", 0}, {"8GB", 0}, {"9999999999TiB", 0}, {"KiB", 0},
	}
	for _, tt := range tests {
		var n int64
		if err := readSize(&n)(tt.in); (err == nil) != (tt.want > 0) || n != tt.want {
			t.Errorf("%q: got %d, %v", tt.in, n, err)
		}
	}
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
	addInput(set, new(generator.Config))
	set.VisitAll(func(f *flag.Flag) {
		if !strings.Contains(inputHelp(), "--"+f.Name+" ") {
			t.Errorf("the usage does not mention --%s", f.Name)
		}
	})
}
