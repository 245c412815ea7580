package main

import (
	"errors"
	"flag"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/wire/release"
)

func TestParseFlags(t *testing.T) {
	c, logging, err := parseFlags([]string{"--public", "p", "--addr", ":1", "--search-timeout", "3s", "--poll", "0",
		"--admin", ":2", "--log-format", "text", "--log-level", "warn", "--access-log"}, io.Discard)
	if want := (logOptions{format: "text", level: slog.LevelWarn, access: true}); c.Admin != ":2" || logging != want {
		t.Errorf("got %+v, %+v", c, logging)
	}
	if err != nil || c.Public != "p" || c.Addr != ":1" || c.SearchTimeout != 3*time.Second || c.PollInterval != 0 {
		t.Errorf("got %+v, %v", c, err)
	}
	c, _, err = parseFlags([]string{"--cache-control", "item=max-age=5", "--cors-origin", "https://a", "--cors-origin", "http://b:1", "--response-memory", "7"}, io.Discard)
	if err != nil || c.Cache.CacheControl(release.ClassItem) != "max-age=5" || strings.Join(c.Origins, " ") != "https://a http://b:1" || c.ResponseBytes != 7 {
		t.Errorf("got %+v, %v", c, err)
	}
	c, _, err = parseFlags([]string{"--follow-insecure", "--follow", "http://files.example/x", "--accept-pointer"}, io.Discard)
	if err != nil || c.follow.Store.String() != "http://files.example/x" || !c.accept {
		t.Errorf("got %+v, %v", c, err)
	}
	for _, c := range []struct{ args, want string }{
		{"--cache-control pages=no-store", "not a class of responses"},
		{"--cache-control item", "is not class=value"},
		{"--cache-control list=@@", "of class list is not a list of directives"},
		{"--cors-origin b.example", "is not scheme://host"},
		{"--max-conns-per-ip -1", "must not be negative"},
		{"--nope", "not defined"},
		{"--addr 8080", `the address "8080" is not HOST:PORT`},
		{"--addr 127.0.0.1:99999", "from 0 to 65535"},
		{"--addr 256.0.0.1:80", "is no IP address"},
		{"--admin localhost", `the address "localhost" is not HOST:PORT`},
		{"--body-limit x", "invalid value"},
		{"public", "unexpected argument"},
		{"--max-conns 0", "connections must be positive"},
		{"--write-timeout 1s", "longer than the write timeout"},
		{"--log-format xml", "json or text"},
		{"--log-level loud", "invalid value"},
		{"--follow http://files.example/x", "use https://, or add --follow-insecure"},
		{"--follow ftp://files.example/x", "want s3://"},
		{"--accept-pointer", "--accept-pointer needs --follow"},
		{"--follow-insecure", "--follow-insecure needs --follow"},
		{"--follow-interval 5s", "--follow-interval needs --follow"},
		{"--follow-timeout 5s", "--follow-timeout needs --follow"},
		{"--stale-after 5m", "--stale-after needs --follow"},
		{"--max-pointer-age 0", "--max-pointer-age needs --follow"},
	} {
		if _, _, err := parseFlags(strings.Fields(c.args), io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.args, err)
		}
	}
	var usage strings.Builder
	if _, _, err := parseFlags([]string{"--help"}, &usage); !errors.Is(err, flag.ErrHelp) || !strings.Contains(usage.String(), "-search-timeout") {
		t.Errorf("--help: %v, %s", err, usage.String())
	}
}
