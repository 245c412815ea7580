// Package scripttest runs the scripts that test a command as its users run it. A script is a txtar
// file in testdata/script of the command's package: shell-like lines, then the files that they use.
//
// Scripts have the commands of testscript (exec, cmp, stdout, stderr, …) and these:
//
//	exits STATUS COMMAND [ARGUMENT…]                  run a command and check its exit status
//	cmptrim FILE1 FILE2                               compare files, without the line end of the first
//	empty DIR                                         check that a directory is empty
//	items N FILE                                      write an NDJSON file of N items
//	waits N PATTERN                                   wait until N files match
//
// A script runs the command in the background, in one process or several, with:
//
//	start [FLAG…]                                     start it on a free port
//	with NAME                                         select one of several processes
//	says stdout|stderr REGEXP                         wait for a new line that matches
//	silent stdout|stderr                              check that it has no new lines
//	answers PATH STATUS REGEXP                        wait for a response whose body matches
//	header PATH STATUS NAME REGEXP [FIELD: VALUE]…    wait for a response whose field matches
//	hangs                                             connect a client that sends half a request
//	quits SIGNAL…                                     once it is up, send signals: it must exit with 0
//	ends SIGNAL…                                      the same at any time
//	dies                                              kill it
package scripttest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// Patience is how long a test waits for something that takes milliseconds.
const Patience = time.Minute

// Main runs the tests of a package whose scripts use the command name, which is the test binary
// itself. Its TestMain calls it.
func Main(m *testing.M, name string, main func()) {
	testscript.Main(m, map[string]func(){name: main})
}

// Run runs the scripts in testdata/script. Scripts start the command name. The function exited, if
// it is not nil, checks what "exits" left on standard error, and returns what is wrong with it.
func Run(t *testing.T, name string, exited func(status int, stderr string) error) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Values[processesKey{}] = &processes{command: name, byName: map[string]*process{}}
			e.Setenv("TMPDIR", e.WorkDir+"/tmp")
			return os.Mkdir(e.WorkDir+"/tmp", 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   func(ts *testscript.TestScript, _ bool, args []string) { exits(ts, args, exited) },
			"cmptrim": cmptrim, "empty": empty, "items": items, "waits": waits,
			"start": start, "with": with, "says": says, "silent": silent, "answers": answers, "header": header,
			"hangs": hangs, "quits": quits, "ends": ends, "dies": dies,
		},
	})
}

func exits(ts *testscript.TestScript, args []string, exited func(status int, stderr string) error) {
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
	if exited != nil {
		ts.Check(exited(got, ts.ReadFile("stderr")))
	}
}

func cmptrim(ts *testscript.TestScript, _ bool, args []string) {
	if got := strings.TrimSuffix(ts.ReadFile(args[0]), "\n"); got != ts.ReadFile(args[1]) {
		ts.Fatalf("%s differs from %s: %s", args[0], args[1], got)
	}
}

func empty(ts *testscript.TestScript, _ bool, args []string) {
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(entries) > 0 {
		ts.Fatalf("%s holds %v", args[0], entries)
	}
}

func items(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"ContentID":"Content_00000000-0000-4000-8000-%012d","Name":"Item %d","TemplateName":"Page","CreatedAt":"2026-01-02T00:00:00Z"}`+"\n", i, i)
	}
	file := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o755))
	ts.Check(os.WriteFile(file, []byte(b.String()), 0o644))
}

func waits(ts *testscript.TestScript, _ bool, args []string) {
	for begin := time.Now(); ; pause(ts, begin, "there are no "+strings.Join(args, " "), of(ts)) {
		found, err := filepath.Glob(ts.MkAbs(args[1]))
		ts.Check(err)
		if strconv.Itoa(len(found)) == args[0] {
			return
		}
	}
}
