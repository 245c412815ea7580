//go:build linux

// This file starts the units of the packages under a systemd of their own, in namespaces: the
// directives are in force, so a system call that the units forbid fails here and not at a user's.

package cmd

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"contentedge/edgeserve/listenaddr/freeport"
	"contentedge/edgeserve/wire/store/storetest"
)

const (
	unitFiles = "../scripts/package.d/systemd"
	systemd   = "/lib/systemd/systemd"

	// clientPatience is above the time of a whole test.
	clientPatience = time.Minute
	// bootPatience is for a systemd of a few units, which takes less than a second. What hinders it is the
	// machine: no unit of ours runs yet.
	bootPatience = 20 * time.Second
)

// unitTargets are the targets that the units name or have by default.
var unitTargets = []string{"sysinit", "basic", "sockets", "shutdown", "network-online", "multi-user", "slices", "umount"}

func stubTarget(name string) string {
	return "[Unit]\nDescription=" + name + "\nDefaultDependencies=no\n"
}

// bootScript makes a root of the host's libraries, the units and the test's files, and becomes systemd.
// Nothing that it writes is outside of that root.
const bootScript = `set -e
mount --make-rprivate /
mount -t tmpfs tmpfs "$WORK/root"
cd "$WORK/root"
mkdir -p usr/bin etc/contentedge proc sys dev run tmp root srv var/lib old
for d in bin sbin lib lib64 lib32; do [ ! -L "/$d" ] || cp -P "/$d" "$d"; done
for d in lib lib64 sbin share; do [ ! -d "/usr/$d" ] || { mkdir "usr/$d"; mount --bind -o ro "/usr/$d" "usr/$d"; }; done
for f in kill systemctl umount; do cp "/usr/bin/$f" usr/bin/; done
cp "$EDGESERVE" usr/bin/edgeserve
cp /etc/passwd /etc/group /etc/nsswitch.conf etc/
: >etc/machine-id
cp "$WORK/edgeserve.conf" etc/contentedge/
cp -r "$WORK/release" srv/release
cp -r "$WORK/units" units
ln -s ../run var/run
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 none sys/fs/cgroup
mount -t tmpfs tmpfs dev
mkdir dev/pts dev/shm
for n in null zero full random urandom tty; do : >"dev/$n"; mount --bind "/dev/$n" "dev/$n"; done
mount -t devpts devpts dev/pts -o newinstance,ptmxmode=666
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mount -t tmpfs tmpfs run
mkdir -p "$WORK/log"
mkdir log
mount --bind "$WORK/log" log
pivot_root . old
cd /
umount -l old
export container=other SYSTEMD_UNIT_PATH=/units
exec chroot / /lib/systemd/systemd --system --unit=test.target --log-target=null --show-status=no
`

// machine is a running systemd.
type machine struct {
	t    *testing.T
	work string
	cmd  *exec.Cmd
	pid  int // of systemd, outside
}

