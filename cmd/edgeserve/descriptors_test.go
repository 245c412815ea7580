package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"contentedge/edgeserve"
)

func TestFitDescriptors(t *testing.T) {
	for _, c := range []struct {
		conns  int
		limit  int64
		want   int
		warned bool
	}{
		{edgeserve.DefaultMaxConns, 256, 64, true}, {edgeserve.DefaultMaxConns, 1024, 448, true}, {edgeserve.DefaultMaxConns, 65536, edgeserve.DefaultMaxConns, false},
		{edgeserve.DefaultMaxConns, 20000, 9936, false}, {edgeserve.DefaultMaxConns + 1, 20000, 9936, true}, {448, 1024, 448, false}, {449, 1024, 448, true}, {10, 0, 1, true}, {1, 0, 1, false},
	} {
		var log bytes.Buffer
		cfg := edgeserve.ServerConfig{MaxConns: c.conns, Logger: slog.New(slog.NewTextHandler(&log, nil))}
		fitDescriptors(&cfg, c.limit)
		if cfg.MaxConns != c.want || strings.Count(log.String(), "level=WARN") == 1 != c.warned {
			t.Errorf("%d connections at a limit of %d become %d: %s", c.conns, c.limit, cfg.MaxConns, log.String())
		}
	}
}
