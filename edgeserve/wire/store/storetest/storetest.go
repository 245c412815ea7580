// Package storetest runs a real S3 service for tests, and a proxy that injects faults. The service
// is versitygw; tests that need it are skipped unless scripts/versitygw has installed it.
package storetest

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"contentedge/edgeserve/listenaddr/freeport"
)

// Version is the version that scripts/versitygw installs.
const Version = "v1.8.0"

// Access and Secret are the service's credentials. They are also canaries: no output may contain them.
const (
	Access = "CANARYACCESSKEYID"
	Secret = "canary/secret+access/key"
)

// Bucket is the service's only bucket.
const Bucket = "releases"

// Service is a running S3 service.
type Service struct {
	Addr string
	Dir  string // contains the bucket's directory
	bin  string
	cmd  *exec.Cmd
	log  bytes.Buffer
}

// Start runs a service with an empty bucket until the test ends and points S3 clients to it.
func Start(t testing.TB) *Service {
	t.Helper()
	s := Serve(t)
	Environment(t, s.URL())
	return s
}

// Serve runs a service with an empty bucket until the test ends. It sets no variables, so that
// parallel tests can use it: they pass the Variables of its URL to their programs.
func Serve(t testing.TB) *Service {
	t.Helper()
	s := &Service{bin: Installed(t), Dir: Dir(t), Addr: freeport.Addr(t)}
	if err := os.Mkdir(filepath.Join(s.Dir, Bucket), 0o755); err != nil {
		t.Fatal(err)
	}
	s.Run(t)
	t.Cleanup(func() {
		s.Stop()
		if t.Failed() {
			t.Logf("the S3 service:\n%s", s.log.String())
		}
	})
	return s
}

// URL returns the endpoint of the service.
func (s *Service) URL() string { return "http://" + s.Addr }

// Environment points S3 clients of this process and its children to an endpoint.
func Environment(t testing.TB, endpoint string) {
	for name, value := range Variables(endpoint) {
		t.Setenv(name, value)
	}
}

// Variables returns the variables that Environment sets.
func Variables(endpoint string) map[string]string {
	return map[string]string{
		"AWS_ENDPOINT_URL_S3": endpoint, "AWS_ENDPOINT_URL": "", "AWS_REGION": "us-east-1",
		"AWS_ACCESS_KEY_ID": Access, "AWS_SECRET_ACCESS_KEY": Secret, "AWS_SESSION_TOKEN": "",
		"AWS_EC2_METADATA_DISABLED": "true", "HTTP_PROXY": "", "http_proxy": "",
	}
}

// Run starts the service again after Stop, with the data that it had.
func (s *Service) Run(t testing.TB) {
	t.Helper()
	s.cmd = exec.Command(s.bin, "--port", s.Addr, "--region", "us-east-1", "--quiet", "posix", s.Dir)
	s.cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+Access, "ROOT_SECRET_KEY="+Secret)
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	WaitFor(t, "the S3 service", func() bool {
		r, err := http.Get("http://" + s.Addr + "/")
		if err == nil {
			_ = r.Body.Close()
		}
		return err == nil
	})
}

// Stop kills the service.
func (s *Service) Stop() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		s.cmd = nil
	}
}

// WaitFor polls until ok returns true, and fails the test after a minute.
func WaitFor(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("timed out waiting for %s", what)
		}
	}
}

// Installed returns the service's program or skips the test.
func Installed(t testing.TB) string {
	t.Helper()
	if path := installed(); path != "" {
		return path
	}
	t.Skip("no S3 service: install it with scripts/versitygw")
	return ""
}

var installed = sync.OnceValue(func() string {
	if path := os.Getenv("TEST_CONTENTEDGE_S3"); path != "" { // scripts/test sets it, so that Go's cache of results knows the value
		return path
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	path := filepath.Join(dir, "contentedge", "versitygw-"+Version)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
})

// Dir returns a directory in memory if possible: the service's attributes are slow on disk.
func Dir(t testing.TB) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp("/dev/shm", "contentedge-s3-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
