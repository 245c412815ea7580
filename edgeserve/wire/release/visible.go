// This file holds the interval of visibility: the stretch of time in which the same content makes the same release.

package release

import (
	"fmt"
	"time"
)

// TimeForm is how items and manifests write times, which are in UTC.
const TimeForm = "2006-01-02T15:04:05.000Z"

// Interval is a stretch of time in which no item of the content appears or expires: from From, before Until. A
// release is what its content delivers at each time in it. "" means that the stretch has no such end.
//
// Programs that do not know the member ignore it, as it says nothing about the files.
type Interval struct {
	From  string `json:"from,omitempty"`  // the last change of visibility before the build
	Until string `json:"until,omitempty"` // the next one
}

// NewInterval returns the interval between two times of Unix milliseconds; nil means no end.
func NewInterval(from, until *int64) Interval {
	return Interval{formatMilli(from), formatMilli(until)}
}

func formatMilli(moment *int64) string {
	if moment == nil {
		return ""
	}
	return time.UnixMilli(*moment).UTC().Format(TimeForm)
}

// Ends returns both ends in Unix milliseconds; nil without an end.
func (i Interval) Ends() (from, until *int64) { return parseMilli(i.From), parseMilli(i.Until) }

func parseMilli(text string) *int64 {
	t, err := time.Parse(TimeForm, text)
	if err != nil {
		return nil
	}
	ms := t.UnixMilli()
	return &ms
}

// Meet returns the interval that two intervals share. It fails check if they share none.
func (i Interval) Meet(other Interval) Interval {
	met := Interval{max(i.From, other.From), i.Until} // equal forms compare as their times do
	if met.Until == "" || other.Until != "" && other.Until < met.Until {
		met.Until = other.Until
	}
	return met
}

// Empty reports whether no time is in the interval.
func (i Interval) Empty() bool { return i.Until != "" && i.From >= i.Until }

func (i Interval) check() error {
	for _, text := range []string{i.From, i.Until} {
		if text == "" {
			continue
		}
		if ms := parseMilli(text); ms == nil || formatMilli(ms) != text {
			return fmt.Errorf("visible: %q is not a time like %s", text, TimeForm)
		}
	}
	if i.Empty() {
		return fmt.Errorf("visible: %s is not before %s", i.From, i.Until)
	}
	return nil
}
