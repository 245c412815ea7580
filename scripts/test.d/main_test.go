package main

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestProgress shows what people read of the events of a run.
func TestProgress(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events string
		want   string
		fails  bool

		permitted ledger
		slow      *slowTable
	}{
		{
			name: "a package that passes is a line, without its output",
			events: `
				{"Action":"start","Package":"contentedge/generator/plan"}
				{"Action":"output","Package":"contentedge/generator/plan","Test":"TestPlan","Output":"    plan_test.go:7: a note\n"}
				{"Action":"pass","Package":"contentedge/generator/plan","Test":"TestPlan/empty"}
				{"Action":"pass","Package":"contentedge/generator/plan","Test":"TestPlan"}
				{"Action":"output","Package":"contentedge/generator/plan","Output":"PASS\n"}
				{"Action":"output","Package":"contentedge/generator/plan","Output":"ok  \tcontentedge/generator/plan\t(cached)\n"}
				{"Action":"pass","Package":"contentedge/generator/plan","Elapsed":1.25}`,
			want: `
				ok    generator/plan                          1.2 s  1 test (cached)
				all passed: 1 test in 1 package, 0 s; 0 packages without tests`,
		},
		{
			name: "a failure comes with its output, and not with that of other tests",
			events: `
				{"Action":"output","Package":"contentedge/cmd","Test":"TestA","Output":"    a_test.go:7: fine\n"}
				{"Action":"pass","Package":"contentedge/cmd","Test":"TestA"}
				{"Action":"output","Package":"contentedge/cmd","Test":"TestB","Output":"=== RUN   TestB\n"}
				{"Action":"output","Package":"contentedge/cmd","Test":"TestB","Output":"    b_test.go:8: wrong\n"}
				{"Action":"fail","Package":"contentedge/cmd","Test":"TestB"}
				{"Action":"output","Package":"contentedge/cmd","Output":"exit status 1\n"}
				{"Action":"fail","Package":"contentedge/cmd","Elapsed":3}`,
			want: `
				    b_test.go:8: wrong
				exit status 1
				FAIL  cmd                                     3.0 s  2 tests, 1 failed
				1 package failed: 2 tests in 1 package, 0 s; 0 packages without tests`,
			fails: true,
		},
		{
			name: "what a test printed before a panic is printed",
			events: `
				{"Action":"output","Package":"contentedge/cmd","Test":"TestA","Output":"panic: no\n"}
				{"Action":"fail","Package":"contentedge/cmd","Elapsed":0}`,
			want: `
				panic: no
				FAIL  cmd                                     0.0 s  0 tests
				1 package failed: 0 tests in 1 package, 0 s; 0 packages without tests`,
			fails: true,
		},
		{
			name: "a package that cannot be compiled fails",
			events: `
				{"ImportPath":"contentedge/cmd","Action":"build-output","Output":"./a.go:1:1: undefined: x\n"}
				{"ImportPath":"contentedge/cmd","Action":"build-fail"}
				{"Action":"output","Package":"contentedge/cmd","Output":"FAIL\tcontentedge/cmd [build failed]\n"}
				{"Action":"fail","Package":"contentedge/cmd","Elapsed":0,"FailedBuild":"contentedge/cmd"}`,
			want: `
				./a.go:1:1: undefined: x
				FAIL	contentedge/cmd [build failed]
				FAIL  cmd                                     0.0 s  0 tests
				1 package failed: 0 tests in 1 package, 0 s; 0 packages without tests`,
			fails: true,
		},
		{
			name: "the last lines say why tests were skipped, a reason a line",
			events: `
				{"Action":"output","Package":"contentedge/cmd","Test":"TestB","Output":"    b_test.go:8: nginx is missing\n"}
				{"Action":"output","Package":"contentedge/cmd","Test":"TestB","Output":"--- SKIP: TestB (0.00s)\n"}
				{"Action":"skip","Package":"contentedge/cmd","Test":"TestB"}
				{"Action":"output","Package":"contentedge/cmd","Test":"TestA/x","Output":"    a_test.go:8: nginx is missing\n"}
				{"Action":"skip","Package":"contentedge/cmd","Test":"TestA/x"}
				{"Action":"skip","Package":"contentedge/cmd","Test":"TestC"}
				{"Action":"pass","Package":"contentedge/cmd","Test":"TestA"}
				{"Action":"pass","Package":"contentedge/cmd","Elapsed":1}
				{"Action":"output","Package":"contentedge/edgeserve/crash","Output":"?   \tcontentedge/edgeserve/crash\t[no test files]\n"}
				{"Action":"skip","Package":"contentedge/edgeserve/crash","Elapsed":0}`,
			want: `
				ok    cmd                                     1.0 s  3 tests, 3 skipped
				skipped: cmd TestC: it does not say why
				skipped: cmd TestA/x, cmd TestB: nginx is missing
				all passed: 3 tests in 1 package, 0 s; 1 package without tests`,
		},
		{
			name: "of many subtests that are skipped a few are named",
			events: `
				{"Action":"output","Package":"contentedge/cmd","Test":"TestA/1","Output":"    a_test.go:8: no 1\n"}
				{"Action":"skip","Package":"contentedge/cmd","Test":"TestA/1"}
				{"Action":"skip","Package":"contentedge/cmd","Test":"TestA/2"}
				{"Action":"skip","Package":"contentedge/cmd","Test":"TestA/3"}
				{"Action":"skip","Package":"contentedge/cmd","Test":"TestA/4"}
				{"Action":"skip","Package":"contentedge/cmd","Test":"TestA/5"}
				{"Action":"pass","Package":"contentedge/cmd","Test":"TestA"}
				{"Action":"pass","Package":"contentedge/cmd","Elapsed":1}`,
			want: `
				ok    cmd                                     1.0 s  1 test, 5 skipped
				skipped: cmd TestA/2, cmd TestA/3: it does not say why
				skipped: cmd TestA/1: no 1
				skipped: cmd TestA: 2 more subtests
				all passed: 1 test in 1 package, 0 s; 0 packages without tests`,
		},
		{
			name: "a filter that matches no test fails",
			events: `
				{"Action":"output","Package":"contentedge/cmd","Output":"ok  \tcontentedge/cmd\t0.1s [no tests to run]\n"}
				{"Action":"pass","Package":"contentedge/cmd","Elapsed":0.1}`,
			want:  "no test ran: 0 tests in 0 packages, 0 s; 1 package without tests",
			fails: true,
		},
		{
			name: "a skip that the ledger does not permit fails",
			events: `
				{"Action":"output","Package":"contentedge/cmd","Test":"TestA","Output":"    a_test.go:8: needs root\n"}
				{"Action":"skip","Package":"contentedge/cmd","Test":"TestA"}
				{"Action":"output","Package":"contentedge/cmd","Test":"TestB","Output":"    a_test.go:9: nginx is missing\n"}
				{"Action":"skip","Package":"contentedge/cmd","Test":"TestB"}
				{"Action":"pass","Package":"contentedge/cmd","Elapsed":1}`,
			want: `
				ok    cmd                                     1.0 s  2 tests, 2 skipped
				skipped: cmd TestA: needs root
				skipped: cmd TestB: nginx is missing
				skipped, which scripts/test.d/skips.txt does not permit: cmd TestB: nginx is missing
				1 test must not be skipped: 2 tests in 1 package, 0 s; 0 packages without tests`,
			fails:     true,
			permitted: mustRead(t, "# rights\ncmd Test.*  needs root\n"),
		},
		{
			name: "the table has the slowest first, tests without subtests, and packages without those that have no test",
			events: `
				{"Action":"pass","Package":"contentedge/cmd","Test":"TestA","Elapsed":1.25}
				{"Action":"pass","Package":"contentedge/cmd","Test":"TestB/x","Elapsed":9}
				{"Action":"fail","Package":"contentedge/cmd","Test":"TestB","Elapsed":9.5}
				{"Action":"pass","Package":"contentedge/edgeserve/wire","Test":"TestA","Elapsed":1.25}
				{"Action":"fail","Package":"contentedge/cmd","Elapsed":10}
				{"Action":"pass","Package":"contentedge/edgeserve/wire","Elapsed":12}
				{"Action":"skip","Package":"contentedge/edgeserve/crash","Elapsed":0}`,
			want: `
				FAIL  cmd                                    10.0 s  2 tests, 1 failed
				ok    edgeserve/wire                         12.0 s  1 test
				1 package failed: 3 tests in 2 packages, 0 s; 1 package without tests

				| package | s | test | s |
				|---|--:|---|--:|
				| ` + "`edgeserve/wire` | 12.0 | `cmd TestB` | 9.5 |" + `
				| ` + "`cmd` | 10.0 | `cmd TestA` | 1.2 |" + `
				|  |  | ` + "`edgeserve/wire TestA` | 1.2 |",
			fails: true,
			slow:  &slowTable{},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			all := newTotals()
			all.permitted, all.slow = tt.permitted, tt.slow
			ok, err := progress(strings.NewReader(unindent(tt.events)), &out, func() time.Time { return time.Time{} }, all)
			if err != nil || ok == tt.fails {
				t.Errorf("ok %v, %v", ok, err)
			}
			if got, want := out.String(), unindent(tt.want)+"\n"; got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// unindent takes the line break before a text off, and the four tabs before its lines.
func unindent(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, "\n"), "\t\t\t\t", "")
}

