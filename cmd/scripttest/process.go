// This file runs the command in the background and is its client.

package scripttest

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// promptly is how long the command may take to end.
const promptly = 5 * time.Second

// processesKey is the key of a script's processes among its values.
type processesKey struct{}

// processes are the processes that a script started, by the names that it selects them with.
type processes struct {
	command string
	byName  map[string]*process
	current string
}

// process is a command that runs.
type process struct {
	cmd    *exec.Cmd
	output map[string]*Transcript // by stream
	base   string                 // its URL
	ended  chan error
}

// of returns the process that the script selected.
func of(ts *testscript.TestScript) *process {
	all := ts.Value(processesKey{}).(*processes)
	if all.byName[all.current] == nil {
		all.byName[all.current] = &process{}
	}
	return all.byName[all.current]
}

func with(ts *testscript.TestScript, _ bool, args []string) {
	ts.Value(processesKey{}).(*processes).current = args[0]
}

func start(ts *testscript.TestScript, _ bool, args []string) {
	s := of(ts)
	s.output = map[string]*Transcript{"stdout": {}, "stderr": {}}
	s.cmd = exec.Command(ts.Value(processesKey{}).(*processes).command, append([]string{"--addr", "127.0.0.1:0"}, args...)...)
	s.cmd.Dir = ts.MkAbs(".")
	s.cmd.Env = append(os.Environ(), "TMPDIR="+ts.Getenv("TMPDIR"), "PATH="+ts.Getenv("PATH"))
	s.cmd.Stdout, s.cmd.Stderr = s.output["stdout"], s.output["stderr"]
	ts.Check(s.cmd.Start())
	s.ended = make(chan error, 1)
	go func() { s.ended <- s.cmd.Wait() }()
	ts.Defer(func() { _ = s.cmd.Process.Kill() })
	s.base = ""
}

// url waits until the process prints its URL and sets $ADDRESS to it.
func (s *process) url(ts *testscript.TestScript) string {
	where := regexp.MustCompile(`http://[^\s,/]+`)
	for begin := time.Now(); s.base == ""; pause(ts, begin, "no URL was printed", s) {
		s.base = where.FindString(s.output["stdout"].All() + s.output["stderr"].All())
	}
	ts.Setenv("ADDRESS", strings.TrimPrefix(s.base, "http://"))
	return s.base
}

// pause waits a moment, or fails after Patience.
func pause(ts *testscript.TestScript, begin time.Time, what string, s *process) {
	if time.Since(begin) > Patience {
		ts.Fatalf("%s\nstdout:\n%s\nstderr:\n%s", what, s.output["stdout"].All(), s.output["stderr"].All())
	}
	time.Sleep(5 * time.Millisecond)
}

func says(ts *testscript.TestScript, _ bool, args []string) {
	s := of(ts)
	line := regexp.MustCompile(args[1])
	for begin := time.Now(); !s.output[args[0]].take(line); {
		pause(ts, begin, fmt.Sprintf("no line of %s matches %s", args[0], args[1]), s)
	}
}

func silent(ts *testscript.TestScript, _ bool, args []string) {
	if rest := of(ts).output[args[0]].rest(); rest != "" {
		ts.Fatalf("it also said\n%s", rest)
	}
}

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

func hangs(ts *testscript.TestScript, _ bool, _ []string) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(of(ts).url(ts), "http://"))
	ts.Check(err)
	ts.Defer(func() { conn.Close() })
	_, err = io.WriteString(conn, "GET /livez HTTP/1.1\r\nHost:")
	ts.Check(err)
}

func quits(ts *testscript.TestScript, neg bool, args []string) {
	of(ts).url(ts) // wait until it is up
	ends(ts, neg, args)
}

// signals are the signals that scripts send.
var signals = map[string]os.Signal{"SIGINT": syscall.SIGINT, "SIGTERM": syscall.SIGTERM, "SIGHUP": syscall.SIGHUP}

// ends sends the first signal at once, and each further one when connections are refused.
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
			ts.Fatalf("%v\nstderr:\n%s", err, s.output["stderr"].All())
		}
	case <-time.After(promptly):
		ts.Fatalf("it did not end within %s", promptly)
	}
}

// refuses waits until connections are refused.
func refuses(ts *testscript.TestScript, s *process) {
	for begin := time.Now(); ; pause(ts, begin, "it still accepts connections", s) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
		if err != nil {
			return
		}
		conn.Close()
	}
}

func dies(ts *testscript.TestScript, _ bool, _ []string) {
	s := of(ts)
	ts.Check(s.cmd.Process.Kill())
	<-s.ended
}
