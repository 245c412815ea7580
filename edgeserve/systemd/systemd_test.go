package systemd

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// file is anything that has a descriptor to pass.
type file interface{ File() (*os.File, error) }

// pass puts copies of sockets at neighbouring descriptors, as a manager does, and returns the first.
func pass(t *testing.T, sockets ...file) (first int) {
	t.Helper()
	const free = 200 // far above the descriptors of a test
	for i, s := range sockets {
		f, err := s.File()
		if err != nil {
			t.Fatal(err)
		}
		if fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD, free+i); err != nil || fd != free+i {
			t.Fatal(fd, err)
		}
		f.Close()
		t.Cleanup(func() { _ = unix.Close(free + i) })
	}
	return free
}

func listen(t *testing.T, network, addr string) net.Listener {
	t.Helper()
	ln, err := net.Listen(network, addr)
	if err != nil {
		t.Skipf("no %s: %v", network, err)
	}
	t.Cleanup(func() { ln.Close() })
	return ln
}

// TestSystemd takes passed sockets of each family and serves on them.
func TestSystemd(t *testing.T) {
	for network, addr := range map[string]string{"tcp4": "127.0.0.1:0", "tcp6": "[::1]:0", "unix": filepath.Join(t.TempDir(), "s")} {
		t.Run(network, func(t *testing.T) {
			held := listen(t, network, addr)
			first := pass(t, held.(file), listen(t, "tcp4", "127.0.0.1:0").(file))
			got, err := sockets(map[string]string{listenPID: "7", listenFDs: "2", listenNames: "http:admin"}, 7, first, []string{"http", "admin"})
			if err != nil || len(got) != 2 {
				t.Fatal(got, err)
			}
			defer got["admin"].Close()
			client, err := net.Dial(network, held.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			conn, err := got["http"].Accept()
			if err != nil {
				t.Fatal(err)
			}
			conn.Close()
			// The holder's socket goes on when ours ends; a path stays.
			if err := got["http"].Close(); err != nil {
				t.Fatal(err)
			}
			if again, err := net.Dial(network, held.Addr().String()); err != nil {
				t.Error(err)
			} else {
				again.Close()
			}
		})
	}
}

func TestSocketsRefused(t *testing.T) {
	good := listen(t, "tcp4", "127.0.0.1:0").(file)
	udp, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	client, err := net.Dial("tcp", good.(net.Listener).Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, c := range []struct {
		name, pid, fds, names string
		passed                []file
		want                  string // of the error; empty: none
		sockets               string // their names
	}{
		{name: "none"},
		{name: "no descriptor", pid: "7", fds: "0"},
		{name: "no descriptor and no process", fds: "0"},
		{name: "without a name", pid: "7", fds: "1", passed: []file{good}, sockets: "http"},
		{name: "named as a unit", pid: "7", fds: "1", names: "edgeserve.socket", passed: []file{good}, sockets: "http"},
		{name: "admin alone", pid: "7", fds: "1", names: "admin", passed: []file{good}, sockets: "admin"},
		{name: "another process", pid: "8", fds: "1", passed: []file{good}, want: "start the server directly, or with exec"},
		{name: "no process", fds: "1", passed: []file{good}, want: "without a process id"},
		{name: "no number", pid: "7", fds: "x", want: `LISTEN_FDS="x" is not a number`},
		{name: "below 0", pid: "7", fds: "-1", want: "is not a number of sockets"},
		{name: "too many", pid: "7", fds: "1000000000", want: "is not a number of sockets"},
		{name: "two without names", pid: "7", fds: "2", passed: []file{good, good}, want: "without LISTEN_FDNAMES: name each socket http or admin"},
		{name: "one name for two", pid: "7", fds: "2", names: "http", passed: []file{good, good}, want: "has 1 names"},
		{name: "a foreign name", pid: "7", fds: "2", names: "http:web", passed: []file{good, good}, want: `a socket is named "web", not http or admin`},
		{name: "a name twice", pid: "7", fds: "2", names: "http:http", passed: []file{good, good}, want: "two sockets are named http"},
		{name: "not open", pid: "7", fds: "1", want: "is not open"},
		{name: "datagrams", pid: "7", fds: "1", passed: []file{udp.(file)}, want: "is not a stream socket (use ListenStream=)"},
		{name: "connected", pid: "7", fds: "1", passed: []file{client.(file)}, want: "does not listen (use Accept=no)"},
		{name: "the second is bad", pid: "7", fds: "2", names: "http:admin", passed: []file{good, udp.(file)}, want: "the passed socket admin, descriptor 201, is not a stream socket"},
	} {
		t.Run(c.name, func(t *testing.T) {
			first := 200
			if c.passed != nil {
				first = pass(t, c.passed...)
			}
			got, err := sockets(map[string]string{listenPID: c.pid, listenFDs: c.fds, listenNames: c.names}, 7, first, []string{"http", "admin"})
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			names := ""
			for name, ln := range got {
				names += name
				ln.Close()
			}
			if names != c.sockets {
				t.Errorf("sockets %q, want %q", names, c.sockets)
			}
		})
	}
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := listener(int(f.Fd()), "http"); err == nil || !strings.Contains(err.Error(), "is not a socket") {
		t.Error(err)
	}
}

// Names that a manager sends are one of those known for each socket, or an error.
func FuzzNames(f *testing.F) {
	for _, text := range []string{"", "http", "http:admin", "admin:http", ":", "http:", "a:b:c", "edgeserve.socket", strings.Repeat("http:", 64)} {
		f.Add(1, text)
		f.Add(2, text)
	}
	f.Fuzz(func(t *testing.T, n int, text string) {
		if n < 1 || n > maxSockets {
			return
		}
		got, err := namesOf(n, text, []string{"http", "admin"})
		if err == nil && (len(got) != n || n == 2 && got[0] == got[1]) {
			t.Fatalf("%d sockets, %q: %q", n, text, got)
		}
		for _, name := range got {
			if name != "http" && name != "admin" {
				t.Fatalf("%q: a socket is named %q", text, name)
			}
		}
	})
}

// Child processes must not take the variables for theirs.
func TestVariablesAreRemoved(t *testing.T) {
	t.Setenv(listenPID, strconv.Itoa(os.Getpid()+1))
	t.Setenv(listenFDs, "1")
	t.Setenv(listenNames, "http")
	if got, err := Sockets("http"); !errors.Is(err, ErrForeignPID) || got != nil {
		t.Errorf("%v, %v", got, err)
	}
	t.Setenv(notifySocket, "vsock:2:1")
	t.Setenv(watchdogUsec, "1000")
	if n, err := NewNotifier(); err == nil || n != nil {
		t.Errorf("%v, %v", n, err)
	}
	for _, v := range []string{listenPID, listenFDs, listenNames, notifySocket, watchdogUsec} {
		if _, there := os.LookupEnv(v); there {
			t.Errorf("%s is still set", v)
		}
	}
}

func TestNotifier(t *testing.T) {
	paths := []string{filepath.Join(t.TempDir(), "notify")}
	if runtime.GOOS == "linux" {
		paths = append(paths, "@contentedge-test-"+strconv.Itoa(os.Getpid()))
	}
	for _, path := range paths {
		t.Run(path[:1], func(t *testing.T) {
			manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
			if err != nil {
				t.Fatal(err)
			}
			defer manager.Close()
			t.Setenv(notifySocket, path)
			t.Setenv(watchdogUsec, "3000000")
			n, err := NewNotifier()
			if err != nil {
				t.Fatal(err)
			}
			defer n.Close()
			if n.Watchdog != 1500*time.Millisecond {
				t.Errorf("watchdog every %s", n.Watchdog)
			}
			for want, send := range map[string]func() error{
				"READY=1\nSTATUS=serving a b":               func() error { return n.Ready("serving a\nb") },
				"STATUS=x":                                  func() error { return n.Status("x") },
				"STOPPING=1\nSTATUS=draining FDSTORE=1":     func() error { return n.Stopping("draining\nFDSTORE=1") },
				"WATCHDOG=1":                                n.Alive,
				"RELOADING=1\nMONOTONIC_USEC=" + "<digits>": n.Reloading,
			} {
				if err := send(); err != nil {
					t.Fatal(err)
				}
				b := make([]byte, 1000)
				size, err := manager.Read(b)
				got := string(b[:size])
				if head, digits, ok := strings.Cut(got, "MONOTONIC_USEC="); ok {
					if v, e := strconv.ParseInt(digits, 10, 64); e == nil && v > 0 {
						got = head + "MONOTONIC_USEC=<digits>"
					}
				}
				if err != nil || got != want {
					t.Errorf("%q, %v; want %q", got, err, want)
				}
			}
		})
	}
}

// Nobody asked, or the manager has gone: the server goes on.
func TestNobodyListens(t *testing.T) {
	t.Setenv(notifySocket, "")
	n, err := NewNotifier()
	if n != nil || err != nil || n.Ready("") != nil || n.Close() != nil {
		t.Error(n, err)
	}
	t.Setenv(notifySocket, filepath.Join(t.TempDir(), "gone"))
	if n, err := NewNotifier(); n != nil || err == nil {
		t.Error(n, err)
	}
}

// A manager that does not read costs notifyTimeout, no more.
func TestManagerThatDoesNotRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	t.Setenv(notifySocket, path)
	n, err := NewNotifier()
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	for range 100_000 {
		if err = n.Alive(); err != nil {
			break
		}
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) && err != nil && !errors.Is(err, unix.ENOBUFS) {
		t.Error(err)
	}
}

func TestWatchdog(t *testing.T) {
	for _, c := range []struct {
		owner, usec string
		want        time.Duration
	}{
		{"7", "2000000", time.Second}, {"", "2000000", time.Second}, {"8", "2000000", 0}, {"x", "2000000", 0},
		{"7", "", 0}, {"7", "x", 0}, {"7", "-5", 0}, {"7", "99999999999999999999", 0}, {"7", "9223372036854775807", 0},
	} {
		if got := watchdog(c.owner, c.usec, 7); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