// boot starts systemd with the units, with a release in /srv/release and settings.
func boot(t *testing.T, release, address, settings string) *machine {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("namespaces with a systemd of their own need root")
	}
	for _, program := range []string{systemd, "unshare", "nsenter", "pivot_root", "systemctl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not here", program)
		}
	}
	m := &machine{t: t, work: t.TempDir()}
	units := filepath.Join(m.work, "units")
	for _, dir := range []string{"root", "units", "units/edgeserve.socket.d", "units/edgeserve.service.d", "log"} {
		if err := os.Mkdir(filepath.Join(m.work, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"edgeserve.service", "edgeserve.socket"} {
		b, err := os.ReadFile(filepath.Join(unitFiles, name))
		if err != nil {
			t.Fatal(err)
		}
		m.write("units/"+name, string(b))
	}
	m.write("units/edgeserve.socket.d/address.conf", "[Socket]\nListenStream=\nListenStream="+address+"\n")
	m.write("units/edgeserve.service.d/log.conf", "[Service]\nStandardOutput=append:/log/out\nStandardError=append:/log/err\n")
	for _, name := range unitTargets {
		m.write("units/"+name+".target", stubTarget(name))
	}
	m.write("units/test.target", stubTarget("test")+"Wants=edgeserve.socket\n")
	m.write("edgeserve.conf", settings)
	if err := os.CopyFS(filepath.Join(m.work, "release"), os.DirFS(release)); err != nil {
		t.Fatal(err)
	}
	m.start(units)
	return m
}

func (m *machine) write(name, text string) {
	m.t.Helper()
	if err := os.WriteFile(filepath.Join(m.work, name), []byte(text), 0o644); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) start(units string) {
	t := m.t
	t.Helper()
	var out output
	m.cmd = exec.Command("unshare", "--pid", "--fork", "--kill-child", "--mount", "--uts", "--ipc", "--cgroup", "sh", "-c", bootScript)
	m.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "WORK=" + m.work, "EDGESERVE=" + binaries(t, "edgeserve")["edgeserve"]}
	m.cmd.Stdout, m.cmd.Stderr = &out, &out
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = m.cmd.Wait() }()
	t.Cleanup(func() {
		_ = m.cmd.Process.Kill()
		<-ended
		if t.Failed() {
			t.Logf("boot: %s\nlog: %s", out.String(), m.log())
		}
	})
	began := time.Now()
	storetest.WaitFor(t, "systemd to run", func() bool {
		select {
		case <-ended:
			t.Skipf("no systemd of its own can run here: %s", out.String())
		default:
		}
		if time.Since(began) > bootPatience {
			t.Skipf("a systemd of its own starts here, and takes no commands within %s: %s", bootPatience, out.String())
		}
		return m.find()
	})
}

// find finds systemd, the child of unshare, once it takes commands.
func (m *machine) find() bool {
	id := strconv.Itoa(m.cmd.Process.Pid)
	b, err := os.ReadFile("/proc/" + id + "/task/" + id + "/children")
	if err != nil {
		return false
	}
	m.pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", m.pid))
	if strings.TrimSpace(string(name)) != "systemd" {
		return false
	}
	_, err = m.systemctl("is-active", "edgeserve.socket")
	return err == nil
}

func (m *machine) systemctl(args ...string) (string, error) {
	var out bytes.Buffer
	cmd := exec.Command("nsenter", append([]string{"--target", strconv.Itoa(m.pid), "--mount", "--pid", "--root", "--wd", "systemctl", "--no-pager", "--no-ask-password"}, args...)...)
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return strings.TrimSpace(out.String()), err
}

// must runs systemctl and fails the test if that fails.
func (m *machine) must(args ...string) string {
	m.t.Helper()
	out, err := m.systemctl(args...)
	if err != nil {
		m.t.Fatalf("systemctl %v: %v\n%s", args, err, out)
	}
	return out
}

func (m *machine) log() string {
	b, _ := os.ReadFile(filepath.Join(m.work, "log/err"))
	return string(b)
}

