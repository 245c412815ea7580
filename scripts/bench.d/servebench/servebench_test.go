// These tests evaluate synthetic figures.

package servebench

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// measured has all servers in one case with three rounds; the arguments are the median
// CPU times.
func measured(t *testing.T) *Results {
	t.Helper()
	r := &Results{Files: 3, Cases: []string{"a < b"}}
	for i, name := range []string{ours, nginxOff, nginxOn, caddy} {
		e := &Server{Name: name, Title: name, Cases: map[string]Case{}}
		e.sent("a < b", int64(100+i/3))
		f := e.Cases["a < b"]
		for _, ms := range []int64{3, 9, 1} {
			f.cpus = append(f.cpus, ms*1000*int64(4-i+5*(i/3)))
			f.rates, f.p50s, f.p99s = append(f.rates, 500), append(f.p50s, 5), append(f.p99s, 6)
			f.pacedRates, f.pacedP50s, f.pacedP99s = append(f.pacedRates, 123), append(f.pacedP50s, 3), append(f.pacedP99s, 4+int64(i))
		}
		e.Cases["a < b"] = f
		r.Servers = append(r.Servers, e)
	}
	r.summarise()
	return r
}

func TestTable(t *testing.T) {
	var b strings.Builder
	if err := measured(t).table(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| a < b | 12.0 | 9.00 | 6.00 | ~18.0 | 2.00 | 0.67 |", "| a < b | 500 | 500 | 500 | 500 |", "| a < b | 5 / 6 |",
		"some 100 requests", "| a < b | 3 / 4 | 3 / 5 | 3 / 6 | 3 / 7 | 0.80 | 0.57 |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, b.String())
		}
	}
}

func TestChartIsXML(t *testing.T) {
	drawn := measured(t).chart()
	for d := xml.NewDecoder(bytes.NewReader(drawn)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"a &lt; b", ">12.0<", colours[caddy]} {
		if !strings.Contains(string(drawn), want) {
			t.Errorf("the chart lacks %q", want)
		}
	}
}

func TestReadSample(t *testing.T) {
	if s, err := readSample("Running\n\nmeasured 1000 2000000 5 6 0: connect 0, status 0\n"); err != nil || s != (sample{1000, 2e6, 5, 6, 0}) || s.rate() != 500 {
		t.Errorf("got %v, %v", s, err)
	}
	for out, want := range map[string]string{
		"":                            `wrk says ""`,
		"\nmeasured 1 2: connect 0\n": "EOF",
		"\nmeasured 10 1000 1 1 1: read 0, status 1\n": "1 of 10 requests failed: read 0, status 1",
	} {
		if _, err := readSample(out); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: %v", out, err)
		}
	}
}

func TestTicks(t *testing.T) {
	n, err := ticks([]byte("7 (a) b (c) S 1 7 7 0 -1 4194560 100 0 0 0 250 42 0 0 20 0 1 0\n"))
	if err != nil || n != 292 {
		t.Errorf("got %d, %v", n, err)
	}
	if _, err := ticks([]byte("7 (a) S 1")); err == nil {
		t.Error("a short line was taken")
	}
}
