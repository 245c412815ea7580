// This file tests what a service manager and an operator see of the signals to a real server.

package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"contentedge/edgeserve/wire/store/storetest"
)

// managed is a server whose manager passes sockets and gets notices.
type managed struct {
	cmd         *exec.Cmd
	log         *bytes.Buffer // to be read once the server has ended
	http, admin string
	notices     *net.UnixConn
}

// startManaged passes sockets with names, and waits for no notice.
func startManaged(t *testing.T, public string, names string, flags ...string) *managed {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("no systemd")
	}
	m := &managed{log: &bytes.Buffer{}}
	path := filepath.Join(t.TempDir(), "notify")
	var err error
	if m.notices, err = net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.notices.Close() })
	m.cmd = exec.Command("sh", append([]string{"-c", `LISTEN_PID=$$ exec "$0" "$@"`, binaries(t, "edgeserve")["edgeserve"], "--public", public}, flags...)...)
	for _, addr := range []*string{&m.http, &m.admin} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		file, err := ln.(*net.TCPListener).File()
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		*addr = "http://" + ln.Addr().String()
		m.cmd.ExtraFiles = append(m.cmd.ExtraFiles, file)
	}
	m.cmd.Env = append(os.Environ(), "NOTIFY_SOCKET="+path, "WATCHDOG_USEC=200000", "LISTEN_FDS=2", "LISTEN_FDNAMES="+names)
	m.cmd.Stderr = m.log
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if m.cmd.ProcessState == nil {
			_ = m.cmd.Process.Kill()
			_ = m.cmd.Wait()
		}
		if t.Failed() {
			t.Logf("%s", m.log)
		}
	})
	return m
}

// notice waits for a notice that begins with text, past others.
func (m *managed) notice(t *testing.T, text string) string {
	t.Helper()
	for {
		if got := m.next(t, text); strings.HasPrefix(got, text) {
			return got
		}
	}
}

// next waits for the next notice, which may be one that begins with text.
func (m *managed) next(t *testing.T, text string) string {
	t.Helper()
	_ = m.notices.SetReadDeadline(time.Now().Add(time.Minute))
	b := make([]byte, 4096)
	n, err := m.notices.Read(b)
	if err != nil {
		t.Fatalf("no notice %q: %v", text, err)
	}
	return string(b[:n])
}

func (m *managed) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := m.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// A server with both passed sockets reports that it is ready, lives, reloads and stops. A second
// signal ends it while a request is in flight.
func TestSignals(t *testing.T) {
	bin := binaries(t, "generator", "edgeserve")
	public := filepath.Join(t.TempDir(), "public")
	buildSite(t, bin["generator"], "../content", public)
	m := startManaged(t, public, "http:admin", "--addr", "127.0.0.1:1")
	m.notice(t, "READY=1\nSTATUS=serving release ")
	get(t, m.http+"/cda/rest/v1/site/contents")
	get(t, m.admin+"/readyz")
	m.notice(t, "WATCHDOG=1")
	m.signal(t, syscall.SIGHUP)
	if got := m.notice(t, "RELOADING=1\n"); !strings.Contains(got, "MONOTONIC_USEC=") {
		t.Errorf("%q", got)
	}
	m.notice(t, "READY=1\n")

	conn, err := net.Dial("tcp", strings.TrimPrefix(m.http, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "POST /cda/es/v1/site HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	m.signal(t, syscall.SIGTERM)
	m.notice(t, "STOPPING=1")
	storetest.WaitFor(t, "the probe to say that the server stops", func() bool {
		r, err := http.Get(m.admin + "/readyz")
		if err != nil {
			return false
		}
		r.Body.Close()
		return r.StatusCode == http.StatusServiceUnavailable
	})
	m.signal(t, syscall.SIGTERM)
	err = m.cmd.Wait()
	if e, ok := errors.AsType[*exec.ExitError](err); !ok || e.ExitCode() != 1 {
		t.Errorf("a second signal: %v", err)
	}
}

// Sockets that the server cannot tell apart are an error that says what to do.
func TestPassedSocketsRefused(t *testing.T) {
	for names, want := range map[string]string{"": "name each socket http or admin (FileDescriptorName= of the socket unit)", "http:http": "two sockets are named http", "web:admin": `a socket is named \"web\"`} {
		m := startManaged(t, t.TempDir(), names)
		err := m.cmd.Wait()
		if e, ok := errors.AsType[*exec.ExitError](err); !ok || e.ExitCode() != 1 || !strings.Contains(m.log.String(), want) {
			t.Errorf("%q: %v, %s", names, err, m.log)
		}
	}
}

// A taken address, and a certificate that cannot be used, are errors at the start.
func TestStartErrors(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	missing := filepath.Join(t.TempDir(), "tls.key")
	for want, flags := range map[string][]string{
		"address already in use": {"--addr", ln.Addr().String()},
		"the admin listener":     {"--addr", "127.0.0.1:0", "--admin", ln.Addr().String()},
		fmt.Sprintf("open %s: no such file or directory", missing): {"--addr", "127.0.0.1:0", "--tls-cert", missing, "--tls-key", missing},
	} {
		out, err := exec.Command(binaries(t, "edgeserve")["edgeserve"], append(flags, "--public", t.TempDir())...).CombinedOutput()
		if e, ok := errors.AsType[*exec.ExitError](err); !ok || e.ExitCode() != 1 || !strings.Contains(string(out), want) {
			t.Errorf("%q: %v, %s", flags, err, out)
		}
	}
}

// A SIGHUP while a server starts does not end it, and makes it not ready: an operator or a timer may be
// too early. The settings come through a pipe, so that the test knows when the server waits for them.
func TestHangupAtStart(t *testing.T) {
	bin := binaries(t, "generator", "edgeserve")
	public := filepath.Join(t.TempDir(), "public")
	buildSite(t, bin["generator"], "../content", public)
	pipe := filepath.Join(t.TempDir(), "pipe.conf")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	m := startManaged(t, public, "http:admin", "--config", pipe)
	settings, err := os.OpenFile(pipe, os.O_WRONLY, 0) // returns once the server reads
	if err != nil {
		t.Fatal(err)
	}
	m.signal(t, syscall.SIGHUP)
	if _, err := io.WriteString(settings, "drain-grace = 0s\n"); err != nil {
		t.Error(err)
	}
	if err := settings.Close(); err != nil {
		t.Error(err)
	}
	const ready = "READY=1\nSTATUS=serving release "
	got := m.next(t, ready)
	for strings.HasPrefix(got, "WATCHDOG=1") {
		got = m.next(t, ready)
	}
	if !strings.HasPrefix(got, ready) {
		t.Errorf("the first notice is %q", got)
	}
	m.signal(t, syscall.SIGTERM)
	if err := m.cmd.Wait(); err != nil {
		t.Error(err)
	}
}
