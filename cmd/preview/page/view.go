// This file holds which items are shown: all for an editor, or those a visitor may see.

package page

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-json"

	"contentedge/generator"
	"contentedge/generator/visibility"
)

// Roles of a person who looks at the preview.
const (
	Editor  = "editor"
	Visitor = "visitor"
)

// Bounds of a view: no content has as many statuses. They are in a header field of each response,
// encoded, and clients refuse long heads.
const (
	maxStatuses    = 100
	maxStatusBytes = 1000 // together
	maxBody        = 64 << 10
)

// View says which items are shown: to an Editor all items; to a Visitor what a build delivers at the time At.
type View struct {
	As       string     `json:"as"`
	Statuses []string   `json:"statuses"` // what a visitor may see; kept for an editor's next look as one
	At       *time.Time `json:"at"`       // nil: the real clock
}

// Follows reports whether the real clock decides what is shown.
func (v View) Follows() bool { return v.As == Visitor && v.At == nil }

// Selection is the view for the generator, at a time of the real clock.
func (v View) Selection(now time.Time) generator.View {
	if v.As != Visitor {
		everything := visibility.Everything()
		return generator.View{Visible: &everything, At: now}
	}
	if v.At != nil {
		now = *v.At
	}
	return generator.View{Visible: &visibility.Rules{Statuses: v.Statuses}, At: now}
}

func (v View) header() string {
	if v.As != Visitor {
		return v.As
	}
	statuses := make([]string, len(v.Statuses))
	for i, s := range v.Statuses {
		statuses[i] = url.PathEscape(s)
	}
	at := "now"
	if v.At != nil {
		at = v.At.UTC().Format(time.RFC3339Nano)
	}
	return v.As + "; statuses=" + strings.Join(statuses, ",") + "; at=" + at
}

// changeView builds with the view in the body, and answers with the state afterwards.
func (p *Page) changeView(r *request) *apiError {
	if len(r.Request.Body()) > maxBody {
		return errTooLong
	}
	v, err := p.parseView(r.Request.Body())
	if err != nil {
		return err
	}
	p.cfg.Apply(v)
	return p.sendState(r)
}

// parseView reads a view. If it leaves out statuses, they are the same as at the start.
func (p *Page) parseView(body []byte) (View, *apiError) {
	var v View
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil || !json.Valid(body) {
		return v, invalid("bad_view", "the body is not a view", `for example {"as":"visitor","statuses":["Published"],"at":null}; a time is like 2026-01-31T09:00:00Z`)
	}
	if v.As != Editor && v.As != Visitor {
		return v, invalid("bad_view", "as is neither visitor nor editor", "")
	}
	if len(v.Statuses) == 0 {
		v.Statuses = p.cfg.View.Statuses
	}
	if len(v.Statuses) > maxStatuses || slices.Contains(v.Statuses, "") || len(strings.Join(v.Statuses, "")) > maxStatusBytes {
		return v, invalid("bad_view", "a status is empty, or there are more than 100 or together more than 1,000 bytes", "name them as the items do")
	}
	if v.At != nil && v.At.IsZero() {
		return v, invalid("bad_view", "at is the year 1", "for the real clock it is null")
	}
	if v.As == Editor {
		v.At = nil
	}
	return v, nil
}
