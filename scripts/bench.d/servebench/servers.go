// This file starts the servers, each configured for this task.

package servebench

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"bench/releasebench"
	"contentedge/edgeserve/listenaddr/freeport"
	"contentedge/edgeserve/wire/release"
)

// server is a running server.
type server struct {
	name, title string
	addr        string
	port        *freeport.Loan
	cmd         *exec.Cmd
}

// The servers' names.
const (
	ours      = "ours"
	unkept    = "ours-unkept"    // ours, without a cache
	unfast    = "ours-fiber"     // ours, without the fast path
	elsewhere = "ours-elsewhere" // ours, attacked instead of the measured one
	floor     = "fiber-bare"     // Fiber with the items in memory, and nothing else
	nginxOff  = "nginx-read"
	nginxOn   = "nginx-sendfile"
	caddy     = "caddy"

	// For first requests:
	bare        = "ours-bare"    // ours, without a cache and without the files of the release
	nginxClosed = "nginx-closed" // nginx, which opens the file for each request
)

// output is the file with a server's output.
const output = "output"

// start starts every installed server and waits for its first response.
func (c config) start(s *site, dir string, say func(string, ...any)) (servers []*server, err error) {
	edge := filepath.Join(c.programs, "edgeserve")
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	for _, one := range []struct {
		name, title, program string
		arguments            func(s *site, dir, addr string) ([]string, error)
	}{
		{ours, "contentedge", edge, edgeArguments()},
		{unkept, "nothing kept", edge, edgeArguments("--cache-bytes", "0")},
		{unfast, "fast path off", edge, edgeArguments("--fast-path", "off")},
		{elsewhere, "elsewhere", edge, edgeArguments()},
		{floor, "bare Fiber", self, aloneArguments},
		{bare, "nothing kept, without files", edge, bareArguments},
		{nginxOff, "nginx", "nginx", nginxArguments("off", true)},
		{nginxOn, "nginx, sendfile", "nginx", nginxArguments("on", true)},
		{nginxClosed, "nginx, no file kept open", "nginx", nginxArguments("off", false)},
		{caddy, "Caddy", "caddy", caddyArguments},
	} {
		if !slices.Contains(c.servers, one.name) {
			continue
		}
		if _, err := exec.LookPath(one.program); err != nil {
			say("without %s (--install installs it)", one.title)
			continue
		}
		home := filepath.Join(dir, one.name)
		if err := os.Mkdir(home, 0o755); err != nil {
			return servers, err
		}
		port, err := freeport.Lend()
		if err != nil {
			return servers, err
		}
		v := &server{name: one.name, title: one.title, port: port, addr: port.Addr}
		args, err := one.arguments(s, home, v.addr)
		if err != nil {
			port.Return()
			return servers, err
		}
		if err := v.run(c.serverCPU, home, one.program, args); err != nil {
			port.Return()
			return servers, err
		}
		servers = append(servers, v)
		if err := releasebench.FirstResponse("http://"+v.addr+s.items[0], time.Now()); err != nil {
			said, _ := os.ReadFile(filepath.Join(home, output))
			return servers, fmt.Errorf("%s: %w: %s", v.title, err, said)
		}
	}
	return servers, nil
}

// run starts the program on one core, with its output in a file in its home.
func (v *server) run(cpu int, home, program string, args []string) error {
	out, err := os.Create(filepath.Join(home, output))
	if err != nil {
		return err
	}
	defer out.Close() // the program has its own descriptor
	v.cmd = exec.Command("taskset", append([]string{"-c", strconv.Itoa(cpu), program}, args...)...)
	v.cmd.Stdout, v.cmd.Stderr = out, out
	v.cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+home, "XDG_CONFIG_HOME="+home)
	return v.cmd.Start()
}