// TestSystemdUnits: the first connection starts the server, restarts lose no request of clients that
// keep their connections and never retry, and reload and stop do what they are called.
func TestSystemdUnits(t *testing.T) {
	t.Parallel()
	public := filepath.Join(t.TempDir(), "public")
	buildSite(t, binaries(t, "generator")["generator"], "../content", public)
	address := freeport.Addr(t)
	m := boot(t, public, address, "public = /srv/release\naccess-log = true\n")
	if state, _ := m.systemctl("is-active", "edgeserve.service"); state != "inactive" {
		t.Errorf("before the first connection the service is %s", state)
	}
	if got := get(t, "http://"+address+"/cda/rest/v1/events/contents?pageSize=1"); !strings.Contains(got, `"totalItems":4`) {
		t.Errorf("the first response: %s", got)
	}
	for _, want := range []string{"ActiveState=active", "NotifyAccess=main", "DynamicUser=yes", "NRestarts=0"} {
		if got := m.must("show", "edgeserve.service"); !strings.Contains("\n"+got+"\n", "\n"+want+"\n") {
			t.Errorf("the running unit lacks %s", want)
		}
	}

	c := &strictClients{t: t, address: address}
	stop := c.run(8)
	for range 3 {
		sent := c.sent.Load()
		storetest.WaitFor(t, "requests between restarts", func() bool { return c.sent.Load() > sent+100 })
		m.must("restart", "edgeserve.service")
	}
	m.must("reload", "edgeserve.service")
	stop()
	t.Logf("%d requests during three restarts", c.sent.Load())

	m.must("stop", "edgeserve.socket", "edgeserve.service")
	if got := m.must("show", "--property=Result,ExecMainStatus", "edgeserve.service"); got != "Result=success\nExecMainStatus=0" {
		t.Errorf("the stopped unit: %s", got)
	}
	for line := range strings.Lines(m.log()) {
		if strings.Contains(line, `"WARN"`) || strings.Contains(line, `"ERROR"`) {
			t.Errorf("the log has %s", line)
		}
	}
}

// strictClients keep their connections, reopen them only when told, and never repeat a request.
type strictClients struct {
	t       *testing.T
	address string
	sent    atomic.Int64
}

func (c *strictClients) run(n int) (stop func()) {
	quit := make(chan struct{})
	var running sync.WaitGroup
	for range n {
		running.Go(func() {
			if err := c.client(quit); err != nil {
				c.t.Errorf("a client after %d requests of all: %v", c.sent.Load(), err)
			}
		})
	}
	return sync.OnceFunc(func() { close(quit); running.Wait() })
}

func (c *strictClients) client(quit chan struct{}) error {
	request := []byte("GET /cda/rest/v1/events/contents HTTP/1.1\r\nHost: " + c.address + "\r\n\r\n")
	for {
		conn, err := net.DialTimeout("tcp", c.address, clientPatience)
		if err != nil {
			return err
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(clientPatience))
		in := bufio.NewReader(conn)
		for closing := false; !closing; {
			select {
			case <-quit:
				return nil
			default:
			}
			if _, err := conn.Write(request); err != nil {
				return err
			}
			r, err := http.ReadResponse(in, nil)
			if err != nil {
				return err
			}
			var body bytes.Buffer
			_, err = body.ReadFrom(r.Body)
			if err != nil || r.StatusCode != http.StatusOK || !strings.Contains(body.String(), `"totalItems":4`) {
				return errors.Join(err, fmt.Errorf("status %d: %s", r.StatusCode, body.String()))
			}
			c.sent.Add(1)
			closing = r.Close
		}
		_ = conn.Close()
	}
}

// mostExposed is the largest exposure that systemd-analyze may find, in tenths.
const mostExposed = "15"

// TestSystemdLint: systemd knows each directive of the units, and finds the service hardened.
func TestSystemdLint(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("systemd-analyze is not here")
	}
	root := t.TempDir()
	units := filepath.Join(root, "usr/lib/systemd/system")
	for name, text := range map[string]string{"usr/bin/edgeserve": "#!/bin/sh\n", "bin/kill": "#!/bin/sh\n"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755), os.WriteFile(filepath.Join(root, name), []byte(text), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(units, os.DirFS(unitFiles)); err != nil {
		t.Fatal(err)
	}
	for _, target := range unitTargets {
		if err := os.WriteFile(filepath.Join(units, target+".target"), []byte(stubTarget(target)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("systemd-analyze", "verify", "--man=no", "--root="+root, "edgeserve.service", "edgeserve.socket").CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("verify: %v\n%s", err, out)
	}
	out, err = exec.Command("systemd-analyze", "security", "--offline=true", "--threshold="+mostExposed, filepath.Join(unitFiles, "edgeserve.service")).CombinedOutput()
	if err != nil {
		t.Errorf("security: %v\n%s", err, out)
	}
}
