package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sample is a program with the kinds of flags and commands that there are.
type sample struct {
	name    string
	origins []string
	poll    time.Duration
	size    int64
	log     bool
	token   string
	dry     bool
	keep    int
	rest    []string

	ran string // what ran, with its arguments
}

func (s *sample) program() (p *Program, out, problems *bytes.Buffer) {
	*s = sample{name: "public", origins: []string{"*"}, poll: time.Second, size: 64 << 20, keep: 5}
	root := &Command{Name: "tool", Summary: "does things", Long: "Does things."}
	ran := func(what string) func(context.Context, []string) error {
		return func(_ context.Context, args []string) error {
			s.ran = strings.Join(append([]string{what}, args...), " ")
			return nil
		}
	}
	push := &Command{Name: "push", Args: "STORE [BUILD]", Summary: "push a build", Run: ran("push"), AfterDashes: &s.rest,
		Examples: []Example{{"tool push s3://bucket/live", "push the current build"}}}
	g := push.Group("Content")
	g.String(&s.name, "public", "DIR", "directory of the release")
	g.Strings(&s.origins, "cors-origin", "ORIGIN", "origin of pages")
	g.Duration(&s.poll, "poll", "time between polls")
	g.Size(&s.size, "cache-bytes", "memory of the cache")
	g.Func("mode", "MODE", "how", func(string) error { return nil }).Default("fast").Values("fast", "slow")
	g = push.Group("Output")
	g.Bool(&s.log, "access-log", "log requests")
	g.Secret(&s.token, "token", "the token of the store")
	g.Bool(&s.dry, "dry-run", "write nothing").CommandLineOnly()
	g.Bool(new(bool), "insecure", "allow http").Needs("poll")
	gc := &Command{Name: "gc", Args: "STORE", Summary: "remove builds", Run: ran("gc")}
	gc.Group("Output").Bool(new(bool), "access-log", "log requests")
	gc.Group("Content").Int(&s.keep, "keep", "N", "builds that stay")
	root.Commands = []*Command{push, gc}
	out, problems = new(bytes.Buffer), new(bytes.Buffer)
	return &Program{Root: root, Out: out, Err: problems, Formats: []Format{{"manifest", 5}}}, out, problems
}

func (s *sample) run(environ []string, args ...string) (out, problems string, err error) {
	p, o, e := s.program()
	p.Environ = environ
	err = p.Run(context.Background(), args)
	return o.String(), e.String(), err
}

