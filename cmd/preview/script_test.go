// These tests run preview as a user does. The scripts in testdata/script start it, edit
// content, and wait for its messages and responses.

package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience is how long a script waits for something that takes milliseconds.
const patience = 30 * time.Second

// promptly is how long preview may take to end.
const promptly = 5 * time.Second

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"preview": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Values[running{}] = &sessions{byName: map[string]*session{}}
			e.Setenv("TMPDIR", e.WorkDir+"/tmp")
			return os.Mkdir(e.WorkDir+"/tmp", 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"start": startPreview, "with": with, "says": says, "silent": silentNow, "answers": answers, "header": header, "hangs": hangs,
			"quits": quits, "ends": ends, "dies": dies, "exits": exits, "empty": empty, "items": items, "waits": waits,
		},
	})
}

// running is the key of a script's sessions.
type running struct{}

// sessions are a script's previews by name.
type sessions struct {
	byName  map[string]*session
	current string
}

// session is a running preview.
type session struct {
	cmd    *exec.Cmd
	output map[string]*transcript // by stream
	base   string                 // its URL
	ended  chan error
}

// of returns the script's selected session.
func of(ts *testscript.TestScript) *session {
	all := ts.Value(running{}).(*sessions)
	if all.byName[all.current] == nil {
		all.byName[all.current] = &session{}
	}
	return all.byName[all.current]
}

// with selects a preview by name: with NAME
func with(ts *testscript.TestScript, _ bool, args []string) {
	ts.Value(running{}).(*sessions).current = args[0]
}

// startPreview starts a preview on a free port: start [FLAG…]
func startPreview(ts *testscript.TestScript, _ bool, args []string) {
	s := of(ts)
	s.output = map[string]*transcript{"stdout": newTranscript(), "stderr": newTranscript()}
	s.cmd = exec.Command("preview", append([]string{"--addr", "127.0.0.1:0"}, args...)...)
	s.cmd.Dir = ts.MkAbs(".")
	s.cmd.Env = append(os.Environ(), "TMPDIR="+ts.Getenv("TMPDIR"), "PATH="+ts.Getenv("PATH"))
	s.cmd.Stdout, s.cmd.Stderr = s.output["stdout"], s.output["stderr"]
	ts.Check(s.cmd.Start())
	s.ended = make(chan error, 1)
	go func() { s.ended <- s.cmd.Wait() }()
	ts.Defer(func() { _ = s.cmd.Process.Kill() })
	s.base = ""
}

// url waits for the preview's URL and sets $ADDRESS to it.
func (s *session) url(ts *testscript.TestScript) string {
	where := regexp.MustCompile(`http://[^\s,/]+`)
	for begin := time.Now(); s.base == ""; pause(ts, begin, "no URL was printed", s) {
		s.base = where.FindString(s.output["stdout"].all() + s.output["stderr"].all())
	}
	ts.Setenv("ADDRESS", strings.TrimPrefix(s.base, "http://"))
	return s.base
}

// pause waits a moment, or fails after patience.
func pause(ts *testscript.TestScript, begin time.Time, what string, s *session) {
	if time.Since(begin) > patience {
		ts.Fatalf("%s\nstdout:\n%s\nstderr:\n%s", what, s.output["stdout"].all(), s.output["stderr"].all())
	}
	time.Sleep(5 * time.Millisecond)
}

// says waits for a new matching line: says stdout|stderr REGEXP
func says(ts *testscript.TestScript, _ bool, args []string) {
	s := of(ts)
	line := regexp.MustCompile(args[1])
	for begin := time.Now(); !s.output[args[0]].take(line); {
		pause(ts, begin, fmt.Sprintf("no line of %s matches %s", args[0], args[1]), s)
	}
}

// silentNow checks that there are no new lines: silent stdout|stderr
func silentNow(ts *testscript.TestScript, _ bool, args []string) {
	if rest := of(ts).output[args[0]].rest(); rest != "" {
		ts.Fatalf("it also said\n%s", rest)
	}
}

// answers waits for a matching response: answers PATH STATUS REGEXP
func answers(ts *testscript.TestScript, _ bool, args []string) {
	s := of(ts)
	body := regexp.MustCompile(args[2])
	last := ""
	for begin := time.Now(); ; pause(ts, begin, fmt.Sprintf("%s is answered %s", args[0], last), s) {
		a, text, err := get(s.url(ts) + args[0])
		if err == nil && strconv.Itoa(a.StatusCode) == args[1] && body.MatchString(text) {
			return
		}
		last = fmt.Sprint(a, " ", text, err)
	}
}

