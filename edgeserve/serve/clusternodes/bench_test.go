package clusternodes

import (
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/clusterhttp"
)

// instant answers at once.
func instant(context.Context, *fakes, int, clusterhttp.Request) ([]byte, error) {
	return []byte(`{"hits":{}}`), nil
}

// BenchmarkDo asks nodes for a small response: in memory, which is the cost of this package, and over
// connections to a server that costs next to nothing.
func BenchmarkDo(b *testing.B) {
	b.Run("memory", func(b *testing.B) {
		f := &fakes{nodes: []behaviour{instant}, asked: make([]int, 1), probed: make([]int, 1), inside: make([]int, 1), most: make([]int, 1)}
		benchmark(b, newNodes(f, Config{Deadline: DefaultDeadline, PerNode: DefaultPerNode, Bytes: DefaultBytes}))
	})
	for _, auth := range []struct {
		name string
		o    clusterhttp.Options
	}{{"connections", clusterhttp.Options{}}, {"signed", clusterhttp.Options{AWS: "eu-central-1/es"}}} {
		b.Run(auth.name, func(b *testing.B) {
			b.Setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
			b.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
			auth.o.Nodes = []string{"http://" + cheapServer(b)}
			n, err := New(auth.o, Config{})
			if err != nil {
				b.Fatal(err)
			}
			benchmark(b, n)
		})
	}
}

func benchmark(b *testing.B, n *Nodes) {
	defer n.Close()
	b.ReportAllocs()
	for b.Loop() {
		_, release, err := n.Do(b.Context(), search)
		if err != nil {
			b.Fatal(err)
		}
		release()
	}
}

// cheapServer answers each request alike, without parsing it: it knows where search ends.
func cheapServer(b *testing.B) string {
	b.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = ln.Close() })
	response := []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{" + strings.Repeat(" ", 998) + "}")
	serve := func(conn net.Conn) {
		defer func() { _ = conn.Close() }()
		buf := make([]byte, 8<<10)
		end := append([]byte("\r\n\r\n"), search.Body...)
		for have := 0; ; {
			n, err := conn.Read(buf[have:])
			if have += n; bytes.HasSuffix(buf[:have], end) {
				if _, err := conn.Write(response); err != nil {
					return
				}
				have = 0
			}
			if err == io.EOF || err != nil {
				return
			}
		}
	}
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go serve(conn)
		}
	}()
	return ln.Addr().String()
}
