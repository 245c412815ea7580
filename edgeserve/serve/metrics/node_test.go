package metrics

import (
	"regexp"
	"testing"

	"contentedge/edgeserve/prometheus"
)

// A pass counts, and its end is written as seconds since 1970.
func TestScrubbed(t *testing.T) {
	n := NewNode()
	n.Scrubbed()
	var text prometheus.Text
	n.WriteTroubles(&text)
	if want := `(?m)^contentedge_snapshot_scrubs_total 1$`; !regexp.MustCompile(want).Match(text.Bytes()) {
		t.Errorf("the text lacks %s:\n%s", want, text.Bytes())
	}
	if want := `(?m)^contentedge_snapshot_scrub_timestamp_seconds \d\.\d+e\+09$`; !regexp.MustCompile(want).Match(text.Bytes()) {
		t.Errorf("the text lacks %s:\n%s", want, text.Bytes())
	}
}
