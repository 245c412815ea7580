package logs

import (
	"bytes"
	"encoding/json"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var answeredAt = time.Date(2026, 3, 4, 5, 6, 7, 89000, time.UTC)

func example() Request {
	return Request{
		ID: "id-1", Client: netip.MustParseAddr("203.0.113.7"), Peer: netip.MustParseAddrPort("10.0.0.1:4711"),
		Method: []byte("GET"), Target: []byte("/a\r\n{\"x\":1}\x1b[2J\u2028"), Protocol: []byte("HTTP/1.1"),
		Fields: Fields{Host: []byte("www.example"), UserAgent: []byte(`a "b" \c`), Referer: []byte("https://r.example/?q=1 2"), TraceID: []byte("4bf92f3577b34da6a3ce929d0e0e4736")},
		Status: 200, Bytes: 12, Duration: 1500 * time.Nanosecond, Coding: []byte("br"), Release: "0123456789abcdef", Cache: "hit",
	}
}

// TestLogs shows a request in the access log: one line in each format, whatever the client sent.
func TestLogs(t *testing.T) {
	for name, want := range map[string]string{
		"json": `{"time":"2026-03-04T05:06:07.000089Z","level":"INFO","msg":"request","id":"id-1","client":"203.0.113.7","peer":"10.0.0.1:4711","method":"GET","host":"www.example",` +
			`"target":"/a\\x0d\\x0a{\"x\":1}\\x1b[2J\\xe2\\x80\\xa8","protocol":"HTTP/1.1","status":200,"error":"","bytes":12,"duration_us":1.5,"cache":"hit","coding":"br","release":"0123456789abcdef",` +
			`"referer":"https://r.example/?q=1 2","user_agent":"a \"b\" \\\\c","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736"}`,
		"text": `time=2026-03-04T05:06:07.000089Z level=INFO msg=request id=id-1 client=203.0.113.7 peer=10.0.0.1:4711 method=GET host=www.example ` +
			`target="/a\\x0d\\x0a{\"x\":1}\\x1b[2J\\xe2\\x80\\xa8" protocol=HTTP/1.1 status=200 error="" bytes=12 duration_us=1.5 cache=hit coding=br release=0123456789abcdef ` +
			`referer="https://r.example/?q=1 2" user_agent="a \"b\" \\\\c" trace_id=4bf92f3577b34da6a3ce929d0e0e4736`,
		"combined": `203.0.113.7 - - [04/Mar/2026:05:06:07 +0000] "GET /a\x0d\x0a{\x22x\x22:1}\x1b[2J\xe2\x80\xa8 HTTP/1.1" 200 12 "https://r.example/?q=1 2" "a \x22b\x22 \x5cc"`,
		"ecs": `{"@timestamp":"2026-03-04T05:06:07.000089Z","log.level":"info","ecs.version":"8.11.0","event.kind":"event","event.category":["web"],"event.type":["access"],"event.dataset":"contentedge.access",` +
			`"event.duration":1500,"client.ip":"203.0.113.7","source.ip":"10.0.0.1","source.port":4711,"http.request.method":"GET","http.request.id":"id-1","http.response.status_code":200,"http.response.body.bytes":12,` +
			`"url.original":"/a\\x0d\\x0a{\"x\":1}\\x1b[2J\\xe2\\x80\\xa8","url.domain":"www.example","http.request.referrer":"https://r.example/?q=1 2","user_agent.original":"a \"b\" \\\\c",` +
			`"trace.id":"4bf92f3577b34da6a3ce929d0e0e4736","labels.coding":"br","labels.release":"0123456789abcdef","labels.cache":"hit"}`,
	} {
		t.Run(name, func(t *testing.T) {
			format, err := FormatOf(name)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(format(nil, example(), answeredAt)); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
	t.Run("a request that was not read", func(t *testing.T) {
		if got, want := string(Combined(nil, Request{Status: 400}, answeredAt)), `- - - [04/Mar/2026:05:06:07 +0000] "-" 400 0 "-" "-"`; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
	t.Run("an unknown format", func(t *testing.T) {
		if _, err := FormatOf("common"); err == nil || !strings.Contains(err.Error(), "combined") {
			t.Error(err)
		}
	})
	t.Run("each line ends", func(t *testing.T) {
		var out bytes.Buffer
		a := NewAccess(&out, Combined)
		a.Log(example())
		a.Log(example())
		if err := a.Close(t.Context()); err != nil || strings.Count(out.String(), "\n") != 2 {
			t.Errorf("%v: %s", err, out.String())
		}
	})
}

// combinedLine reads the combined format strictly: what stands in quotes has no quote.
var combinedLine = regexp.MustCompile(`^(\S+) - - \[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d \+0000\] "([^"]*)" (\d{3}) (\d+) "([^"]*)" "([^"]*)"$`)

// FuzzAccess: whatever clients send, each format has one bounded line of printable ASCII that its readers
// read, and no member of a line becomes another.
func FuzzAccess(f *testing.F) {
	f.Add([]byte("GET"), []byte("/"), []byte("a"), []byte("agent"), []byte("ref"))
	f.Add([]byte("\n"), []byte(`" 200 1 "x" "y`), []byte(`\`), []byte("\xff\u202e"), []byte(`"}{"status":500,"a":"`))
	long := bytes.Repeat([]byte{0xff}, 20000)
	f.Add(long, long, long, long, long)
	f.Fuzz(func(t *testing.T, method, target, host, agent, referer []byte) {
		r := example()
		r.Method, r.Target, r.Fields.Host, r.Fields.UserAgent, r.Fields.Referer = method, target, host, agent, referer
		for _, c := range formats {
			line := c.format(nil, r, answeredAt)
			if len(line) > maxLine || c.name == "combined" && len(line) >= 4096 {
				t.Fatalf("%s: %d bytes", c.name, len(line))
			}
			for _, b := range line {
				if b < 0x20 || b > 0x7e {
					t.Fatalf("%s has byte %#x: %q", c.name, b, line)
				}
			}
			switch c.name {
			case "json", "ecs":
				checkObject(t, line, target)
			case "combined":
				if m := combinedLine.FindSubmatch(line); m == nil || string(m[1]) != "203.0.113.7" || string(m[3]) != "200" || string(m[4]) != "12" {
					t.Fatalf("%q", line)
				}
			}
		}
	})
}

func checkObject(t *testing.T, line, target []byte) {
	t.Helper()
	members := map[string]any{}
	d := json.NewDecoder(bytes.NewReader(line))
	if err := d.Decode(&members); err != nil {
		t.Fatalf("%v: %q", err, line)
	}
	if _, err := d.Token(); err != io.EOF {
		t.Fatalf("more than one value: %q", line)
	}
	printed, ok := members["target"]
	if !ok {
		printed = members["url.original"]
	}
	status, ok := members["status"]
	if !ok {
		status = members["http.response.status_code"]
	}
	if printed != Printable(target) || status != 200. {
		t.Fatalf("%q of status %v for %q", printed, status, target)
	}
}

func TestFieldsOf(t *testing.T) {
	const id, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	f := FieldsOf([]byte("Host: h\r\nuser-agent:\tu \r\nReferer: r\r\nReferer: s\r\ntraceparent: 00-" + id + "-" + parent + "-01\r\n\r\n"))
	if string(f.Host) != "h" || string(f.UserAgent) != "u" || string(f.Referer) != "r" || string(f.TraceID) != id {
		t.Errorf("%q", f)
	}
	if f := FieldsOf(nil); f.Host != nil || f.TraceID != nil {
		t.Errorf("%q", f)
	}
	for value, want := range map[string]string{
		"00-" + id + "-" + parent + "-00":                      id,
		"01-" + id + "-" + parent + "-00":                      id,
		"01-" + id + "-" + parent + "-00-more":                 id,
		"00-" + id + "-" + parent + "-00-more":                 "",
		"01-" + id + "-" + parent + "-00more":                  "",
		"ff-" + id + "-" + parent + "-00":                      "",
		"00-" + strings.ToUpper(id) + "-" + parent + "-00":     "",
		"00-" + strings.Repeat("0", 32) + "-" + parent + "-00": "",
		"00-" + id + "-" + strings.Repeat("0", 16) + "-00":     "",
		"00-" + id + "-" + parent + "-0":                       "",
		"00-" + id + "-" + parent + "-0g":                      "",
		"00_" + id + "-" + parent + "-00":                      "",
		"":                                                     "",
		"00-" + id + "-" + parent + "-00\r\ntraceparent: 00-" + id + "-" + parent + "-00": "",
	} {
		if got := string(FieldsOf([]byte("traceparent: " + value + "\r\n\r\n")).TraceID); got != want {
			t.Errorf("%q: %q", value, got)
		}
	}
}

// GoAccess reads every line of the combined format, hostile ones too, and finds their clients.
func TestGoAccess(t *testing.T) {
	bin, err := exec.LookPath("goaccess")
	if err != nil {
		t.Skipf("goaccess is not installed: whether it reads the combined format is not tested here (%v)", err)
	}
	var out []byte
	requests := []Request{example(), example(), example(), example()}
	requests[1].Client, requests[1].Target = netip.MustParseAddr("2001:db8::7"), []byte("/cda/rest/v1/site/contents?searchByName=%22a%22&page=2")
	requests[2].Fields = Fields{}
	requests[3].Target, requests[3].Fields.UserAgent = bytes.Repeat([]byte(`" \`), 900), bytes.Repeat([]byte("\xff"), 2000)
	for _, r := range requests {
		out = append(Combined(out, r, answeredAt), '\n')
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "access.log"), out, 0o644); err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(dir, "report.json")
	cmd := exec.Command(bin, filepath.Join(dir, "access.log"), "--no-global-config", "--log-format=COMBINED", "--invalid-requests="+filepath.Join(dir, "invalid"), "-o", report)
	cmd.Env = append(os.Environ(), "HOME="+dir)
	if log, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, log)
	}
	var read struct {
		General struct {
			Valid  int `json:"valid_requests"`
			Failed int `json:"failed_requests"`
		}
		Hosts struct {
			Data []struct{ Data string }
		}
	}
	b, err := os.ReadFile(report)
	if err == nil {
		err = json.Unmarshal(b, &read)
	}
	if err != nil || read.General.Valid != len(requests) || read.General.Failed != 0 || len(read.Hosts.Data) != 2 {
		invalid, _ := os.ReadFile(filepath.Join(dir, "invalid"))
		t.Errorf("%v: %+v; not read: %s", err, read, invalid)
	}
}

func BenchmarkAccess(b *testing.B) {
	r := example()
	r.Target, r.Fields.UserAgent = []byte("/cda/rest/v1/site/contents/Content_1"), []byte("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0")
	for _, f := range formats {
		b.Run(f.name, func(b *testing.B) {
			a := NewAccess(io.Discard, f.format)
			b.ReportAllocs()
			for b.Loop() {
				a.Log(r)
			}
			_ = a.Close(b.Context())
		})
	}
}
