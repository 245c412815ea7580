// These tests run their own test binary again, as a program that panics.

package crash

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// panics are ways to panic, by name.
var panics = map[string]func(){
	"main": func() {
		defer Exit()
		panic("a fault")
	},
	"goroutine": func() {
		var wg sync.WaitGroup
		wg.Go(func() {
			defer Exit()
			panic("a fault")
		})
		wg.Wait()
	},
	"guarded": func() { Guarded(func() { panic("a fault") })() },
	"error":   func() { Guarded(func() { panic(errors.New("a fault")) })() },
	"nil map": func() { Guarded(func() { var m map[string]int; m["a"] = len("a fault") })() },
	"none":    func() { Guarded(func() {})() },
}

const variable = "TEST_CONTENTEDGE_PANIC"

func TestMain(m *testing.M) {
	if run := panics[os.Getenv(variable)]; run != nil {
		run()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestExit(t *testing.T) {
	for name := range panics {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), variable+"="+name)
		out, err := cmd.CombinedOutput()
		if name == "none" {
			if err != nil || len(out) > 0 {
				t.Errorf("no panic: %v, %s", err, out)
			}
			continue
		}
		if cmd.ProcessState.ExitCode() != Code || !strings.HasPrefix(string(out), "panic: ") || !strings.Contains(string(out), "crash_test.go:") {
			t.Errorf("%s: %v, %s", name, err, out)
		}
	}
}
