// These tests run the scripts in ../testdata/script, which use the command from a
// shell.

package main

import (
	"errors"
	"flag"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"contentedge/generator"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"generator": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  "../testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "cmptrim": cmptrim},
	})
}

// exits runs a command and checks its exit status, and the last line of a refusal: exits 2 generator build …
func exits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND [ARGUMENT…]")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit status %d, want %s", got, args[0])
	}
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile("stderr"), "\n"), "\n")
	if strings.HasPrefix(lines[len(lines)-1], refusedLine) != (got == exitContent) {
		ts.Fatalf("exit status %d with the last line %q", got, lines[len(lines)-1])
	}
}

// cmptrim compares two files, the first without the line end that a command printed.
func cmptrim(ts *testscript.TestScript, _ bool, args []string) {
	if got := strings.TrimSuffix(ts.ReadFile(args[0]), "\n"); got != ts.ReadFile(args[1]) {
		ts.Fatalf("%s differs from %s: %s", args[0], args[1], got)
	}
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
