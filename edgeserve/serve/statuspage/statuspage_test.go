package statuspage

import (
	"bytes"
	"fmt"
	stdhtml "html"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/serve/slowlog"
)

var now = time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC)

// figuresOf are the figures of a page, by their selectors.
func figuresOf(page []byte) map[string]string {
	all := map[string]string{}
	for _, m := range regexp.MustCompile(`<data value="([^"]*)" data-metric="([^"]*)">`).FindAllSubmatch(page, -1) {
		all[strings.ReplaceAll(string(m[2]), "&#34;", `"`)] = string(m[1])
	}
	return all
}

func textOf(write func(*prometheus.Text)) prometheus.Samples {
	var t prometheus.Text
	write(&t)
	return prometheus.Read(t.Bytes())
}

// TestStatusPage: the figures are sums of the samples that they name, and what is missing has none.
func TestStatusPage(t *testing.T) {
	p := Page{Now: now, History: new(History), Metrics: textOf(func(t *prometheus.Text) {
		t.Family("contentedge_release_info", "gauge", "")
		t.Uint(1, "build", "0123456789abcdef")
		t.Family("contentedge_http_requests_total", "counter", "")
		t.Uint(1234, "route", "item", "code", "200")
		t.Uint(5, "route", "item", "code", "404")
		t.Uint(6, "route", "item", "code", "429")
		t.Uint(7, "route", "list", "code", "503")
		t.Family("contentedge_memory_used_bytes", "gauge", "")
		t.Uint(3<<20, "budget", "cache")
		t.Family("contentedge_memory_budget_bytes", "gauge", "")
		t.Uint(4<<20, "budget", "cache")
	})}
	page := p.HTML()
	figures := figuresOf(page)
	for selector, want := range map[string]string{
		`contentedge_http_requests_total{route="item"}`:             "1245",
		`contentedge_http_requests_total{route="item",code=~"4.."}`: "11",
		`contentedge_http_requests_total{route="item",code=~"5.."}`: "0",
		`contentedge_http_requests_total{route="list",code=~"5.."}`: "7",
		`contentedge_http_requests_total{code="429"}`:               "6",
		`contentedge_memory_used_bytes{budget="cache"}`:             "3.145728e+06",
	} {
		if figures[selector] != want {
			t.Errorf("%s: %q, want %s", selector, figures[selector], want)
		}
	}
	for _, text := range []string{">1,245<", ">3.00 MiB<", " 75.0 %", "<code>0123456789abcdef</code>", "Ready: this node serves a release."} {
		if !bytes.Contains(page, []byte(text)) {
			t.Errorf("the page lacks %q", text)
		}
	}
	if figures[`contentedge_http_requests_total{code="200"}`] != "" || bytes.Contains(page, []byte("Following")) {
		t.Error("a 200 is a refusal, or there is something to follow")
	}
}

// hostile is text that would be markup, or would hide what it is.
const hostile = `"><script>alert(1)</script><img src=x onerror=alert(2)>' onmouseover='alert(3)` + "\x00\x1b[31m\u202e\u2028\ufeff\xff</style></title><!--"

