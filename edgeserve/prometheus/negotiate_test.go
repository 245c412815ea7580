package prometheus

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"contentedge/edgeserve/prometheus/prometheustest"
	"contentedge/edgeserve/wire/contentcoding"
)

// prometheusAccept is what Prometheus 2.42 sends.
const prometheusAccept = "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"

func TestNegotiate(t *testing.T) {
	t.Parallel()
	var text Text
	text.Family("x_total", "counter", "With a \"quoted\" # word, a \\ and\na line.")
	text.Uint(3, "a", `odd " # value`)
	text.Family("y", "gauge", "Y.")
	text.Float(0.5)
	for _, c := range []struct {
		accept, codings string
		open, zipped    bool
	}{
		{"", "", false, false},
		{prometheusAccept, "gzip", true, true},
		{"text/plain;version=0.0.4", "gzip", false, true},
		{"*/*", "", false, false},
		{"application/openmetrics-text", "identity", true, false},
		{`Application/OpenMetrics-Text; version="1.0.0"; q=0.4, text/*;q=0.5`, "gzip;q=0", false, false},
		{"application/openmetrics-text;q=0.4, text/plain;q=0.3, */*;q=0.9", "*", true, true},
		{"application/openmetrics-text;q=0", "br, zstd", false, false},
		{"application/openmetrics-text;version=2.0.0, */*;q=0.1", "GZIP, br", false, true},
		{"application/openmetrics-text;q=nan", "", false, false},
		{"application/openmetrics-text;q=1e9,text/plain", "", false, false},
		{"; , ,;q=1, text/plain;;;, \xff", "gzip, gzip;q=0", false, false},
	} {
		var codings contentcoding.Accept
		codings.Read([]byte(c.codings))
		e := Negotiate(text.Bytes(), c.accept, &codings)
		body := e.Body
		if zipped := e.Coding == contentcoding.Gzip; zipped != c.zipped || e.Coding != contentcoding.Identity && !zipped {
			t.Errorf("%q: coded as %s", c.codings, e.Coding)
		} else if zipped {
			r, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
		want, media := string(text.Bytes()), ContentType
		if c.open {
			want, media = "# HELP x With a \\\"quoted\\\" # word, a \\\\ and\\na line.\n# TYPE x counter\nx_total{a=\"odd \\\" # value\"} 3\n# HELP y Y.\n# TYPE y gauge\ny 0.5\n# EOF\n", OpenMetricsType
		}
		if e.ContentType != media || string(body) != want {
			t.Errorf("%q: %s\n%s\nwant\n%s", c.accept, e.ContentType, body, want)
		}
	}
}

// All families of a process are right in OpenMetrics too: no family without its suffix has the name of another.
func TestOpenMetricsOfProcess(t *testing.T) {
	t.Parallel()
	var text Text
	WriteProcess(&text)
	prometheustest.ParseOpenMetrics(t, toOpenMetrics(text.Bytes()))
}
