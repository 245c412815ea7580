// This file chooses the form in which a scraper gets metrics: the format by Accept, the coding by Accept-Encoding.

package prometheus

import (
	"bytes"
	"mime"
	"strings"

	"contentedge/edgeserve/wire/compression"
	"contentedge/edgeserve/wire/contentcoding"
)

// openMetrics is the media type of OpenMetrics without its version.
const openMetrics = "application/openmetrics-text"

// OpenMetricsType is the media type of OpenMetrics 1.0.
const OpenMetricsType = openMetrics + "; version=1.0.0; charset=utf-8"

// Exposition is metrics in the form in which they are sent.
type Exposition struct {
	Body        []byte
	ContentType string
	Coding      contentcoding.Coding
}

// Negotiate returns a text of Text in the format and the coding that a client prefers. accept is the value of its
// Accept field. Of two formats with the same weight the client gets OpenMetrics.
func Negotiate(text []byte, accept string, codings *contentcoding.Accept) Exposition {
	e := Exposition{Body: text, ContentType: ContentType}
	if wanted := weights(accept); wanted.open > 0 && wanted.open >= wanted.text {
		e.Body, e.ContentType = toOpenMetrics(text), OpenMetricsType
	}
	if e.Coding = codings.Choose(contentcoding.Set(0).With(contentcoding.Gzip)); e.Coding != contentcoding.Identity {
		e.Body = compression.EncodeFast(e.Coding, nil, e.Body, nil)
	}
	return e
}

// formats has the weights of the formats, in thousandths. OpenMetrics needs to be named: a client that takes any
// format may know only the old one.
type formats struct{ open, text int }

func weights(accept string) (w formats) {
	rank := 0 // of the range that gave the weight of the text: the most specific one counts
	for element := range strings.SplitSeq(accept, ",") {
		name, parameters, err := mime.ParseMediaType(element)
		if err != nil {
			continue
		}
		weight, ok := 1000, true
		if q, weighted := parameters["q"]; weighted {
			if weight, ok = contentcoding.ParseWeight([]byte("q=" + q)); !ok {
				continue
			}
		}
		if name == openMetrics && knownVersion(parameters["version"]) {
			w.open = max(w.open, weight)
		}
		if r := textRanges[name]; r > rank {
			rank, w.text = r, weight
		}
	}
	return w
}

var textRanges = map[string]int{"*/*": 1, "text/*": 2, "text/plain": 3}

func knownVersion(v string) bool { return v == "" || v == "1.0.0" || v == "0.0.1" }

// toOpenMetrics translates a text of Text. In OpenMetrics a family of counters lacks the suffix of its samples, quotation
// marks in a help are escaped, and the text says where it ends.
func toOpenMetrics(text []byte) []byte {
	out := make([]byte, 0, len(text)+16)
	for line := range bytes.Lines(text) {
		if len(line) == 0 || line[0] != '#' {
			out = append(out, line...)
			continue
		}
		fields := bytes.SplitN(line, []byte(" "), 4) // the sign, HELP or TYPE, the family, the rest
		out = append(append(append(out, "# "...), fields[1]...), ' ')
		out = append(append(out, bytes.TrimSuffix(fields[2], []byte("_total"))...), ' ')
		out = append(out, bytes.ReplaceAll(fields[3], []byte(`"`), []byte(`\"`))...)
	}
	return append(out, "# EOF\n"...)
}
