// Package prometheustest reads metrics strictly, for tests.
package prometheustest

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// sampleLine matches a sample with escaped label values.
var sampleLine = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\n"])*"(?:,[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\n"])*")*\})? (\S+)$`)

// ParseOpenMetrics reads metrics in OpenMetrics strictly. It refuses what Parse refuses, a text without its end, and
// families whose samples could belong to another family.
func ParseOpenMetrics(t testing.TB, text []byte) map[string]float64 {
	t.Helper()
	body, ended := bytes.CutSuffix(text, []byte("# EOF\n"))
	if !ended || bytes.Contains(body, []byte("# EOF")) {
		t.Fatal("the text does not end with # EOF")
	}
	counters := regexp.MustCompile(`(?m)^# HELP (\S+)( .*\n# TYPE )(\S+) counter$`)
	names := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (\S+) `).FindAllSubmatch(body, -1) {
		if names[string(m[1])] {
			t.Errorf("family %s occurs twice", m[1])
		}
		names[string(m[1])] = true
	}
	if unescaped := regexp.MustCompile(`(?m)^# HELP .*[^\\]".*$`).Find(body); unescaped != nil {
		t.Errorf("a quotation mark is not escaped: %s", unescaped)
	}
	return Parse(t, counters.ReplaceAll(body, []byte("# HELP ${1}_total${2}${3}_total counter")))
}

// Parse reads metrics strictly. It refuses repeated or untyped families, repeated
// samples, samples outside their family, and invalid numbers.
func Parse(t testing.TB, text []byte) map[string]float64 {
	t.Helper()
	samples, families, family, kind := map[string]float64{}, map[string]bool{}, "", ""
	if !bytes.HasSuffix(text, []byte("\n")) {
		t.Fatal("the last line does not end")
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n") {
		if rest, ok := strings.CutPrefix(line, "# HELP "); ok {
			family, _, _ = strings.Cut(rest, " ")
			if families[family] {
				t.Errorf("family %s occurs twice", family)
			}
			families[family] = true
			continue
		}
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			var name string
			name, kind, _ = strings.Cut(rest, " ")
			if name != family || !strings.Contains(" counter gauge histogram ", " "+kind+" ") {
				t.Errorf("%q in family %s", line, family)
			}
			if (kind == "counter") != strings.HasSuffix(name, "_total") {
				t.Errorf("%s is a %s: counters, and only they, end in _total", name, kind)
			}
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("no sample: %q", line)
			continue
		}
		base := m[1]
		if kind == "histogram" {
			base = regexp.MustCompile("_(bucket|sum|count)$").ReplaceAllString(base, "")
		}
		v, err := strconv.ParseFloat(m[3], 64)
		if _, twice := samples[m[1]+m[2]]; twice || base != family || err != nil {
			t.Errorf("%q in family %s: twice %t, %v", line, family, twice, err)
		}
		samples[m[1]+m[2]] = v
	}
	return samples
}