// stopAll ends the servers.
func stopAll(servers []*server) error {
	var errs []error
	for _, v := range servers {
		err := v.cmd.Process.Signal(syscall.SIGTERM)
		if waited := v.cmd.Wait(); err == nil && !errors.As(waited, new(*exec.ExitError)) {
			err = waited
		}
		v.port.Return()
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func edgeArguments(more ...string) func(s *site, dir, addr string) ([]string, error) {
	return func(s *site, _, addr string) ([]string, error) {
		return append([]string{"--public", s.public, "--addr", addr}, more...), nil
	}
}

// bareArguments starts ours with only the manifest and the snapshots, as a node that follows a store has them.
func bareArguments(s *site, dir, addr string) ([]string, error) {
	public := filepath.Join(dir, "public")
	if err := os.MkdirAll(filepath.Join(public, release.SnapshotDir), 0o755); err != nil {
		return nil, err
	}
	manifest, err := filepath.EvalSymlinks(filepath.Join(s.public, release.ManifestName))
	if err != nil {
		return nil, err
	}
	snapshots, err := filepath.Glob(filepath.Join(filepath.Dir(manifest), release.SnapshotDir, "*"))
	if err != nil {
		return nil, err
	}
	for _, name := range append(snapshots, manifest) {
		base, below := filepath.Split(name)
		if below != release.ManifestName {
			below = filepath.Join(filepath.Base(base), below)
		}
		if err := os.Link(name, filepath.Join(public, below)); err != nil {
			return nil, err
		}
	}
	return []string{"--public", public, "--addr", addr, "--cache-bytes", "0"}, nil
}

// nginxConns is how many descriptors nginx has for connections.
const nginxConns = 4096

// nginxArguments configures nginx to keep as many files open as possible, or none, to log nothing,
// and to find the files of lists in one table.
func nginxArguments(sendfile string, keepOpen bool) func(s *site, dir, addr string) ([]string, error) {
	return func(s *site, dir, addr string) ([]string, error) {
		var open syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &open); err != nil {
			return nil, err
		}
		files := int(min(open.Max, 1<<20)) - nginxConns - 64 // other open files
		if files < len(s.items) {
			return nil, fmt.Errorf("only %d files may be open at once: ask for fewer than %d (--files)", open.Max, len(s.items))
		}
		openFiles := ""
		if keepOpen {
			openFiles = fmt.Sprintf("  open_file_cache max=%d inactive=1h;\n  open_file_cache_valid 1h;\n  open_file_cache_min_uses 1;\n", files)
		}
		var b strings.Builder
		if os.Getuid() == 0 {
			b.WriteString("user root;\n") // only its owner can read the release
		}
		fmt.Fprintf(&b, `worker_processes 1;
worker_rlimit_nofile %[3]d;
daemon off;
pid %[1]s/pid;
error_log %[1]s/error.log error;
events { worker_connections %[4]d; multi_accept on; }
http {
  access_log off;
  default_type application/json;
  sendfile %[2]s;
  tcp_nopush %[2]s;
  keepalive_requests 1000000000;
%[5]s  gzip_static on;
  client_body_temp_path %[1]s/body;
  proxy_temp_path %[1]s/proxy;
  fastcgi_temp_path %[1]s/fastcgi;
  uwsgi_temp_path %[1]s/uwsgi;
  scgi_temp_path %[1]s/scgi;
  map_hash_bucket_size 512;
  map $args $list {
`, dir, sendfile, min(open.Max, 1<<20), nginxConns, openFiles)
		for _, query := range slices.Sorted(maps.Keys(s.queries)) {
			fmt.Fprintf(&b, "    %q %q;\n", query, s.queries[query])
		}
		fmt.Fprintf(&b, "  }\n  server {\n    listen %[1]s;\n    root %[2]q;\n    location / {\n%[4]s    }\n    location %[3]s-list/ {\n%[5]s    }\n    location = %[3]s {\n      alias %[2]s$list;\n%[5]s    }\n  }\n}\n",
			addr, s.public, contents, s.fields.lines("      add_header %s %q;\n", release.ClassItem), s.fields.lines("      add_header %s %q;\n", release.ClassList))
		path := filepath.Join(dir, "nginx.conf")
		return []string{"-p", dir, "-c", path}, os.WriteFile(path, []byte(b.String()), 0o644)
	}
}

// caddyArguments configures Caddy in the same way.
func caddyArguments(s *site, dir, addr string) ([]string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "{\n  admin off\n  auto_https off\n}\nhttp://%s {\n  root * %q\n  map {query} {list} {\n", addr, s.public)
	for _, query := range slices.Sorted(maps.Keys(s.queries)) {
		fmt.Fprintf(&b, "    %q %q\n", query, s.queries[query])
	}
	fmt.Fprintf(&b, "  }\n  @item path %[1]s/*\n  header @item {\n%[2]s  }\n  @page path %[1]s %[1]s-list/*\n  header @page {\n%[3]s  }\n  @list path %[1]s\n  rewrite @list {list}\n  file_server {\n    precompressed gzip\n  }\n}\n",
		contents, s.fields.lines("    %s %q\n", release.ClassItem), s.fields.lines("    %s %q\n", release.ClassList))
	path := filepath.Join(dir, "Caddyfile")
	return []string{"run", "--config", path, "--adapter", "caddyfile"}, os.WriteFile(path, []byte(b.String()), 0o644)
}
