// This file reads requests from the memory, and writes lists of files into it.

//go:build wasip1

package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"contentedge/edgeserve/engine/offline"
	"contentedge/edgeserve/wire/release"
)

// readRequest reads a request: a line each for the method, the target and the fields, of which each is a name, a
// colon and a value; then the body.
func readRequest(b []byte, head int) *offline.Request {
	r := &offline.Request{Body: b[head:]}
	r.Method, b, _ = bytes.Cut(b[:head], lineFeed)
	r.Target, b, _ = bytes.Cut(b, lineFeed)
	for len(b) > 0 {
		var line []byte
		line, b, _ = bytes.Cut(b, lineFeed)
		name, value, _ := bytes.Cut(line, colon)
		r.Fields = append(r.Fields, offline.Field{Name: name, Value: value})
	}
	return r
}

var lineFeed, colon = []byte{'\n'}, []byte{':'}

// receiveInput begins to receive what the input names.
func receiveInput(r *offline.Release, input string) (*offline.Incoming, error) {
	environment, rest, ok := strings.Cut(input, "\n")
	if !ok {
		return r.Receive(environment)
	}
	file, rest, _ := strings.Cut(rest, "\n")
	size, sum, _ := strings.Cut(rest, "\n")
	n, err := strconv.ParseInt(size, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%s has no size: %w", file, err)
	}
	return r.ReceiveSearchOnly(environment, release.Snapshot{File: file, Bytes: n, SHA256: sum})
}

// listFiles writes a line for each file: its size, its environment, its name. Items have no environment and the size 0.
func listFiles(files []offline.File) (b []byte) {
	for _, f := range files {
		b = strconv.AppendInt(b, f.Bytes, 10)
		b = append(append(append(append(b, ' '), f.Environment...), ' '), f.Name...)
		b = append(b, '\n')
	}
	return b
}

// report tells the console why the program could not answer.
func report(cause error) {
	if cause != nil {
		_, _ = os.Stderr.WriteString("contentedge: " + cause.Error() + "\n")
	}
}

// heapGrowth is by how much the heap may grow between two collections, in bytes. Linear memory never shrinks, so
// the growth relative to the snapshots, which is Go's way, would double it.
const heapGrowth = 8 << 20

// boundHeap lets the heap grow by heapGrowth in addition to snapshots of so many bytes.
func boundHeap(snapshots int64) {
	debug.SetGCPercent(int(max(1, min(100, 100*heapGrowth/max(snapshots, 1)))))
}
