package edgeserve

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"contentedge/edgeserve/serve/bodies"
)

// BenchmarkUncached sends requests whose responses are never cached: each is a first one. It reports
// the processor time of server and client together.
func BenchmarkUncached(b *testing.B) {
	long := site
	long.note = strings.Repeat("many words ", bodies.Large/16)
	for _, test := range []struct {
		name, target string
		site         fixture
	}{
		{"item", listRoot + "/Content_1", site},
		{"list page", listRoot, site},
		{"list page by its file", "/" + firstPage, site},
		{"list page of 45 KB from the disk", listRoot, long},
		{"list without a file", listRoot + "?pageSize=3", site},
	} {
		for _, conns := range []int{1, 16} {
			b.Run(fmt.Sprintf("%s/%d connections", test.name, conns), func(b *testing.B) {
				dir := b.TempDir()
				test.site.write(b, dir)
				s := openSite(b, dir, func(c *ServerConfig) { c.CacheBytes = 0 })
				benchmarkRequests(b, serveUntilEnd(b, s), test.target, conns)
			})
		}
	}
}

func serveUntilEnd(b *testing.B, s *Server) (addr string) {
	b.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(b.Context(), ln) }()
	b.Cleanup(func() {
		if err := <-served; err != nil {
			b.Error(err)
		}
	})
	return ln.Addr().String()
}

// benchmarkRequests sends b.N requests for a target over so many connections.
func benchmarkRequests(b *testing.B, addr, target string, conns int) {
	b.Helper()
	request := []byte("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n")
	var all sync.WaitGroup
	before := processorTime(b)
	b.ResetTimer()
	for i := range conns {
		all.Go(func() {
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				b.Error(err)
				return
			}
			defer conn.Close()
			r := bufio.NewReaderSize(conn, 64<<10)
			for range (b.N + i) / conns {
				if _, err := conn.Write(request); err != nil {
					b.Error(err)
					return
				}
				response, err := http.ReadResponse(r, nil)
				if err != nil || response.StatusCode != http.StatusOK {
					b.Error(response, err)
					return
				}
				if _, err := io.Copy(io.Discard, response.Body); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	b.StopTimer()
	b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
