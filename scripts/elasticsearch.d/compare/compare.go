// This file compares two responses.

package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Two scores are equal within scoreError of their size, and so are items that tie by them.
// Other numbers are equal within numberError.
const (
	scoreError  = 1e-5
	numberError = 1e-9
	// sortError is for the values of a sort: scoreError for fractions, none for integers, such as dates.
	sortError = -1
)

// difference returns what differs, theirs being Elasticsearch's response, or "". Of errors only
// the status counts.
func difference(ours, theirs *Response, more func() *Response) string {
	switch {
	case ours.Status != theirs.Status:
		return fmt.Sprintf("status %d, theirs %d\nours: %.400s\ntheirs: %.400s", ours.Status, theirs.Status, ours.Error, theirs.Error)
	case ours.Status != 200:
		return ""
	case ours.Total != theirs.Total:
		return fmt.Sprintf("total %d, theirs %d", ours.Total, theirs.Total)
	}
	text := hits(ours, theirs, more)
	if text != "" && !strings.HasPrefix(text, textDiffers) {
		return text
	}
	for _, name := range []string{"aggregations", "suggest"} {
		tolerance := numberError
		if name == "suggest" { // its numbers are scores and small counts
			tolerance = scoreError
		}
		if diff := values(name, ours.Parts[name], theirs.Parts[name], tolerance); diff != "" {
			return diff
		}
	}
	return text
}

// hits compares pages. The order of items that tie is free; more returns the page with what
// follows it, so that an item of a tie that the page cuts can be told.
func hits(ours, theirs *Response, more func() *Response) string {
	if len(ours.Hits) != len(theirs.Hits) {
		return fmt.Sprintf("%d hits, theirs %d", len(ours.Hits), len(theirs.Hits))
	}
	known := map[string]Hit{}
	add := func(a *Response) {
		for _, h := range a.Hits {
			known[h.ID] = h
		}
	}
	add(theirs)
	all := slices.ContainsFunc(ours.Hits, func(h Hit) bool { _, ok := known[h.ID]; return !ok })
	if all {
		if a := more(); a != nil {
			add(a)
		}
	}
	text := ""
	seen := map[string]bool{}
	for i, our := range ours.Hits {
		at := theirs.Hits[i]
		if our.ID == "" {
			continue // it was not asked for
		}
		their, ok := known[our.ID]
		if !ok || seen[our.ID] || our.ID != at.ID && !tie(their, at) {
			return fmt.Sprintf("hit %d: %s, theirs %s\nours: %s\ntheirs: %s", i, our.ID, at.ID, list(ours.Hits), list(theirs.Hits))
		}
		seen[our.ID] = true
		diff := members(our, their)
		if strings.HasPrefix(diff, textDiffers) {
			text = diff
		} else if diff != "" {
			return fmt.Sprintf("hit %d, %s: %s", i, our.ID, diff)
		}
	}
	return text
}

// members compares what hits have in addition to the id.
func members(our, their Hit) string {
	if our.Rest == nil {
		return ""
	}
	if diff := values("", our.Rest, their.Rest, scoreError); diff != "" {
		return diff
	}
	if their.Source == nil {
		return ""
	}
	return values("_source", our.Source, their.Source, 0)
}

// tie tells whether two items may come in any order.
func tie(a, b Hit) bool {
	if sort, ok := a.Rest["sort"]; ok {
		return values("", sort, b.Rest["sort"], sortError) == ""
	}
	return values("", a.Rest["_score"], b.Rest["_score"], scoreError) == ""
}

