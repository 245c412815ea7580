// This file restarts and upgrades real edge servers under strict keep-alive clients, which repeat
// nothing: none may lose a request. It restarts each once; scripts/restarts sets the number.

package cmd

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"contentedge/edgeserve"
	"contentedge/edgeserve/listenaddr/freeport"
)

const (
	restartClients = 32
	// restartPause is the longest pause of a client, which the grace exceeds by far.
	restartPause = 10 * time.Millisecond
	// restartSettle is how long clients run before, between and after restarts.
	restartSettle = 300 * time.Millisecond
)

// restartWay is a way to replace a server.
type restartWay struct {
	held     bool // this test holds the socket, as systemd does
	newFirst bool // the new process serves before the old one ends
	refuses  bool // while no process listens
	flags    []string
}

var restartWays = map[string]restartWay{
	"own port":           {refuses: true},
	"held socket":        {held: true},
	"held, new first":    {held: true, newFirst: true},
	"reuse port":         {newFirst: true, flags: []string{"--reuse-port"}},
	"own port, Fiber":    {refuses: true, flags: []string{"--fast-path", "off"}},
	"held socket, Fiber": {held: true, flags: []string{"--fast-path", "off"}},
	"held, first, Fiber": {held: true, newFirst: true, flags: []string{"--fast-path", "off"}},
	"reuse port, Fiber":  {newFirst: true, flags: []string{"--reuse-port", "--fast-path", "off"}},
}

func TestRestarts(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux empties the queue of a socket before it closes")
	}
	restarts := 1
	long := os.Getenv("TEST_CONTENTEDGE_RESTARTS")
	if long != "" {
		var err error
		if restarts, err = strconv.Atoi(long); err != nil {
			t.Fatal(err)
		}
	}
	bin := binaries(t, "generator", "edgeserve")
	public := filepath.Join(t.TempDir(), "public")
	buildSite(t, bin["generator"], "../content", public)
	for name, way := range restartWays {
		t.Run(name, func(t *testing.T) {
			if long == "" {
				if testing.Short() && strings.Contains(name, "Fiber") {
					t.Skip("short")
				}
				t.Parallel()
			}
			r := &restarted{t: t, bin: cmp.Or(os.Getenv("TEST_CONTENTEDGE_EDGESERVE"), bin["edgeserve"]), public: public, way: way, addr: freeport.Addr(t)}
			r.run(restarts)
		})
	}
}

// restarted is a service that is restarted.
type restarted struct {
	t           *testing.T
	bin, public string
	way         restartWay
	addr        string
	held        *os.File // the socket, if this test holds it

	ended                              atomic.Bool
	ok, unready, refused, cut, tooIdle atomic.Int64
	slowest                            atomic.Int64 // nanoseconds of a request, its connection included
	firstLost                          sync.Once
	starts                             []time.Duration // exec to the first response
}

func (r *restarted) run(restarts int) {
	t := r.t
	if r.way.held {
		ln, err := net.Listen("tcp", r.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		if r.held, err = ln.(*net.TCPListener).File(); err != nil {
			t.Fatal(err)
		}
		defer r.held.Close()
	}
	server := r.start()
	var clients sync.WaitGroup
	for i := range restartClients {
		clients.Go(func() { r.client(i) })
	}
	for range restarts {
		time.Sleep(restartSettle) // the load, not a wait for a condition
		old := server
		if !r.way.newFirst {
			old.stop()
		}
		server = r.start()
		if r.way.newFirst {
			time.Sleep(restartSettle)
			old.stop()
		}
	}
	time.Sleep(restartSettle)
	r.ended.Store(true)
	clients.Wait()
	server.stop()
	slices.Sort(r.starts)
	t.Logf("%d restarts, %d requests: %d answered 503, %d refused, %d cut (%d more idled for too long); slowest %s; exec to first response %s",
		restarts, r.ok.Load(), r.unready.Load(), r.refused.Load(), r.cut.Load(), r.tooIdle.Load(),
		time.Duration(r.slowest.Load()).Round(time.Millisecond), r.starts[len(r.starts)/2].Round(time.Millisecond))
	if r.unready.Load()+r.cut.Load() > 0 || !r.way.refuses && r.refused.Load() > 0 {
		t.Error("requests were lost")
	}
	if r.ok.Load() < int64(restarts*restartClients) {
		t.Errorf("only %d requests were answered", r.ok.Load())
	}
}

// restartable is a running server.
type restartable struct {
	r   *restarted
	cmd *exec.Cmd
	log *os.File
}

// start starts a server and waits until it says that it is ready, by the protocol of systemd.
func (r *restarted) start() *restartable {
	r.t.Helper()
	dir := r.t.TempDir()
	notices, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "notify"), Net: "unixgram"})
	if err != nil {
		r.t.Fatal(err)
	}
	defer notices.Close()
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		r.t.Fatal(err)
	}
	// The shell knows the process id before the server has begun.
	args := append([]string{"-c", `LISTEN_PID=$$ exec "$0" "$@"`, r.bin, "--public", r.public, "--addr", r.addr}, r.way.flags...)
	s := &restartable{r: r, cmd: exec.Command("sh", args...), log: log}
	s.cmd.Stderr = log
	s.cmd.Env = append(os.Environ(), "NOTIFY_SOCKET="+notices.LocalAddr().String())
	if r.held != nil {
		s.cmd.ExtraFiles = []*os.File{r.held}
		s.cmd.Env = append(s.cmd.Env, "LISTEN_FDS=1", "LISTEN_FDNAMES=http")
	}
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(s.kill)
	_ = notices.SetReadDeadline(began.Add(time.Minute))
	for b := make([]byte, 4096); ; {
		n, err := notices.Read(b)
		if err != nil {
			r.t.Fatalf("no READY=1: %v", err)
		}
		if strings.HasPrefix(string(b[:n]), "READY=1\nSTATUS=serving release ") {
			break
		}
	}
	r.answers(began)
	return s
}

