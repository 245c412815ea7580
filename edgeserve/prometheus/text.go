// Package prometheus writes Prometheus' text format, version 0.0.4: HELP, TYPE and samples by family. It
// has counters, and the metrics of a process. Nodes and commands that run for long use it.
package prometheus

import (
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// ContentType is the media type of the format.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Path is where programs serve their metrics.
const Path = "/metrics"

// Text is a buffer of metrics. The zero value is empty and ready.
type Text struct {
	buf    []byte
	family string
	suffix string // of the next sample's name
}

// Bytes returns the text written so far.
func (t *Text) Bytes() []byte { return t.buf }

// Family begins a family; kind is counter, gauge or histogram.
func (t *Text) Family(name, kind, help string) {
	t.family = name
	t.buf = append(t.buf, "# HELP "+name+" "+helpEscaper.Replace(help)+"\n# TYPE "+name+" "+kind+"\n"...)
}

// Uint adds a sample; labels alternate names and values.
func (t *Text) Uint(v uint64, labels ...string) { t.sample(strconv.FormatUint(v, 10), labels) }

// Float is Uint for floating-point numbers.
func (t *Text) Float(v float64, labels ...string) { t.sample(Number(v), labels) }

// Bool adds a sample that is 1 for true and 0 for false.
func (t *Text) Bool(v bool, labels ...string) { t.Uint(map[bool]uint64{true: 1}[v], labels...) }

// Suffixed makes the next sample's name end in a suffix, as samples of a histogram do.
func (t *Text) Suffixed(s string) *Text {
	t.suffix = s
	return t
}

// Histogram adds the samples of a histogram: of durations counted in buckets, which are not cumulative. The last bucket
// has no bound. The count sums the buckets: both agree while others count.
func (t *Text) Histogram(bounds []time.Duration, buckets []atomic.Uint64, sum time.Duration, labels ...string) {
	var n uint64
	for i := range buckets {
		n += buckets[i].Load()
		le := "+Inf"
		if i < len(bounds) {
			le = Number(bounds[i].Seconds())
		}
		t.Suffixed("_bucket").Uint(n, append(slices.Clip(labels), "le", le)...)
	}
	t.Suffixed("_sum").Float(sum.Seconds(), labels...)
	t.Suffixed("_count").Uint(n, labels...)
}

// BucketOf is the index of the first bucket whose bound is at least d, otherwise the index of the last one.
func BucketOf(bounds []time.Duration, d time.Duration) int {
	i := 0
	for i < len(bounds) && d > bounds[i] {
		i++
	}
	return i
}

func (t *Text) sample(value string, labels []string) {
	t.buf = append(t.buf, t.family+t.suffix...)
	t.suffix = ""
	for i := 0; i+1 < len(labels); i += 2 {
		t.buf = append(t.buf, "{,"[min(i, 1)])
		t.buf = append(t.buf, labels[i]+`="`+valueEscaper.Replace(labels[i+1])+`"`...)
	}
	if len(labels) > 1 {
		t.buf = append(t.buf, '}')
	}
	t.buf = append(t.buf, " "+value+"\n"...)
}

// The format escapes only line ends, backslashes and, in values, quotation marks.
var (
	helpEscaper  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	valueEscaper = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// Number writes a number as samples have it. The bounds of a histogram's buckets are labels in this form.
func Number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
