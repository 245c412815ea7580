// This file reads the timestamps of an item: RFC 3339 in the content; in the release UTC, truncated
// to milliseconds, so that equal instants are equal texts. A missing timestamp is copied from another:
// see donors.

package model

import (
	"errors"
	"strings"
	"time"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/jsonscan"
	"contentedge/generator/visibility"
)

// donors lists the timestamps from which a missing one is copied, the preferred first.
var donors = [...]struct {
	field int
	from  [2]int
}{
	{fieldCreatedAt, [2]int{fieldPublishedAt, fieldUpdatedAt}},
	{fieldPublishedAt, [2]int{fieldUpdatedAt, fieldCreatedAt}},
	{fieldUpdatedAt, [2]int{fieldPublishedAt, fieldCreatedAt}},
}

func (p *parser) timestamps(d *draft) {
	var given [fieldCount]bool
	for _, want := range donors {
		given[want.field] = d.Raw[want.field] != nil
	}
	if !given[fieldCreatedAt] && !given[fieldPublishedAt] && !given[fieldUpdatedAt] {
		p.Fault(d.start, "CreatedAt is missing, and so are PublishedAt and UpdatedAt", `give one, for example "CreatedAt":"2025-01-31T09:00:00Z"`)
		return
	}
	for _, want := range donors {
		if given[want.field] {
			p.timestamp(d, want.field)
		}
	}
	for _, want := range donors {
		if !given[want.field] {
			donor := want.from[0]
			if !given[donor] {
				donor = want.from[1]
			}
			d.Raw[want.field] = d.Raw[donor]
			d.derived = d.derived || want.field == fieldPublishedAt
			*d.moment(want.field) = *d.moment(donor)
		}
	}
}

func (d *draft) moment(field int) *int64 {
	switch field {
	case fieldCreatedAt:
		return &d.CreatedAt
	case fieldPublishedAt:
		return &d.PublishedAt
	}
	return &d.UpdatedAt
}

func (p *parser) timestamp(d *draft, field int) {
	raw, ok := p.textOf(d, field)
	if !ok {
		return
	}
	text := string(raw)
	moment, err := parseTime(text)
	if err != nil {
		p.Fault(d.at[field], FieldNames[field]+" "+documents.Quoted(text)+" "+err.Error(), timeAdvice(text))
		return
	}
	*d.moment(field) = moment.UnixMilli()
	if len(text) != len(release.TimeForm) || !strings.HasSuffix(text, "Z") || len(d.Raw[field]) != len(text)+2 {
		d.Raw[field] = moment.AppendFormat(nil, `"`+release.TimeForm+`"`)
	}
}

// formatMilli writes a time of Unix milliseconds as a release does.
func formatMilli(moment int64) string { return time.UnixMilli(moment).UTC().Format(release.TimeForm) }

// expires reads ExpiresAt. null is the same as leaving it out.
func (p *parser) expires(d *draft, m *jsonscan.Member) {
	if string(m.Value) == "null" {
		return
	}
	text, what := "", jsonscan.KindName(m.Value[0])
	if m.Value[0] == '"' {
		text = string(jsoncursor.Unquote(m.Value))
		what = documents.Quoted(text)
	}
	moment, err := parseTime(text)
	if err != nil {
		p.Fault(m.ValueAt, visibility.FieldExpiresAt+" is "+what+", which "+err.Error(), timeAdvice(text))
		return
	}
	d.ExpiresAt = moment.UnixMilli()
}

var (
	errNoTime = errors.New("is not an RFC 3339 timestamp")
	errYear   = errors.New("is outside of the years 1 to 9999")
)

func parseTime(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, s)
	// time.Parse also accepts a comma, an hour of one digit, and zones beyond 23:59.
	if err != nil || s[12] == ':' || strings.Contains(s, ",") || s[len(s)-1] != 'Z' && s[len(s)-5:len(s)-3] > "23" {
		return time.Time{}, errNoTime
	}
	t = t.UTC().Truncate(time.Millisecond)
	if t.Year() < 1 || t.Year() > 9999 {
		return t, errYear
	}
	return t, nil
}

func timeAdvice(text string) string {
	const form = "write it like 2025-01-31T09:00:00Z"
	switch {
	case isTime(text + "T00:00:00Z"):
		return "a time of day and a zone are missing; " + form
	case isTime(text + "Z"):
		return "the zone is missing; " + form
	case isTime(strings.ToUpper(text)):
		return "write T and Z as capital letters"
	case strings.Contains(text, ":60") && isTime(strings.ReplaceAll(text, ":60", ":59")):
		return "leap seconds are not taken; write :59"
	}
	return form
}

func isTime(text string) bool {
	_, err := parseTime(text)
	return err == nil
}