func write(t *testing.T, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "tool.conf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCLI runs command lines with an environment and a file of settings, and checks what the command
// gets, or the error.
func TestCLI(t *testing.T) {
	file := write(t, `# all kinds
public = from file # a comment
cors-origin = "https://a"
cors-origin = https://b
poll = 3s
keep = 7
`)
	var s sample
	for _, c := range []struct {
		name, args string
		environ    string // with ; between variables
		check      func() bool
		want       string // of the error
	}{
		{"defaults", "push s3://b", "", func() bool {
			return s.ran == "push s3://b" && s.name == "public" && s.origins[0] == "*" && s.poll == time.Second && s.size == 64<<20
		}, ""},
		{"flags", "push --public p s3://b --cors-origin x --cors-origin y,z --cache-bytes 1KiB --access-log BUILD", "", func() bool {
			return s.ran == "push s3://b BUILD" && s.name == "p" && strings.Join(s.origins, " ") == "x y,z" && s.size == 1024 && s.log
		}, ""},
		{"variables", "push s3://b", "CONTENTEDGE_PUBLIC=v;CONTENTEDGE_CORS_ORIGIN=x\ny;CONTENTEDGE_ACCESS_LOG=true;CONTENTEDGE_TOKEN=t", func() bool {
			return s.name == "v" && strings.Join(s.origins, " ") == "x y" && s.log && s.token == "t"
		}, ""},
		{"file", "push s3://b --config " + file, "", func() bool {
			return s.name == "from file" && strings.Join(s.origins, " ") == "https://a https://b" && s.poll == 3*time.Second && s.keep == 5
		}, ""},
		{"file of another command", "gc s3://b", "CONTENTEDGE_CONFIG=" + file, func() bool { return s.keep == 7 && s.name == "public" }, ""},
		{"flag over variable over file", "push s3://b --poll 9s", "CONTENTEDGE_CONFIG=" + file + ";CONTENTEDGE_PUBLIC=v;CONTENTEDGE_POLL=8s", func() bool {
			return s.poll == 9*time.Second && s.name == "v" && len(s.origins) == 2
		}, ""},
		{"one dash", "push -public p -access-log s3://b -cors-origin=o", "", func() bool { return s.name == "p" && s.log && s.origins[0] == "o" && s.ran == "push s3://b" }, ""},
		{"a value with a dash", "push --public -poll s3://b", "", func() bool { return s.name == "-poll" && s.poll == time.Second }, ""},
		{"after dashes", "push s3://b -- --full -x", "", func() bool { return s.ran == "push s3://b" && strings.Join(s.rest, " ") == "--full -x" }, ""},
		{"case of words", "push s3://b --mode SLOW", "", func() bool { return s.ran != "" }, ""},

		{"no command", "", "", nil, "no command given"},
		{"typo of a command", "psh s3://b", "", nil, `unknown command "psh"` + "\n  hint: did you mean push? Else run tool --help"},
		{"typo of a flag", "push s3://b --pubic p", "", nil, "unknown flag --pubic\n  hint: did you mean --public? Else run tool push --help"},
		{"unknown with one dash", "push s3://b -nope", "", nil, "unknown flag -nope"},
		{"missing argument", "push", "", nil, "missing argument STORE"},
		{"too many arguments", "push a b c", "", nil, `unexpected argument "c"`},
		{"missing value", "push s3://b --public", "", nil, "--public needs a value: --public DIR"},
		{"invalid value", "push s3://b --poll 3", "", nil, `invalid value "3" for --poll: must be a duration with its unit`},
		{"invalid word", "push s3://b --mode x", "", nil, `invalid value "x" for --mode: must be fast or slow`},
		{"invalid variable", "push s3://b", "CONTENTEDGE_CACHE_BYTES=1.5GB", nil, `$CONTENTEDGE_CACHE_BYTES: invalid value "1.5GB" for cache-bytes: must be a whole number`},
		{"needs", "push s3://b --insecure", "", nil, "--insecure needs --poll"},
		{"needs, by a variable", "push s3://b", "CONTENTEDGE_INSECURE=true", nil, "$CONTENTEDGE_INSECURE: insecure needs poll"},
		{"barred variable", "push s3://b", "CONTENTEDGE_DRY_RUN=true", nil, "$CONTENTEDGE_DRY_RUN: --dry-run can be given on the command line only"},
		{"barred variable of another command", "gc s3://b", "CONTENTEDGE_DRY_RUN=true", nil, "on the command line only"},
		{"secret on the command line", "push s3://b --token t", "", nil, "would show a secret"},
		{"two secrets", "push s3://b", "CONTENTEDGE_TOKEN=t;CONTENTEDGE_TOKEN_FILE=" + file, nil, "is set too"},
		{"an empty name of a file", "push s3://b --config=", "CONTENTEDGE_CONFIG=" + file, nil, `invalid value "" for --config: names no file`},
		{"an empty variable for a file", "push s3://b", "CONTENTEDGE_TOKEN_FILE=", nil, `$CONTENTEDGE_TOKEN_FILE: invalid value "" for token-file: names no file`},
		{"no file", "push s3://b --config none.conf", "", nil, "cannot read the file of settings"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var environ []string
			for v := range strings.SplitSeq(c.environ, ";") {
				environ = append(environ, v)
			}
			_, _, err := s.run(environ, strings.Fields(c.args)...)
			_, usage := errors.AsType[*UsageError](err)
			switch {
			case c.want == "" && (err != nil || !c.check()):
				t.Errorf("%+v, %v", s, err)
			case c.want != "" && (!usage || !strings.Contains(err.Error(), c.want) || s.ran != ""):
				t.Errorf("got %v, want %s; ran %q", err, c.want, s.ran)
			}
		})
	}
}

// TestFaultsOfFiles expects all faults of a file at once, with their lines.
func TestFaultsOfFiles(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"public p", ":1: the line is not NAME = VALUE"},
		{"\n--public = p", ":2: unknown setting --public: did you mean public?"},
		{"pubic = p\npoll = x", ":1: unknown setting pubic: did you mean public?\nFILE:2: invalid value \"x\" for poll"},
		{"public = a\n\npublic = b", ":3: public is set in line 1 already"},
		{"dry-run = true", ":1: dry-run can be given on the command line only"},
		{"config = x", ":1: unknown setting config"},
		{`public = "a`, `:1: a value that begins with "`},
		{`public = "a" b`, ":1: text follows the closing quote"},
		{"public = \xff", ":1: the line is not text in UTF-8"},
		{"token = t\ntoken-file = f", ":2: line 1 sets token: give only one"},
		{strings.Repeat("x\n", 30), "and 10 more"},
		{strings.Repeat("#", maxFile+1), "is longer than"},
	} {
		var s sample
		path := write(t, c.text)
		_, _, err := s.run(nil, "push", "s3://b", "--config", path)
		if want := strings.ReplaceAll(c.want, "FILE", path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: got %v, want %s", c.text, err, want)
		}
	}
}

