package main

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// resultsOf makes results of mutants of packages: "p x" survives, "p x by q" is killed by the tests of q.
func resultsOf(lines ...string) (all []result) {
	for _, line := range lines {
		f := strings.Fields(line)
		r := result{mutant: &mutant{pkg: f[0], function: "f", operator: "negate", text: f[1], number: 1}}
		if len(f) == 4 {
			r.killed, r.by = true, f[3]
		}
		all = append(all, r)
	}
	return all
}

const ledgerText = "# comment\n\npackage p sample 3\np f negate `x` 1\tequivalent\np f negate `y` 1\tspeed\n\npackage q sample 0\n"

func ledgerOf(t *testing.T, text string) (*ledger, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "alive.txt")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return readLedger(file)
}

// TestJudge compares runs with a ledger of the packages p and q.
func TestJudge(t *testing.T) {
	for name, tt := range map[string]struct {
		results  []result
		complete map[string]int
		ok       bool
		says     string
	}{
		"as listed":                          {resultsOf("p x", "p y", "p z by p", "q a by q"), map[string]int{"p": 3, "q": 0}, true, ""},
		"a new survivor":                     {resultsOf("p x", "p y", "p z"), map[string]int{"p": 3}, false, "survives: p/:0: p f negate `z` 1\n"},
		"a new survivor, not to the end":     {resultsOf("p z"), nil, false, "survives: p/:0: p f negate `z` 1\n"},
		"killed by an importing package":     {resultsOf("p x by q", "p y"), map[string]int{"p": 3}, true, ""},
		"new, killed by an importer":         {resultsOf("p x", "p y", "p z by q"), map[string]int{"p": 3}, true, ""},
		"killed by its own":                  {resultsOf("p x by p", "p y"), map[string]int{"p": 3}, false, "killed: remove this line from the ledger: p f negate `x` 1\n"},
		"not drawn":                          {resultsOf("p x"), map[string]int{"p": 3}, false, "not drawn any more: remove this line from the ledger: p f negate `y` 1\n"},
		"not drawn, as the time is over":     {resultsOf("p x"), nil, true, ""},
		"not drawn in another sample":        {resultsOf("p x"), map[string]int{"p": 1}, true, ""},
		"a package that the ledger lacks":    {resultsOf("r a", "r b", "r c by r"), map[string]int{"r": 3}, true, "2 survivors do not count: the ledger does not list r: scripts/mutants --sample 12 --importers=false --update ./r adds it\n"},
		"one that it lacks, one that it has": {resultsOf("r a", "p z"), nil, false, "1 survivors do not count"},
		"nothing":                            {nil, nil, true, ""},
	} {
		l, err := ledgerOf(t, ledgerText)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		needless := strings.HasPrefix(tt.says, "killed") || strings.HasPrefix(tt.says, "not drawn")
		if ok := l.judge(io.Discard, tt.results, tt.complete, false); ok != (tt.ok || needless) {
			t.Errorf("%s: %v unless strict", name, ok)
		}
		if ok := l.judge(&out, tt.results, tt.complete, true); ok != tt.ok || !strings.Contains(out.String(), tt.says) || tt.says == "" && out.Len() > 0 {
			t.Errorf("%s: %v\n%s", name, ok, out.String())
		}
	}
}

// TestOnly leaves the packages out that the ledger does not list, and says so.
func TestOnly(t *testing.T) {
	l, err := ledgerOf(t, ledgerText)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	list := l.only(&out, []*pkg{{ImportPath: modulePath + "/r"}, {ImportPath: modulePath + "/q"}, {ImportPath: modulePath + "/s"}})
	if len(list) != 1 || list[0].short() != "q" || strings.Count(out.String(), "left out: the ledger does not list ") != 2 || !strings.Contains(out.String(), "--update ./s") {
		t.Errorf("%v\n%s", list, out.String())
	}
}

// TestUpdate writes the survivors of the packages that were tested to the end, and keeps the reasons and the others.
func TestUpdate(t *testing.T) {
	l, err := ledgerOf(t, ledgerText)
	if err != nil {
		t.Fatal(err)
	}
	l.update(resultsOf("p x", "p z", "p y by p", "p w by q", "q a", "r b"), map[string]int{"p": 4, "r": 12})
	file := filepath.Join(t.TempDir(), "alive.txt")
	if err := l.write(file); err != nil {
		t.Fatal(err)
	}
	got, err := readLedger(file)
	if err != nil {
		t.Fatal(err)
	}
	want := &ledger{map[string]int{"p": 4, "q": 0, "r": 12}, map[string]string{"p f negate `x` 1": "equivalent", "p f negate `z` 1": unread, "p f negate `w` 1": unread, "r f negate `b` 1": unread}}
	if !maps.Equal(got.samples, want.samples) || !maps.Equal(got.alive, want.alive) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestReadLedger refuses lines that say too little.
func TestReadLedger(t *testing.T) {
	if l, err := readLedger(filepath.Join(t.TempDir(), "none")); err != nil || len(l.samples)+len(l.alive) > 0 {
		t.Errorf("without a file: %+v, %v", l, err)
	}
	for text, want := range map[string]string{
		"package p sample 3\np f negate `x` 1\n":          "alive.txt:2: a tab separates",
		"package p sample 3\np f negate `x` 1\t \n":       "alive.txt:2: a tab separates",
		"package p sample 3\n\nq f negate `x` 1\tspeed\n": "alive.txt:3: a mutant follows the line of its package",
		"package p sample x\n":                            "alive.txt:1: a package has one line",
		"package p sample -1\n":                           "alive.txt:1: a package has one line",
		"package p sample 1\npackage p sample 2\n":        "alive.txt:2: a package has one line",
		"package p\n":              "alive.txt:1: a tab separates",
		strings.Repeat("x", 1<<20): "alive.txt:1: a tab separates",
	} {
		if _, err := ledgerOf(t, text); err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 1000 {
			t.Errorf("%.50q: %.300v, want %q", text, err, want)
		}
	}
}

// TestLedger reads the ledger: its packages exist, and each reason is of a known kind.
func TestLedger(t *testing.T) {
	l, err := readLedger("alive.txt")
	if err != nil || len(l.samples) == 0 {
		t.Fatalf("%d packages, %v", len(l.samples), err)
	}
	for pkg := range l.samples {
		if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(pkg))); err != nil {
			t.Errorf("%s: %v: remove the package from the ledger", pkg, err)
		}
	}
	for key, reason := range l.alive {
		kind, _, _ := strings.Cut(reason, ":")
		if kind != "equivalent" && kind != "speed" && kind != "text" {
			t.Errorf("%s: the reason %q begins with neither equivalent, speed nor text", key, reason)
		}
	}
}
