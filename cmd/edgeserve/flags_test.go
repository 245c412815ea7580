package main

import (
	"errors"
	"flag"
	"io"
	"strings"
	"testing"
	"time"
)

func TestParseFlags(t *testing.T) {
	c, err := parseFlags([]string{"--public", "p", "--addr", ":1", "--search-timeout", "3s", "--poll", "0"}, io.Discard)
	if err != nil || c.Public != "p" || c.Addr != ":1" || c.SearchTimeout != 3*time.Second || c.PollInterval != 0 {
		t.Errorf("got %+v, %v", c, err)
	}
	for _, c := range []struct{ args, want string }{
		{"--nope", "not defined"},
		{"--body-limit x", "invalid value"},
		{"public", "unexpected argument"},
		{"--max-conns 0", "connections must be positive"},
		{"--write-timeout 1s", "longer than the write timeout"},
	} {
		if _, err := parseFlags(strings.Fields(c.args), io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.args, err)
		}
	}
	var usage strings.Builder
	if _, err := parseFlags([]string{"--help"}, &usage); !errors.Is(err, flag.ErrHelp) || !strings.Contains(usage.String(), "-search-timeout") {
		t.Errorf("--help: %v, %s", err, usage.String())
	}
}
