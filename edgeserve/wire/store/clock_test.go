package store

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/wire/store/storetest"
)

// TestSkewedClock: requests are signed at the time of the store, after the first one was refused.
func TestSkewedClock(t *testing.T) {
	for _, off := range []time.Duration{0, 30 * time.Second, 30 * time.Minute, -30 * time.Minute, 400 * 24 * time.Hour, -10 * 365 * 24 * time.Hour} {
		t.Run(off.String(), func(t *testing.T) {
			s, _, _ := openThroughProxy(t)
			s.clock.now = func() time.Time { return time.Now().Add(off) }
			if _, known := s.Skew(); known {
				t.Error("the skew is known before the first response")
			}
			if _, err := s.Put(t.Context(), "k", strings.NewReader("text"), 4, PutOptions{ContentType: "text/plain"}); err != nil {
				t.Fatal(err)
			}
			want := int64(1)
			if off.Abs() > maxSkew {
				want = 2
			}
			if n := s.Requests(); n != want {
				t.Errorf("%d requests for one object", n)
			}
			b, _, err := s.ReadAll(t.Context(), "k", GetOptions{Max: 10})
			if err != nil || string(b) != "text" {
				t.Errorf("%q, %v", b, err)
			}
			if n := s.Requests(); n != want+1 {
				t.Errorf("%d requests: the correction was forgotten", n)
			}
			for info, err := range s.List(t.Context(), "") {
				if err != nil || info.Key != "k" {
					t.Errorf("%+v, %v", info, err)
				}
			}
			if ahead, known := s.Skew(); !known || (ahead+off).Abs() > 5*time.Second {
				t.Errorf("the store's clock is ahead by %s, %t", ahead, known)
			}
		})
	}
}

// A response from a cache is older than its Date says. One without a time changes nothing.
func TestMeasuredClock(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		date, age string
		want      time.Duration
		known     bool
	}{
		{"", "", 0, false},
		{"yesterday", "5", 0, false},
		{at.Format(http.TimeFormat), "", time.Second / 2, true},
		{at.Add(-time.Hour).Format(http.TimeFormat), "3600", time.Second / 2, true},
		{at.Add(-time.Hour).Format(http.TimeFormat), "-9", time.Second/2 - time.Hour, true},
		{at.Add(-time.Hour).Format(http.TimeFormat), "0", time.Second/2 - time.Hour, true},
		{at.Add(-time.Hour).Format(http.TimeFormat), "1", time.Second/2 - time.Hour + time.Second, true},
		{at.Add(-time.Hour).Format(http.TimeFormat), "99999999999999999999", time.Second/2 - time.Hour, true},
		{at.Add(time.Minute).Format(http.TimeFormat), "x", time.Minute + time.Second/2, true},
	} {
		s := Store{clock: clock{now: func() time.Time { return at }}}
		s.clock.measure(at, http.Header{"Date": {c.date}, "Age": {c.age}})
		if got, known := s.Skew(); got != c.want || known != c.known {
			t.Errorf("%+v: %s, %t", c, got, known)
		}
	}
}

// TestCorrection signs at the time of this machine unless the store's clock differs by more than a minute.
func TestCorrection(t *testing.T) {
	for _, ahead := range []time.Duration{0, time.Second, time.Minute - 1, time.Minute, time.Minute + 1, time.Hour} {
		for _, ahead := range []time.Duration{ahead, -ahead} {
			var c clock
			c.ahead.Store(int64(ahead))
			want := ahead
			if ahead.Abs() <= time.Minute {
				want = 0
			}
			if got := c.correction(); got != want {
				t.Errorf("ahead by %s: corrected by %s", ahead, got)
			}
		}
	}
}

// A body that cannot be sent again is not, and a refusal at the right time names the credentials first.
func TestRefusalAtTheRightTime(t *testing.T) {
	s, _, wire := openThroughProxy(t)
	if req := (&http.Request{Body: io.NopCloser(strings.NewReader("x"))}); rewind(req) {
		t.Error("a body without GetBody was rewound")
	}
	hours := func(n time.Duration) http.Header {
		return http.Header{"Date": {time.Now().Add(n * time.Hour).UTC().Format(http.TimeFormat)}}
	}
	for _, c := range []struct {
		code   string
		header http.Header
		begins string
	}{
		{"AccessDenied", hours(0), "the store responded 403 AccessDenied: access denied"},
		{"SignatureDoesNotMatch", hours(2), "the store responded 403 SignatureDoesNotMatch: access denied"},
		{"RequestTimeTooSkewed", hours(2), "the store responded 403 RequestTimeTooSkewed: the clock of this machine is 2h0m"},
	} {
		wire.Set(func(int, *http.Request) storetest.Fault {
			return storetest.Fault{Status: 403, Code: c.code, Header: c.header}
		})
		_, _, err := s.ReadAll(t.Context(), "k", GetOptions{Max: 10})
		if err == nil || !errors.Is(err, ErrDenied) || !strings.Contains(err.Error(), ": "+c.begins) {
			t.Errorf("%v; want %q", err, c.begins)
		}
	}
}