// header waits for a response with a matching header field: header PATH STATUS NAME
// REGEXP [FIELD: VALUE]…
func header(ts *testscript.TestScript, _ bool, args []string) {
	s := of(ts)
	value := regexp.MustCompile(args[3])
	last := ""
	for begin := time.Now(); ; pause(ts, begin, fmt.Sprintf("%s has the header %s", args[0], last), s) {
		a, _, err := get(s.url(ts)+args[0], args[4:]...)
		if err == nil && strconv.Itoa(a.StatusCode) == args[1] && value.MatchString(a.Header.Get(args[2])) {
			return
		}
		last = fmt.Sprint(a, err)
	}
}

// get requests a URL with header fields and reads the response.
func get(url string, fields ...string) (a *http.Response, body string, err error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return nil, "", err
	}
	for _, field := range fields {
		name, value, _ := strings.Cut(field, ": ")
		req.Header.Set(name, value)
		if name == "Host" {
			req.Host = value
		}
	}
	if a, err = http.DefaultClient.Do(req); err != nil {
		return nil, "", err
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	return a, string(b), err
}

// hangs connects a client that sends only half a request.
func hangs(ts *testscript.TestScript, _ bool, _ []string) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(of(ts).url(ts), "http://"))
	ts.Check(err)
	ts.Defer(func() { conn.Close() })
	_, err = io.WriteString(conn, "GET /livez HTTP/1.1\r\nHost:")
	ts.Check(err)
}

// items writes an NDJSON file: items N FILE
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

// waits waits until N files match: waits N PATTERN
func waits(ts *testscript.TestScript, _ bool, args []string) {
	for begin := time.Now(); ; pause(ts, begin, "there are no "+strings.Join(args, " "), of(ts)) {
		found, err := filepath.Glob(ts.MkAbs(args[1]))
		ts.Check(err)
		if strconv.Itoa(len(found)) == args[0] {
			return
		}
	}
}

// quits sends a signal to a started preview, which must exit with 0: quits SIGINT
func quits(ts *testscript.TestScript, neg bool, args []string) {
	of(ts).url(ts) // wait until it is up
	ends(ts, neg, args)
}

// signals are the signals that scripts send.
var signals = map[string]os.Signal{"SIGINT": syscall.SIGINT, "SIGTERM": syscall.SIGTERM, "SIGHUP": syscall.SIGHUP}

// ends sends a signal at any time; preview must exit with 0. Further signals follow
// after preview stops accepting connections: ends SIGINT SIGTERM
func ends(ts *testscript.TestScript, _ bool, args []string) {
	s := of(ts)
	for i, name := range args {
		if i > 0 {
			refuses(ts, s)
		}
		ts.Check(s.cmd.Process.Signal(signals[name]))
	}
	select {
	case err := <-s.ended:
		if err != nil {
			ts.Fatalf("%v\nstderr:\n%s", err, s.output["stderr"].all())
		}
	case <-time.After(promptly):
		ts.Fatalf("it did not end within %s", promptly)
	}
}

// refuses waits until connections are refused.
func refuses(ts *testscript.TestScript, s *session) {
	for begin := time.Now(); ; pause(ts, begin, "it still accepts connections", s) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
		if err != nil {
			return
		}
		conn.Close()
	}
}

// dies kills the preview.
func dies(ts *testscript.TestScript, _ bool, _ []string) {
	s := of(ts)
	ts.Check(s.cmd.Process.Kill())
	<-s.ended
}

// exits runs a command and checks its exit status: exits 3 preview --nope
func exits(ts *testscript.TestScript, _ bool, args []string) {
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
}

// empty checks that a directory is empty: empty DIR
func empty(ts *testscript.TestScript, _ bool, args []string) {
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(entries) > 0 {
		ts.Fatalf("%s holds %v", args[0], entries)
	}
}

// transcript is a process's output, and how much of it was checked.
type transcript struct {
	mu    sync.Mutex
	text  strings.Builder // guarded by mu, like taken
	taken int
}

func newTranscript() *transcript { return &transcript{} }

func (t *transcript) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.Write(b)
}

func (t *transcript) all() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

// rest is the unchecked output.
func (t *transcript) rest() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()[t.taken:]
}

// take searches for a line after the last taken one.
func (t *transcript) take(line *regexp.Regexp) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := t.text.String()
	for begin := t.taken; ; {
		end := strings.IndexByte(text[begin:], '\n')
		if end < 0 {
			return false
		}
		if line.MatchString(text[begin : begin+end]) {
			t.taken = begin + end + 1
			return true
		}
		begin += end + 1
	}
}