// list prints the first hits of a page.
func list(page []Hit) string {
	var b strings.Builder
	for i, h := range page {
		if i == 12 {
			b.WriteString("…")
			break
		}
		fmt.Fprintf(&b, "%s", h.ID)
		if h.Rest["sort"] != nil {
			fmt.Fprintf(&b, ":%v", h.Rest["sort"])
		} else if h.Rest["_score"] != nil {
			fmt.Fprintf(&b, ":%v", h.Rest["_score"])
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// values returns the first place where two values differ, or "".
func values(at string, ours, theirs any, tolerance float64) string {
	switch their := theirs.(type) {
	case object:
		if our, ok := ours.(object); ok {
			return objects(at, our, their, tolerance)
		}
	case []any:
		if our, ok := ours.([]any); ok {
			return arrays(at, our, their, tolerance)
		}
	case json.Number:
		if our, ok := ours.(json.Number); ok && near(string(our), string(their), tolerance) {
			return ""
		}
	default:
		if ours == theirs {
			return ""
		}
	}
	return fmt.Sprintf("%s: %s, theirs %s", at, short(ours), short(theirs))
}

// counted tells whether a total of theirs ends at a bound that ours exceeds: ours are exact.
func counted(ours, theirs object) bool {
	our, _ := ours["value"].(json.Number)
	their, _ := theirs["value"].(json.Number)
	exact, err := our.Int64()
	bound, err2 := their.Int64()
	return theirs["relation"] == "gte" && err == nil && err2 == nil && exact >= bound
}

func objects(at string, ours, theirs object, tolerance float64) string {
	if counted(ours, theirs) {
		return ""
	}
	text := "" // a difference that is reported only without another one
	names := map[string]bool{}
	for name := range ours {
		names[name] = true
	}
	for name := range theirs {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) { // the same difference in every run
		our, has := ours[name]
		their, had := theirs[name]
		if has != had {
			return fmt.Sprintf("%s: member %q: %s, theirs %s", at, name, short(our), short(their))
		}
		t := tolerance
		switch name {
		case "_score", "max_score":
			t = scoreError
		case "sort":
			t = sortError
		}
		diff := ""
		if name == "_explanation" {
			diff = explanations(name, our, their)
		} else {
			diff = values(at+"."+name, our, their, t)
		}
		if strings.HasPrefix(diff, textDiffers) {
			text = diff
		} else if diff != "" {
			return diff
		}
	}
	return text
}

func arrays(at string, ours, theirs []any, tolerance float64) string {
	our, ok := scored(ours)
	their, both := scored(theirs)
	if both = both && ok; both {
		ours, theirs = our, their
	}
	if strings.HasSuffix(at, ".hits.hits") {
		ours = aligned(ours, theirs)
	}
	for i := range min(len(ours), len(theirs)) {
		if both && tied(ours[i], theirs[i], theirs[len(theirs)-1]) {
			continue
		}
		if diff := values(fmt.Sprintf("%s[%d]", at, i), ours[i], theirs[i], tolerance); diff != "" {
			return diff
		}
	}
	if len(ours) != len(theirs) {
		return fmt.Sprintf("%s: %d values, theirs %d\nours: %s\ntheirs: %s", at, len(ours), len(theirs), short(ours), short(theirs))
	}
	return ""
}

// aligned returns hits inside of hits or of a bucket in the other engine's order, as far as ties leave it
// free. A hit that ties with the one in its place, which the page lacks, counts as that one.
func aligned(ours, theirs []any) []any {
	ours = slices.Clone(ours)
	at := func(hits []any, id any) int {
		return slices.IndexFunc(hits, func(h any) bool { o, _ := h.(object); return o["_id"] == id })
	}
	for i := range min(len(ours), len(theirs)) {
		our, _ := ours[i].(object)
		their, _ := theirs[i].(object)
		if our == nil || their == nil || our["_id"] == their["_id"] || !tie(Hit{Rest: our}, Hit{Rest: their}) {
			continue
		}
		if j := at(ours, their["_id"]); j >= 0 {
			ours[i], ours[j] = ours[j], ours[i]
		} else if at(theirs, our["_id"]) < 0 {
			ours[i] = their
		}
	}
	return ours
}

// near reports whether two numbers are equal, within a tolerance if one is not an integer.
func near(a, b string, tolerance float64) bool {
	if a == b {
		return true
	}
	if tolerance == sortError {
		if !strings.ContainsAny(a+b, ".eE") {
			return false
		}
		tolerance = scoreError
	}
	var x, y float64
	if _, err := fmt.Sscan(a, &x); err != nil {
		return false
	}
	if _, err := fmt.Sscan(b, &y); err != nil {
		return false
	}
	if tolerance >= scoreError && float32(x) == float32(y) {
		return true // numbers of 32 bits near 0 have few digits
	}
	return math.Abs(x-y) <= tolerance*max(math.Abs(x), math.Abs(y))
}

func short(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if len(text) > 400 {
		return string(text[:400]) + "…"
	}
	return string(text)
}
