package respond

import (
	"math/big"
	"regexp"
	"strings"
	"testing"
)

// fieldLines are the fields of a request.
type fieldLines map[string]string

func (f fieldLines) Peek(name string) []byte { return []byte(f[name]) }

func (f fieldLines) PeekAll(name string) [][]byte {
	if value, ok := f[name]; ok {
		return [][]byte{[]byte(value)}
	}
	return nil
}

// TestRespond shows the status of a response and the part of its body that is sent, by the fields of
// the request. The response has the ETag "a" and ten bytes. If-Match comes before If-None-Match, which
// comes before Range (RFC 9110, 13.2.2).
func TestRespond(t *testing.T) {
	for _, c := range []struct {
		name     string
		request  fieldLines
		post     bool
		status   int
		from, to int
	}{
		{"without fields the body is sent whole", fieldLines{}, false, 200, 0, 0},
		{"If-Match with the ETag changes nothing", fieldLines{"If-Match": `"a"`}, false, 200, 0, 0},
		{"If-Match with another ETag fails, whatever If-None-Match says", fieldLines{"If-Match": `"b"`, "If-None-Match": `"a"`}, false, 412, 0, 0},
		{"If-Match compares strongly", fieldLines{"If-Match": `W/"a"`}, true, 412, 0, 0},
		{"If-None-Match with the ETag needs no body, and no range of it", fieldLines{"If-None-Match": `W/"a"`, "Range": "bytes=1-2"}, false, 304, 0, 0},
		{"If-None-Match with another ETag leaves the range", fieldLines{"If-None-Match": `"b"`, "Range": "bytes=1-2"}, false, 206, 1, 3},
		{"a range behind the end is refused", fieldLines{"Range": "bytes=10-"}, false, 416, 0, 0},
		{"a POST has no ranges", fieldLines{"Range": "bytes=1-2"}, true, 200, 0, 0},
		{"If-Range with the ETag leaves the range", fieldLines{"Range": "bytes=1-2", "If-Range": `"a"`}, false, 206, 1, 3},
		{"If-Range with another ETag sends the body whole", fieldLines{"Range": "bytes=1-2", "If-Range": `"b"`}, false, 200, 0, 0},
		{"If-Range compares strongly", fieldLines{"Range": "bytes=10-", "If-Range": `W/"a"`}, false, 200, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := choose(c.request, !c.post, []byte(`"a"`), 10)
			if got.Status != c.status || got.From != c.from || got.To != c.to || (got.Problem != nil) != (c.status >= 400) {
				t.Errorf("%v, POST %t: %+v", c.request, c.post, got)
			}
		})
	}
}

func TestMatchesTag(t *testing.T) {
	tag := []byte(`"abc"`)
	for _, c := range []struct {
		value string
		want  bool
	}{
		{`"abc"`, true}, {`W/"abc"`, true}, {`"x", "abc"`, true}, {`"x",W/"abc" , "y"`, true}, {`*`, true}, {` * `, true}, {`,, "abc"`, true}, {`"x,y", "abc"`, true},
		{``, false}, {`abc`, false}, {`"abc`, false}, {`"ABC"`, false}, {`"ab"`, false}, {`"abc`, false}, {`w/"abc"`, false}, {`"x" junk "abc"`, false}, {`"*"`, false}, {`W/`, false},
	} {
		if got := MatchesTag([]byte(c.value), tag); got != c.want {
			t.Errorf("MatchesTag(%q) = %v", c.value, got)
		}
		want := c.want && !strings.Contains(c.value, "W/")
		if got := matchesStrongly([]byte(c.value), tag); got != want {
			t.Errorf("matchesStrongly(%q) = %v", c.value, got)
		}
	}
}

