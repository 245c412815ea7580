// These tests read command lines and settings of the server.

package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"contentedge/cmd/cli"
	"contentedge/edgeserve/serve/statuspage"
	"contentedge/edgeserve/wire/release"
)

// parsed returns the options of a command line, with a file of settings and an environment.
func parsed(environ []string, args ...string) (options, error) {
	var o options
	err := newProgram(io.Discard, io.Discard, environ, func(_ context.Context, got *options) error { o = *got; return nil }).Run(context.Background(), args)
	return o, err
}

func TestFlags(t *testing.T) {
	c, err := parsed(nil, "--public", "p", "--addr", ":1", "--search-timeout", "3s", "--poll", "0",
		"--admin", ":2", "--log-format", "text", "--log-level", "WARN", "--access-log", "--access-format", "combined", "--trusted-proxies", "private", "--trusted-proxies", "192.0.2.0/24", "--client-ip-from", "forwarded")
	if want := (logOptions{format: "text", level: slog.LevelWarn, access: true, accessAs: "combined"}); c.Admin != ":2" || strings.Join(c.TrustedProxies, " ") != "private 192.0.2.0/24" || c.ClientIPFrom != "forwarded" || c.logging != want {
		t.Errorf("got %+v", c)
	}
	if err != nil || c.Public != "p" || c.Addr != ":1" || c.SearchTimeout != 3*time.Second || c.PollInterval != 0 {
		t.Errorf("got %+v, %v", c, err)
	}
	c, err = parsed(nil, "--cache-control", "item=max-age=5", "--cors-origin", "https://a", "--cors-origin", "http://b:1", "--response-memory", "7")
	if err != nil || c.Cache.CacheControl(release.ClassItem) != "max-age=5" || strings.Join(c.Origins, " ") != "https://a http://b:1" || c.ResponseBytes != 7 {
		t.Errorf("got %+v, %v", c, err)
	}
	c, err = parsed(nil, "--follow-insecure", "--follow", "http://files.example/x", "--accept-pointer")
	if err != nil || c.follow.Store.String() != "http://files.example/x" || !c.accept {
		t.Errorf("got %+v, %v", c, err)
	}
	c, err = parsed(nil, "--rate-limit", "600/m", "--rate-burst", "50", "--search-rate", "100ms/s", "--search-burst", "2s", "--rate-exempt", "loopback")
	if limit, _ := c.RateLimit.MarshalText(); err != nil || string(limit) != "600/m" || c.RateBurst != 50 || c.SearchRate.IsZero() || c.SearchBurst != 2*time.Second || len(c.RateExempt) != 1 {
		t.Errorf("got %+v, %v", c, err)
	}
	c, err = parsed(nil, "--memory-limit", "64MiB", "--cache-bytes", "40MiB")
	if err != nil || c.CacheBytes != 40<<20 || c.ResponseBytes != 16<<20 {
		t.Errorf("budgets: %+v, %v", c, err)
	}
	for _, c := range []struct{ args, want string }{
		{"--cache-control pages=no-store", "not a class of responses"},
		{"--cache-control item", "is not class=value"},
		{"--cache-control list=@@", "of class list is not a list of directives"},
		{"--cors-origin b.example", "is not scheme://host"},
		{"--documentation docs.example", "write one that begins with https:// or http://"},
		{"--documentation javascript:alert(1)", `the documentation "javascript:alert(1)" is not a URL`},
		{"--trusted-proxies 10.0.0.1/8", "write 10.0.0.0/8"},
		{"--trusted-proxies ::/0", "has every address"},
		{"--client-ip-from forwarded", "--client-ip-from needs --trusted-proxies"},
		{"--trusted-proxies private --client-ip-from a:b", "is read from a header field"},
		{"--rate-limit 50", "write 50/s"},
		{"--rate-limit 0/s", "write 50/s"},
		{"--rate-burst 5", "--rate-burst needs --rate-limit"},
		{"--rate-limit 1/s --rate-burst -1", "requests at once must be 0"},
		{"--search-rate 100", "write 100ms/s"},
		{"--search-rate 1s/s --search-burst 2h", "at once must be 0 to 1h0m0s"},
		{"--rate-exempt 0.0.0.0/0", "has every address"},
		{"--server-timing ::/0", "has every address"},
		{"--access-format ecs", "--access-format needs --access-log"},
		{"--access-log --access-format common", "must be auto, json, text, combined or ecs"},
		{"--max-conns-per-ip -1", "must not be negative"},
		{"--tls-cert a", "--tls-cert needs --tls-key"},
		{"--tls-key a", "--tls-key needs --tls-cert"},
		{"--drain-grace -1s", "drain grace must not be negative"},
		{"--drain-delay 1h", "drain delay must be 0s to 10m0s"},
		{"--start-timeout -1s", "start timeout must not be negative"},
		{"--nope", "unknown flag --nope"},
		{"--adr :80", "did you mean --addr?"},
		{"--addr 8080", `the address "8080" is not HOST:PORT`},
		{"--addr 127.0.0.1:99999", "from 0 to 65535"},
		{"--addr 256.0.0.1:80", "is not an IP address"},
		{"--admin localhost", `the address "localhost" is not HOST:PORT`},
		{"--body-limit x", `invalid value "x" for --body-limit`},
		{"public", `unknown command "public"`},
		{"--max-conns 0", "connections must be positive"},
		{"--write-timeout 1s", "longer than the write timeout"},
		{"--log-format xml", "must be auto, json or text"},
		{"--log-level loud", "must be debug, info, warn or error"},
		{"--follow http://files.example/x", "use https://, or add --follow-insecure"},
		{"--follow ftp://files.example/x", "want s3://"},
		{"--accept-pointer", "--accept-pointer needs --follow"},
		{"--trust trust", "--trust needs --follow"},
		{"--follow https://files.example/x --trust /none/trust", "the trust file: stat /none/trust"},
		{"--follow https://files.example/x --refuse-expired", "--refuse-expired needs --trust"},
		{"--follow-insecure", "--follow-insecure needs --follow"},
		{"--admin-host ops.example", "--admin-host needs --admin"},
		{"--pprof", "--pprof needs --admin"},
		{"--admin :2 --admin-host ops.example:80", "is not a name or an address without a port"},
		{"--slow-searches -1", "must be 0 to 100"},
		{"--slow-searches 101", "must be 0 to 100"},
		{"--follow-interval 5s", "--follow-interval needs --follow"},
		{"--follow-timeout 5s", "--follow-timeout needs --follow"},
		{"--stale-after 5m", "--stale-after needs --follow"},
		{"--max-pointer-age 0", "--max-pointer-age needs --follow"},
	} {
		_, err := parsed(nil, strings.Fields(c.args)...)
		if _, usage := errors.AsType[*cli.UsageError](err); !usage || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.args, err)
		}
	}
}

func TestSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "node.conf")
	if err := os.WriteFile(file, []byte("addr = :81\npoll = 8s\ncors-origin = https://a\ncors-origin = https://b\ncache-control = item=max-age=5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := parsed([]string{"CONTENTEDGE_CONFIG=" + file, "CONTENTEDGE_POLL=9s", "CONTENTEDGE_ADDR=:82"}, "--addr", ":83")
	if err != nil || c.Addr != ":83" || c.PollInterval != 9*time.Second || strings.Join(c.Origins, " ") != "https://a https://b" || c.Cache.CacheControl(release.ClassItem) != "max-age=5" {
		t.Errorf("got %+v, %v", c, err)
	}
	if _, err := parsed([]string{"CONTENTEDGE_ACCEPT_POINTER=true"}); err == nil || !strings.Contains(err.Error(), "on the command line only") {
		t.Errorf("an action in a variable: %v", err)
	}
}

func TestFinish(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
		want string
	}{
		{nil, 0, ""},
		{errReported, 1, ""},
		{errors.New("no store"), 1, "edgeserve: no store\n"},
		{&cli.UsageError{Message: "no", Hint: "yes"}, 3, "edgeserve: no\n  hint: yes\n"},
	} {
		var w strings.Builder
		if code := finish(c.err, &w); code != c.code || w.String() != c.want {
			t.Errorf("%v: %d, %q", c.err, code, w.String())
		}
	}
}

// The admin page gets each setting with what set it, and the program's version.
func TestSettingsOfThePage(t *testing.T) {
	o, err := parsed([]string{"CONTENTEDGE_POLL=9s"}, "--admin", ":2", "--admin-host", "ops.example", "--admin-host", "b.example", "--pprof", "--slow-searches", "5")
	if err != nil || !o.Profiling || o.SlowSearches != 5 || strings.Join(o.AdminHosts, " ") != "ops.example b.example" {
		t.Fatalf("%+v, %v", o, err)
	}
	for _, want := range []statuspage.Setting{
		{Name: "admin", Value: ":2", Source: "flag"}, {Name: "poll", Value: "9s", Source: "$CONTENTEDGE_POLL"}, {Name: "scrub", Value: "1h", Source: "default"},
		{Name: "admin-host", Value: "ops.example", Source: "flag"}, {Name: "admin-host", Value: "b.example", Source: "flag"},
	} {
		if !slices.Contains(o.Settings, want) {
			t.Errorf("%+v is not among %+v", want, o.Settings)
		}
	}
	for _, s := range o.Settings {
		if s.Name == "config" || s.Name == "accept-pointer" || s.Source == "" {
			t.Errorf("%+v is no setting of a server", s)
		}
	}
	if len(o.Versions) < 4 || o.Version == "" || o.Versions[0].Value != o.Version {
		t.Errorf("versions %+v, %q", o.Versions, o.Version)
	}
}