// TestPrintConfig reads the printed settings back: they are the same, but for the secret, which is
// not printed.
func TestPrintConfig(t *testing.T) {
	var s sample
	file := write(t, "cors-origin = https://a\ncors-origin = \" # \\\"\\n\"\n")
	printed, _, err := s.run([]string{"CONTENTEDGE_POLL=9s", "CONTENTEDGE_TOKEN=hush"}, "push", "--config", file, "--public", "x y", "--print-config")
	if err != nil || s.ran != "" {
		t.Fatalf("%v, ran %q", err, s.ran)
	}
	want := strings.ReplaceAll(`# Content
public = x y  # flag
cors-origin = https://a  # FILE:1
cors-origin = " # \"\n"  # FILE:2
poll = 9s  # $CONTENTEDGE_POLL
# cache-bytes = 64MiB  # default
# mode = fast  # default

# Output
# access-log = false  # default
# token = (hidden)  # $CONTENTEDGE_TOKEN
# token-file =  # default
# insecure = false  # default
`, "FILE", file)
	if printed != want {
		t.Errorf("got\n%s\nwant\n%s", printed, want)
	}
	first := s
	if _, _, err := s.run(nil, "push", "s3://b", "--config", write(t, printed)); err != nil {
		t.Fatal(err)
	}
	if s.name != first.name || strings.Join(s.origins, "|") != strings.Join(first.origins, "|") || s.poll != first.poll || s.token != "" {
		t.Errorf("read back: %+v, printed: %+v", s, first)
	}
}

func TestWarnings(t *testing.T) {
	var s sample
	for _, c := range []struct{ args, environ, want string }{
		{"push s3://b", "CONTENTEDGE_PUBIC=p", "tool: warning: $CONTENTEDGE_PUBIC is not a setting: did you mean CONTENTEDGE_PUBLIC?\n"},
		{"push s3://b", "CONTENTEDGE_KEEP=x", ""},
		{"push s3://b", "CONTENTEDGE_SERVICE_HOST=10.0.0.1;CONTENTEDGE_PORT=tcp://10.0.0.1:80;CONTENTEDGE_PORT_80_TCP_ADDR=10.0.0.1;CONTENTEDGE_EDGE_SERVICE_PORT_HTTP=80", ""},
		{"push -public p s3://b -poll=3s", "", "tool: warning: write flags with two dashes: --public, --poll for -public, -poll\n"},
	} {
		if _, problems, err := s.run(strings.Split(c.environ, ";"), strings.Fields(c.args)...); err != nil || problems != c.want {
			t.Errorf("%s, %s: %q, %v", c.args, c.environ, problems, err)
		}
	}
}

// TestWarn: a command that runs gets the warnings, any other call prints them.
func TestWarn(t *testing.T) {
	for _, args := range []string{"push s3://b", "gc s3://b", "push --print-config", "push"} {
		var s sample
		p, _, problems := s.program()
		p.Environ = []string{"CONTENTEDGE_NOPE=1"}
		var got []string
		p.Root.Commands[0].Warn = func(message string) { got = append(got, message) }
		_ = p.Run(context.Background(), strings.Fields(args))
		if takes := args == "push s3://b"; (len(got) == 1) != takes || (problems.Len() > 0) == takes {
			t.Errorf("%s: %q, %q", args, got, problems.String())
		}
	}
}

func TestSecrets(t *testing.T) {
	var s sample
	file := write(t, "hush\n")
	for _, environ := range [][]string{nil, {"CONTENTEDGE_TOKEN=other"}} {
		if _, _, err := s.run(environ, "push", "s3://b", "--token-file", file); err != nil || s.token != "hush" {
			t.Errorf("%v: %q, %v", environ, s.token, err)
		}
	}
	if _, _, err := s.run(nil, "push", "s3://b", "--token-file", write(t, "\n")); err == nil || !strings.Contains(err.Error(), "the file is empty") {
		t.Errorf("an empty file: %v", err)
	}
}

