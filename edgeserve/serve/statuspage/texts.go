// This file writes the sections of the page that show texts: of clients, publishers and operators.

package statuspage

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// member is a member of a JSON object.
type member struct {
	name, value string // the name in words
	isTrue      bool
	list        []string // the texts of an array, which value joins
}

// members returns the members of a JSON object in their order, and the members of nested objects with both names. The
// follower of a store decides which members there are; the page shows them all.
func members(prefix string, object []byte) (all []member) {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return all
		}
		var raw json.RawMessage
		if d.Decode(&raw) != nil {
			return all
		}
		m := member{name: words(prefix + name.(string)), value: string(raw), isTrue: string(raw) == "true"}
		var text string
		var list []string
		switch {
		case raw[0] == '{' && prefix == "":
			all = append(all, members(name.(string)+"_", raw)...)
			continue
		case json.Unmarshal(raw, &text) == nil:
			m.value = text
		case json.Unmarshal(raw, &list) == nil:
			m.value, m.list = strings.Join(list, ", "), list
		case m.isTrue:
			m.value = "yes"
		case m.value == "false":
			m.value = "no"
		}
		all = append(all, m)
	}
	return all
}

// troubles are members whose text, unless it is empty, says what is wrong.
var troubles = []string{"Refusal", "Last error", "Signature unverified"}

// isTrouble reports whether a member says that something is wrong.
func (m *member) isTrouble() bool {
	return m.isTrue || m.value != "" && slices.Contains(troubles, m.name)
}

func (r *renderer) following() {
	if len(r.Following) == 0 {
		return
	}
	r.section("following", "Following")
	r.raw("<dl>")
	for _, m := range members("", r.Following) {
		r.raw("<dt>")
		r.text(m.name)
		r.raw("<dd>")
		if t, err := time.Parse(time.RFC3339, m.value); err == nil {
			r.moment(t, r.Now)
		} else if m.value == "" {
			r.raw("–")
		} else if len(m.list) > 1 {
			r.list(m.list)
		} else {
			r.text(m.value)
		}
	}
	r.raw("</dl>")
	r.end()
}

func (r *renderer) refused() {
	if r.Refusal == nil {
		return
	}
	r.section("refused", "The last refused release")
	r.raw("<dl><dt>Refused<dd>")
	r.moment(r.Refusal.At, r.Now)
	r.raw("<dt>Reason<dd>")
	r.text(r.Refusal.Reason)
	r.raw("</dl>")
	if len(r.Refusal.Problems) > 0 {
		r.raw("<h3>Problems</h3>")
		r.list(r.Refusal.Problems)
		r.raw("<p>The node looks at the manifest and the snapshots. <code>generator verify</code> looks at each file.</p>")
	}
	r.end()
}

// list writes texts of machines below each other.
func (r *renderer) list(texts []string) {
	r.raw("<ul>")
	for _, text := range texts {
		r.raw("<li><code>")
		r.text(text)
		r.raw("</code>")
	}
	r.raw("</ul>")
}

func (r *renderer) slowest() {
	r.section("slow", "Slowest searches")
	switch {
	case r.HidesSlow:
		r.raw("<p>They are not remembered: <code>--slow-searches</code> is 0.</p>")
	case len(r.Slow) == 0:
		r.raw("<p>No search of this release has taken more than 1 ms.</p>")
	default:
		r.raw("<p>Of this release, the time of waiting included. No other place shows or stores these bodies.</p><ol>")
		for i := range r.Slow {
			r.slow(i)
		}
		r.raw("</ol>")
	}
	r.end()
}

func (r *renderer) slow(i int) {
	e := &r.Slow[i]
	r.raw(`<li><p><strong class="took">`)
	r.text(duration(e.Took.Seconds()))
	r.raw("</strong>, ")
	r.text(count(float64(e.Steps)) + " steps, environment " + e.Environment)
	if e.Code != "" {
		r.raw(`, refused: <code>`)
		r.text(e.Code)
		r.raw("</code>")
	}
	r.raw(", ")
	r.moment(e.At, r.Now)
	r.raw(`</p><pre class="target" tabindex="0" role="group" aria-label="Address"><code>`)
	r.text(e.Target)
	r.raw("</code></pre>")
	if e.BodyBytes == 0 {
		return
	}
	r.raw(`<pre class="body" tabindex="0" role="group" aria-label="Body"><code>`)
	r.text(e.Body)
	r.raw("</code></pre>")
	if more := e.BodyBytes - len(e.Body); more > 0 {
		r.raw("<p>")
		r.text("and " + size(float64(more)) + " more")
		r.raw("</p>")
	}
}

func (r *renderer) settings() {
	if len(r.Settings) == 0 {
		return
	}
	r.section("settings", "Settings")
	r.table("Settings", "Setting", "Value", "Source")
	for _, s := range r.Settings {
		r.heading(s.Name)
		r.cell(s.Value)
		r.cell(s.Source)
	}
	r.endTable()
	r.end()
}
