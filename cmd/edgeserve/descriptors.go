// This file fits the number of connections to the descriptors of the process.

package main

import (
	"context"
	"log/slog"

	"contentedge/edgeserve"
	"contentedge/edgeserve/fdlimit"
)

// fewConns is the number of connections below which a limit without a setting is worth a warning.
const fewConns = 4096

// fitDescriptors lowers the number of connections to what the process has descriptors for. Unlike a budget of memory,
// a setting cannot go beyond this limit.
func fitDescriptors(c *edgeserve.ServerConfig, limit int64) {
	room := fdlimit.Conns(limit)
	if int64(c.MaxConns) <= room {
		return
	}
	level := slog.LevelWarn
	if c.MaxConns == edgeserve.DefaultMaxConns && room >= fewConns {
		level = slog.LevelInfo
	}
	c.Logger.Log(context.Background(), level, "--max-conns is lowered: the limit of open files (RLIMIT_NOFILE) has no room for as many connections; raise the limit, or set --max-conns",
		"max_conns", room, "max_conns_before", c.MaxConns, "open_files", limit)
	c.MaxConns = int(room)
}