func TestParseRange(t *testing.T) {
	const n = 10
	for _, c := range []struct {
		value    string
		want     part
		from, to int
	}{
		{"bytes=0-4", some, 0, 5}, {"bytes=9-9", some, 9, 10}, {"bytes=3-", some, 3, 10}, {"bytes=-3", some, 7, 10},
		{"bytes=5-99", some, 5, 10}, {"BYTES=1-2", some, 1, 3}, {"bytes= 1-2 ", some, 1, 3}, {"bytes=5-18446744073709551617", some, 5, 10},
		{"bytes=0-", whole, 0, 0}, {"bytes=0-9", whole, 0, 0}, {"bytes=0-99", whole, 0, 0}, {"bytes=-10", whole, 0, 0}, {"bytes=-99999999999999999999", whole, 0, 0},
		{"bytes=10-", unsatisfiable, 0, 0}, {"bytes=10-12", unsatisfiable, 0, 0}, {"bytes=-0", unsatisfiable, 0, 0}, {"bytes=9223372036854775807-9223372036854775808", unsatisfiable, 0, 0},
		{"bytes=5-2", whole, 0, 0}, {"bytes=--5", whole, 0, 0}, {"bytes=a-b", whole, 0, 0}, {"bytes=-", whole, 0, 0}, {"bytes=", whole, 0, 0}, {"", whole, 0, 0},
		{"bytes", whole, 0, 0}, {"lines=0-5", whole, 0, 0}, {"bytes=1", whole, 0, 0}, {"bytes=0-1,4-5", whole, 0, 0}, {"bytes=1-2-3", whole, 0, 0}, {"bytes = 1-2", whole, 0, 0}, {"bytes=1 -2", whole, 0, 0}, {"bytes=+1-2", whole, 0, 0},
	} {
		if p, from, to := parseRange([]byte(c.value), n); p != c.want || from != c.from || to != c.to {
			t.Errorf("%q: %d, %d to %d", c.value, p, from, to)
		}
	}
}

// modelRange is the grammar of RFC 9110, 14.1.1, written as a pattern.
var modelRange = regexp.MustCompile(`^(?i:bytes)=[ \t]*(?:([0-9]+)-([0-9]*)|-([0-9]+))[ \t]*$`)

func FuzzRange(f *testing.F) {
	for _, v := range []string{"bytes=0-4", "bytes=-5", "bytes=5-", "bytes=0-0,1-1", "bytes=\t1-2", "x"} {
		f.Add(v, 10)
	}
	f.Fuzz(func(t *testing.T, value string, n int) {
		n = 1 + n&0xffff
		p, from, to := parseRange([]byte(value), n)
		if p == some && (from < 0 || from >= to || to > n || to-from == n) {
			t.Fatalf("%q of %d bytes: %d to %d", value, n, from, to)
		}
		m := modelRange.FindStringSubmatch(value)
		if m == nil {
			if p != whole {
				t.Fatalf("%q is no single range, but means %d", value, p)
			}
			return
		}
		number := func(s string) *big.Int { v, _ := new(big.Int).SetString("0"+s, 10); return v }
		size := big.NewInt(int64(n))
		lo, hi := number(m[1]), number(m[2])
		want := some
		switch {
		case m[3] != "" && number(m[3]).Sign() == 0, m[3] == "" && m[2] == "" && lo.Cmp(size) >= 0, m[3] == "" && m[2] != "" && lo.Cmp(hi) <= 0 && lo.Cmp(size) >= 0:
			want = unsatisfiable
		case m[3] != "" && number(m[3]).Cmp(size) >= 0, m[3] == "" && m[2] != "" && lo.Cmp(hi) > 0,
			m[3] == "" && lo.Sign() == 0 && (m[2] == "" || hi.Cmp(big.NewInt(int64(n-1))) >= 0):
			want = whole
		}
		if p != want {
			t.Fatalf("%q of %d bytes: %d, want %d", value, n, p, want)
		}
	})
}

func FuzzIfNoneMatch(f *testing.F) {
	for _, v := range []string{`"abc"`, `W/"abc"`, `"x", "abc"`, `*`, `"x" junk "abc"`, `"a,b",W/"abc"`} {
		f.Add(v)
	}
	entry := regexp.MustCompile(`^[ \t,]*(?:W/)?("[^"]*")`)
	f.Fuzz(func(t *testing.T, value string) {
		want := strings.Trim(value, " \t") == "*"
		for rest := value; !want; {
			m := entry.FindStringSubmatch(rest)
			if m == nil {
				break
			}
			want, rest = m[1] == `"abc"`, rest[len(m[0]):]
		}
		if got := MatchesTag([]byte(value), []byte(`"abc"`)); got != want {
			t.Fatalf("%q: %v, the model says %v", value, got, want)
		}
	})
}
