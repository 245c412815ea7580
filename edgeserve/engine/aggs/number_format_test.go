package aggs

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// The texts are those of Elasticsearch 7.10.2.
func TestNumberFormat(t *testing.T) {
	numbers := []float64{0, 0.5, 0.005, 1234567.125, -0.001, 1e22, 1.1, 0.125, 0.375, -98765.4321}
	for _, c := range []struct{ pattern, want string }{
		{"0", "0 0 0 1234567 -0 10000000000000000000000 1 0 0 -98765"},
		{"0.00", "0.00 0.50 0.01 1234567.12 -0.00 10000000000000000000000.00 1.10 0.12 0.38 -98765.43"},
		{"#,##0", "0 0 0 1,234,567 -0 10,000,000,000,000,000,000,000 1 0 0 -98,765"},
		{"#,##0.##", "0 0.5 0.01 1,234,567.12 -0 10,000,000,000,000,000,000,000 1.1 0.12 0.38 -98,765.43"},
		{"#.##", "0 0.5 0.01 1234567.12 -0 10000000000000000000000 1.1 0.12 0.38 -98765.43"},
		{"#.00", ".00 .50 .01 1234567.12 -.00 10000000000000000000000.00 1.10 .12 .38 -98765.43"},
		{".00", ".00 .50 .01 1234567.12 -.00 10000000000000000000000.00 1.10 .12 .38 -98765.43"},
		{".##", ".0 .5 .01 1234567.12 -.0 10000000000000000000000.0 1.1 .12 .38 -98765.43"},
		{"#", "0 0 0 1234567 -0 10000000000000000000000 1 0 0 -98765"},
		{"$#,##0.0;($0)", "$0.0 $0.5 $0.0 $1,234,567.1 ($0.0) $10,000,000,000,000,000,000,000.0 $1.1 $0.1 $0.4 ($98,765.4)"},
		{"0.0;-", "0.0 0.5 0.0 1234567.1 -0.0 10000000000000000000000.0 1.1 0.1 0.4 -98765.4"},
		{"#0;#0", "0 0 0 1234567 -0 10000000000000000000000 1 0 0 -98765"},
		{"000", "000 000 000 1234567 -000 10000000000000000000000 001 000 000 -98765"},
	} {
		p, ok := parseNumberPattern(c.pattern)
		var got []string
		for _, f := range numbers {
			got = append(got, string(p.append(nil, f)))
		}
		if text := strings.Join(got, " "); !ok || text != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.pattern, text, c.want)
		}
	}
	for _, c := range []struct{ pattern, want string }{
		{"0.0%", "2.0% 1250.0% 9999900.0%"}, {"$0.00", "$0.02 $12.50 $99999.00"}, {"0 'x'", "0 x 12 x 99999 x"}, {"#,####.0", ".0 12.5 9,9999.0"},
		{"yyyy", "yyyy0 yyyy12 yyyy99999"}, {"0.0#", "0.02 12.5 99999.0"}, {"#,##,##0", "0 12 99,999"}, {"00.", "00. 12. 99999."}, {"#.", "0. 12. 99999."},
		{"-0", "-0 -12 -99999"}, {"0.000000000000000000000", "0.020000000000000000000 12.500000000000000000000 99999.000000000000000000000"},
		{"#,##0 €", "0 € 12 € 99,999 €"}, {"'#'0", "#0 #12 #99999"}, {"x,0", "x0 x1,2 x9,9,9,9,9"}, {",##0", "0 12 99,999"}, {"%0", "%2 %1250 %9999900"}, {"a'b'c", "abc0 abc12 abc99999"},
	} {
		p, ok := parseNumberPattern(c.pattern)
		var got []string
		for _, f := range []float64{0.02, 12.5, 99999} {
			got = append(got, string(p.append(nil, f)))
		}
		if text := strings.Join(got, " "); !ok || text != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.pattern, text, c.want)
		}
	}
	for _, pattern := range []string{"0#", "0,", "#,", "0..0", "0%%", "0.0.", "#0#", "0,0.0,0", "#,##0.0,0", "0.###E0", "0;0;0", ";0", "0;%%", "0‰", "¤0", "'0", "1", "0x0", strings.Repeat("0", 41)} {
		if _, ok := parseNumberPattern(pattern); ok {
			t.Errorf("%s is taken", pattern)
		}
	}
	p, _ := parseNumberPattern("0.0x")
	for f, want := range map[float64]string{math.Inf(1): "∞x", math.Inf(-1): "-∞x"} {
		if got := string(p.append(nil, f)); got != want {
			t.Errorf("%v: %s", f, got)
		}
	}
	if got := string(p.append(nil, math.NaN())); got != "NaN" {
		t.Error(got)
	}
}

// FuzzNumberFormat checks that a plain pattern writes a number that is near the one it was given.
func FuzzNumberFormat(f *testing.F) {
	for _, pattern := range []string{"0.00", "#,##0.##", "'n'0", "$#.0#%", "00.", "#,####", ".##"} {
		f.Add(pattern, 1234.5678)
		f.Add(pattern, -0.0004)
	}
	f.Fuzz(func(t *testing.T, pattern string, number float64) {
		p, ok := parseNumberPattern(pattern)
		if !ok {
			return
		}
		text := string(p.append(nil, number))
		if most := 2*len(pattern) + 3*(309+2*maxPlaces); len(text) > most {
			t.Fatalf("%s of %v has %d bytes", pattern, number, len(text))
		}
		if strings.Trim(pattern, "#0,.") != "" || math.IsNaN(number) || math.IsInf(number, 0) {
			return
		}
		back, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
		if err != nil || math.Abs(back-number) > 0.51*math.Pow10(-p.most)+1e-9*math.Abs(number) {
			t.Fatalf("%s of %v is %s", pattern, number, text)
		}
	})
}

// Integers keep all of their digits. The texts are those of Elasticsearch 7.10.2.
func TestNumberFormatOfIntegers(t *testing.T) {
	integers := []int64{12345678901234567, -9007199254740993, math.MaxInt64, math.MinInt64, 0, -5}
	for _, c := range []struct{ pattern, want string }{
		{"0", "12345678901234567 -9007199254740993 9223372036854775807 -9223372036854775808 0 -5"},
		{"0.0", "12345678901234567.0 -9007199254740993.0 9223372036854775807.0 -9223372036854775808.0 0.0 -5.0"},
		{"#,##0", "12,345,678,901,234,567 -9,007,199,254,740,993 9,223,372,036,854,775,807 -9,223,372,036,854,775,808 0 -5"},
		{"0%", "1234567890123456700% -900719925474099300% 922337203685477580700% -922337203685477580800% 0% -500%"},
		{"0.00;(0.00)", "12345678901234567.00 (9007199254740993.00) 9223372036854775807.00 (9223372036854775808.00) 0.00 (5.00)"},
		{"00000000000000000000", "00012345678901234567 -00009007199254740993 09223372036854775807 -09223372036854775808 00000000000000000000 -00000000000000000005"},
	} {
		p, ok := parseNumberPattern(c.pattern)
		var got []string
		for _, n := range integers {
			got = append(got, string(p.appendInt(nil, n)))
		}
		if text := strings.Join(got, " "); !ok || text != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.pattern, text, c.want)
		}
	}
}