func mustRead(t *testing.T, text string) ledger {
	t.Helper()
	l, err := readLedger(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestLedger holds the ledger to what it is for: rights and other systems, and no program that CI installs.
func TestLedger(t *testing.T) {
	l := mustRead(t, skipsText)
	for why, want := range map[string]bool{
		"needs root":                                                       true,
		"no overlay can be mounted here: EPERM":                            true,
		"deno is not installed":                                            true,
		"nginx is not installed: it is not tested here":                    false,
		"no chromium on this machine: the page is not tested in a browser": false,
		"no S3 service: install it with scripts/versitygw":                 false,
		"TEST_CONTENTEDGE_NPM names no directory with typescript installed: TypeScript is not compiled": false,
		"no promtool: the alerts are not run": false,
		"":                                    false,
	} {
		if got := l.permits("cmd TestX", why); got != want {
			t.Errorf("%q: %v", why, got)
		}
	}
	for text, want := range map[string]string{"cmd TestA": "skips.txt:1: two spaces", "\n(  x": "skips.txt:2: "} {
		if _, err := readLedger(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestSlowTable holds the table to its rows, in any order of the events.
func TestSlowTable(t *testing.T) {
	var s slowTable
	for i := range 3 * maxSlow {
		s.add(&event{Package: "p", Test: fmt.Sprintf("Test%02d", i), Elapsed: float64(i * 7 % (3 * maxSlow))})
	}
	if len(s.tests) != maxSlow || len(s.packages) != 0 {
		t.Fatalf("%d tests and %d packages", len(s.tests), len(s.packages))
	}
	for i, got := range s.tests {
		if want := float64(3*maxSlow - 1 - i); got.seconds != want {
			t.Errorf("row %d has %v s and not %v", i, got.seconds, want)
		}
	}
}