func TestHelp(t *testing.T) {
	var s sample
	for _, args := range [][]string{{"push", "--help"}, {"push", "-h"}, {"help", "push"}, {"push", "--help", "--poll", "3s"}} {
		out, problems, err := s.run(nil, args...)
		if err != nil || problems != "" || s.ran != "" {
			t.Errorf("%v: %v, %q", args, err, problems)
		}
		for _, part := range []string{"Usage: tool push STORE [BUILD] [flags]\n", "\nContent:\n  --public DIR            directory of the release (default public)\n",
			"  --cors-origin ORIGIN    origin of pages; may be repeated (default *)\n", "\nOutput:\n", "  --token-file FILE ", "  # push the current build\n  tool push s3://bucket/live\n",
			"\nOn the command line only: --dry-run.\n"} {
			if !strings.Contains(out, part) {
				t.Errorf("%v: no %q in\n%s", args, part, out)
			}
		}
		for line := range strings.Lines(out) {
			if len(line) > helpWidth+1 || strings.TrimRight(line, " \n") != strings.TrimSuffix(line, "\n") {
				t.Errorf("%v: a bad line %q", args, line)
			}
		}
	}
	out, _, err := s.run(nil, "--help")
	if err != nil || !strings.Contains(out, "\nCommands:\n  push                    push a build\n") {
		t.Errorf("%v, %s", err, out)
	}
	if _, _, err := s.run(nil, "help", "psh"); err == nil || !strings.Contains(err.Error(), "did you mean push?") {
		t.Errorf("help of a typo: %v", err)
	}
}

func TestVersion(t *testing.T) {
	var s sample
	out, _, err := s.run(nil, "--version")
	if err != nil || !strings.HasPrefix(out, "tool (devel)\n") || !strings.Contains(out, "\nformats: manifest 5\n") {
		t.Errorf("%v, %q", err, out)
	}
	out, _, err = s.run(nil, "--version=json")
	var v Version
	if err != nil || json.Unmarshal([]byte(out), &v) != nil || v.Program != "tool" || v.Formats["manifest"] != 5 || v.Go == "" {
		t.Errorf("%v, %q", err, out)
	}
	sourceVersion, sourceCommit = "v1.2.3", "c0ffee"
	defer func() { sourceVersion, sourceCommit = "", "" }()
	if out, _, err = s.run(nil, "--version"); err != nil || !strings.HasPrefix(out, "tool v1.2.3\ncommit: c0ffee\n") {
		t.Errorf("%v, %q", err, out)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"addr", "admin", "access-log", "public", "follow-interval"}
	for word, want := range map[string]string{"adr": "addr", "admni": "admin", "pubilc": "public", "follow": "follow-interval", "zzz": "", "": "", "x": "", strings.Repeat("a", 1<<20): ""} {
		if got := nearest(word, names); got != want {
			t.Errorf("%.20q: %q, want %q", word, got, want)
		}
	}
}

// FuzzCommandLine checks that no command line and no variable makes a program fail in another way than
// by an error of usage.
func FuzzCommandLine(f *testing.F) {
	f.Add("push\x00-public\x00p\x00--\x00-x", "PUBLIC=x")
	f.Add("push\x00---public\x00-=\x00--=x\x00-\x00-hx", "CORS_ORIGIN=a\nb\x00TOKEN=")
	f.Add("help\x00push\x00x", "=")
	f.Fuzz(func(t *testing.T, line, environ string) {
		args := strings.Split(line, "\x00")
		if strings.Contains(line, "man") || strings.HasPrefix(args[0], "__complete") || strings.Contains(line, "config") {
			t.Skip("these write and read files")
		}
		var s sample
		var variables []string
		for v := range strings.SplitSeq(environ, "\x00") {
			variables = append(variables, prefix+v)
		}
		_, _, err := s.run(variables, args...)
		if _, usage := errors.AsType[*UsageError](err); err != nil && !usage {
			t.Errorf("%q: %v", args, err)
		}
	})
}

// FuzzFile checks that no file makes the parser fail, and that what it reads can be written.
func FuzzFile(f *testing.F) {
	f.Add("a = b # c\n\"")
	f.Add("a = \"\\x00#\" #\r\nb=#")
	f.Fuzz(func(t *testing.T, text string) {
		settings, _ := parseFile(text)
		for _, s := range settings {
			again, faults := parseFile(s.name + " = " + writeValue(s.value) + "  # comment")
			if len(faults) > 0 || len(again) != 1 || again[0].name != s.name || again[0].value != s.value {
				t.Fatalf("%+v is written and read back as %+v, %v", s, again, faults)
			}
		}
	})
}