// However hostile texts are, they are texts.
func TestHostileTexts(t *testing.T) {
	p := Page{Now: now, NotReady: hostile, History: new(History), Refusal: &Refusal{now, hostile, []string{hostile}},
		Following: []byte(`{"store":"<script>alert(4)</script>","<b>name":{"x":"<i>"},"sta<le":true,"odd":"\u003cimg src=x\u003e"}`),
		Slow:      []slowlog.Entry{{At: now, Took: time.Second, Environment: hostile, Target: hostile, Body: hostile, BodyBytes: len(hostile) + 9, Code: hostile}},
		Settings:  []Setting{{hostile, hostile, hostile}}, Versions: []Setting{{hostile, hostile, hostile}},
		Metrics: textOf(func(t *prometheus.Text) {
			for _, family := range []struct{ name, label string }{
				{"contentedge_release_info", "build"}, {"contentedge_release_items", "environment"}, {"contentedge_http_requests_total", "route"},
				{"contentedge_search_rejections_total", "code"}, {"contentedge_memory_budget_bytes", "budget"},
			} {
				t.Family(family.name, "gauge", "")
				t.Uint(1, family.label, hostile)
			}
		})}
	page := string(p.HTML())
	if n := strings.Count(page, "<script"); n != 1 {
		t.Errorf("%d scripts, want the page's own", n)
	}
	for _, bad := range []string{"<img", "<b>", "<i>", "<!--", "\x00", "\x1b", "\u202e", "\u2028", "\ufeff", "\xff", "' onmouseover"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	for _, good := range []string{`\x00\x1b[31m\u202e\u2028\ufeff\xff`, "&lt;script&gt;alert(4)", "and 9 bytes more"} {
		if !strings.Contains(page, good) {
			t.Errorf("the page lacks %q", good)
		}
	}
}

func TestQuantiles(t *testing.T) {
	inf := math.Inf(1)
	h := histogram{bounds: []float64{1, 2, 4, inf}, counts: []float64{10, 30, 40, 50}}
	for _, c := range []struct {
		q, want float64
		beyond  bool
	}{{0.1, 0.5, false}, {0.2, 1, false}, {0.4, 1.5, false}, {0.8, 4, false}, {0.9, 4, true}, {1, 4, true}} {
		if got, beyond := h.quantile(c.q); math.Abs(got-c.want) > 1e-9 || beyond != c.beyond {
			t.Errorf("quantile %g: %g, %t, want %g, %t", c.q, got, beyond, c.want, c.beyond)
		}
	}
	if got := h.percentile(0.95); got != "> 4.00 s" {
		t.Errorf("above all bounds: %s", got)
	}
	if got := h.since(h).percentile(0.5); got != "–" {
		t.Errorf("of nothing: %s", got)
	}
	if got := (histogram{}).percentile(0.5); got != "–" {
		t.Errorf("without buckets: %s", got)
	}
	later := histogram{bounds: h.bounds, counts: []float64{10, 30, 45, 55}}
	if got, _ := later.since(h).quantile(0.5); got != 3 {
		t.Errorf("of five later ones: %g", got)
	}
}

// samplesAt are counters of a node that has answered n requests, of which each tenth failed.
func samplesAt(n uint64) prometheus.Samples {
	return textOf(func(t *prometheus.Text) {
		t.Family("contentedge_http_requests_total", "counter", "")
		t.Uint(n-n/10, "route", "item", "code", "200")
		t.Uint(n/10, "route", "search", "code", "503")
		t.Uint(1000*n, "route", "probe", "code", "200")
		t.Family("contentedge_cache_misses_total", "counter", "")
		t.Uint(n/4, "source", "file")
		t.Family("contentedge_http_request_duration_seconds", "histogram", "")
		for _, le := range []string{"0.001", "0.01", "+Inf"} {
			t.Suffixed("_bucket").Uint(n, "route", "item", "le", le)
		}
	})
}

// The history has the rates of each minute of the last hour, and no more.
func TestHistory(t *testing.T) {
	var h History
	for i := range 100 {
		h.Add(now.Add(time.Duration(i)*time.Minute), samplesAt(uint64(i*i*60)))
	}
	points := h.all()
	if len(points) != Minutes+1 {
		t.Fatalf("%d points", len(points))
	}
	all := plots(points)
	byName := map[string][]float64{}
	for _, p := range all {
		for _, l := range p.lines {
			byName[string(p.id+" "+l.name)] = l.values
			if len(l.values) != Minutes {
				t.Errorf("%s: %d values", p.id, len(l.values))
			}
		}
	}
	last := func(name string) float64 { return byName[name][Minutes-1] }
	if got := last("requests all but probes"); got != 99*99-98*98 {
		t.Errorf("requests: %g", got)
	}
	if got := last("errors 5xx"); math.Abs(got-19.7) > 0.02 {
		t.Errorf("errors: %g", got)
	}
	if got := last("list-latency p50"); got != 0.0005 {
		t.Errorf("latency: %g", got)
	}
	if got := last("search-latency p99"); !math.IsNaN(got) {
		t.Errorf("latency of searches: %g", got)
	}
	if got := last("cache hits"); math.Abs(got-(1-0.25/0.9)) > 0.01 {
		t.Errorf("hits: %g", got)
	}
}

// A pause of the machine, and clocks that stand still, leave no infinite rate.
func TestRatesAreFinite(t *testing.T) {
	var h History
	for i := range 5 {
		h.Add(now, samplesAt(uint64(i)))
	}
	p := Page{Now: now, History: &h}
	if page := string(p.HTML()); strings.Contains(page, "Inf") || strings.Contains(page, "NaN") {
		t.Error("the page has a number that is none")
	}
}

func TestPath(t *testing.T) {
	var h html
	h.path([]float64{0, math.NaN(), 5, 10}, 10)
	if got, want := string(h.b), "M56.5 100.0h0L56.5 100.0M58.5 50.0h0L58.5 50.0L59.5 0.0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestRoundUp(t *testing.T) {
	for v, want := range map[float64]float64{0: 1, 1: 1, 1.1: 2, 2.1: 5, 5.1: 10, 12: 20, 99: 100, 100: 100, 101: 200, 0.003: 0.005, 1e-9: 1e-9} {
		if got := roundUp(v); math.Abs(got-want) > 1e-9*want {
			t.Errorf("roundUp(%g) = %g, want %g", v, got, want)
		}
	}
}

func TestUnits(t *testing.T) {
	for got, want := range map[string]string{
		count(0): "0", count(999): "999", count(1234567): "1,234,567", count(-1000): "-1,000", count(0.25): "0.25",
		size(0): "0 bytes", size(1023): "1,023 bytes", size(1 << 20): "1.00 MiB", size(1 << 50): "1024 TiB",
		duration(0): "0 s", duration(0.0000251): "25.1 µs", duration(0.0251): "25.1 ms", duration(59.94): "59.9 s",
		duration(61): "1 min 1 s", duration(3660): "1 h 1 min", duration(90000): "1 d 1 h", duration(-5): "-5.00 s", percent(0.123): "12.3 %",
		words("lastSuccess"): "Last success", words("build"): "Build", words("signed_by"): "Signed by",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestMembers(t *testing.T) {
	got := members("", []byte(`{"b":"text","a":1,"c":true,"d":false,"signature":{"signedBy":["x","y"],"e":{"x":[1]}},"f":null,"lastError":"cut off"}`))
	var all []string
	for _, m := range got {
		all = append(all, fmt.Sprintf("%s=%s %t", m.name, m.value, m.isTrue))
	}
	if want := []string{"B=text false", "A=1 false", "C=yes true", "D=no false", "Signature signed by=x, y false", `Signature e={"x":[1]} false`, "F= false", "Last error=cut off false"}; !slices.Equal(all, want) {
		t.Errorf("%q", all)
	}
	for i, trouble := range []bool{false, false, true, false, false, false, false, true} {
		if got[i].isTrouble() != trouble {
			t.Errorf("%+v: trouble %t", got[i], !trouble)
		}
	}
	for _, odd := range []string{"", "null", "[1]", `{"a":`, "{"} {
		if got := members("", []byte(odd)); len(got) > 0 {
			t.Errorf("%q has %v", odd, got)
		}
	}
}

// A page of a full history takes well below a millisecond.
func BenchmarkPage(b *testing.B) {
	var h History
	for i := range Minutes + 1 {
		h.Add(now.Add(time.Duration(i)*time.Minute), samplesAt(uint64(i*i)))
	}
	p := Page{Now: now, History: &h, Metrics: samplesAt(1000)}
	for b.Loop() {
		p.HTML()
	}
}

// FuzzText: whatever a text is, it is no markup, shows each of its bytes, and is read back as what it was
// if it has no byte that hides.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"", "bread & butter", hostile, "Käse\n\t<b>", "\xf0\x9f\x8d\x9e\xf0\x9f", "&lt;", "\u00a0\u200b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var h html
		h.text(text)
		if i := bytes.IndexAny(h.b, "<>\"'"); i >= 0 {
			t.Fatalf("%q: %q", text, h.b)
		}
		plain := true
		for _, r := range string(h.b) {
			if r != '\n' && r != '\t' && !strconv.IsPrint(r) {
				t.Fatalf("%q has %U", h.b, r)
			}
		}
		for _, r := range text {
			plain = plain && r != utf8.RuneError && (r == '\n' || r == '\t' || strconv.IsPrint(r))
		}
		if got := stdhtml.UnescapeString(string(h.b)); plain && got != text {
			t.Fatalf("%q is read back as %q", text, got)
		}
	})
}