// answers measures the time to a response. With two processes either may give it.
func (r *restarted) answers(began time.Time) {
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Get("http://" + r.addr + "/cda/rest/v1/site/contents")
	if err != nil || resp.StatusCode != http.StatusOK {
		r.t.Fatalf("after READY=1: %v, %v", resp, err)
	}
	resp.Body.Close()
	r.starts = append(r.starts, time.Since(began))
}

func (s *restartable) stop() {
	s.r.t.Helper()
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	if err := s.cmd.Wait(); err != nil {
		s.r.t.Errorf("the server ended with %v", err)
	}
}

func (s *restartable) kill() {
	if s.cmd.ProcessState == nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	}
	s.log.Close()
	if s.r.t.Failed() {
		s.r.t.Logf("%.3000s", readFile(s.r.t, s.log.Name()))
	}
}

// restartRequests are answered by the cache, by a search and by Fiber.
var restartRequests = []string{
	"GET /cda/rest/v1/site/contents HTTP/1.1\r\nHost: a\r\n\r\n",
	"POST /cda/es/v1/site HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" + `{"query":{"match":{"Name":"bread"}},"from":%d}`,
	"GET /cda/rest/v1/site/contents HTTP/1.1\r\nHost: a\r\nRange: bytes=0-9\r\n\r\n",
	"POST /cda/es/v1/site HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
}

func restartRequest(rnd *rand.Rand) string {
	text := restartRequests[rnd.IntN(len(restartRequests))]
	if body, from := strings.Index(text, "{"), rnd.IntN(50); strings.Contains(text, "%d") {
		return fmt.Sprintf(text, len(text)-body-len("%d")+len(strconv.Itoa(from)), from)
	}
	return text
}

// client sends requests one by one on a connection that it keeps until the server ends it. It
// repeats no request.
func (r *restarted) client(number int) {
	rnd := rand.New(rand.NewPCG(uint64(number), 1))
	// An address for each client: connections that wait for their end take its ports.
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(1+number))}, Timeout: time.Minute}
	var conn net.Conn
	var in *bufio.Reader
	var idleSince time.Time
	for !r.ended.Load() {
		began := time.Now()
		if conn == nil {
			c, err := dialer.Dial("tcp", r.addr)
			if errors.Is(err, syscall.ECONNREFUSED) {
				r.refused.Add(1)
				time.Sleep(restartPause)
				continue
			}
			if err != nil {
				r.lost(0, "connecting", err)
				continue
			}
			conn, in, idleSince = c, bufio.NewReader(c), began
			_ = conn.SetDeadline(time.Now().Add(time.Minute))
		}
		request := restartRequest(rnd)
		idle := time.Since(idleSince)
		keep, err := r.exchange(conn, in, request)
		if err != nil {
			r.lost(idle, request, err)
		}
		if !keep {
			conn.Close()
			conn = nil
		}
		idleSince = time.Now()
		if took := int64(idleSince.Sub(began)); err == nil && took > r.slowest.Load() {
			r.slowest.Store(took)
		}
		time.Sleep(time.Duration(rnd.Int64N(int64(restartPause))))
	}
	if conn != nil {
		conn.Close()
	}
}

func (r *restarted) exchange(conn net.Conn, in *bufio.Reader, request string) (keep bool, err error) {
	if _, err := io.WriteString(conn, request); err != nil {
		return false, err
	}
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		return false, err
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return false, err
	}
	if resp.StatusCode == http.StatusServiceUnavailable {
		r.unready.Add(1)
	} else if resp.StatusCode >= http.StatusBadRequest {
		return false, errors.New(resp.Status)
	} else {
		r.ok.Add(1)
	}
	return !resp.Close, nil
}

// lost counts a request without a response. A client that has idled for the grace or nearly so,
// because the machine let it wait, may lose it.
func (r *restarted) lost(idle time.Duration, request string, err error) {
	if idle > edgeserve.DefaultDrainGrace/2 {
		r.tooIdle.Add(1)
		return
	}
	r.cut.Add(1)
	r.firstLost.Do(func() { r.t.Logf("lost after %s: %.60q: %v", idle, request, err) })
}
