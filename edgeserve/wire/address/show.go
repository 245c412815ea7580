// This file has what a list or an item shows of items: select and include.

package address

import (
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/wire/problem"
)

// Show is what a list or an item shows of its items. The zero value is whole items.
type Show struct {
	Select  string // patterns of paths, sorted and separated by commas; "": all members
	Include string // how many levels of references are followed, one digit; "": as many as the environment says
}

// Patterns are the patterns of Select.
func (s Show) Patterns() []string {
	if s.Select == "" {
		return nil
	}
	return strings.Split(s.Select, ",")
}

// ParseItem parses a raw query string of an item. It ignores all parameters that items do not have.
func ParseItem(rawQuery string) (s Show, err error) {
	if rawQuery == "" {
		return s, nil
	}
	v := collect(rawQuery)
	if v.duplicates &= itemParameters; v.duplicates != 0 {
		return s, v.duplicate()
	}
	if err := v.decode(itemParameters); err != nil {
		return s, err
	}
	if s, err = v.show(); err == nil && s != (Show{}) && len(s.Link()) > maxLink {
		err = tooLongTogether(ParamSelect)
	}
	return s, err
}

// show parses the decoded values.
func (v *values) show() (s Show, err error) {
	s.Select = canonicalSelect(v.text[paramSelect])
	if s.Include = v.text[paramInclude]; s.Include != "" && (len(s.Include) > 1 || s.Include[0] < '0' || s.Include[0] > '0'+MaxInclude) {
		return s, fail(problem.BadInclude, paramInclude, "include must be a number of levels from 1 to "+strconv.Itoa(MaxInclude)+", or 0 for none, not "+quote(s.Include))
	}
	return s, nil
}

// Levels is how many levels of references are followed. asked is false if the request does not say.
func (s Show) Levels() (levels int, asked bool) {
	if s.Include == "" {
		return 0, false
	}
	return int(s.Include[0] - '0'), true
}

// canonicalSelect sorts patterns and leaves out empty and repeated ones: their order changes nothing.
func canonicalSelect(text string) string {
	if text == "" {
		return ""
	}
	var patterns []string
	for p := range strings.SplitSeq(text, ",") {
		if p = strings.TrimSpace(p); p != "" {
			patterns = append(patterns, p)
		}
	}
	slices.Sort(patterns)
	return strings.Join(slices.Compact(patterns), ",")
}

// Canonical is the canonical query string of an item that shows s.
func (s Show) Canonical() string { return string(s.appendCanonical(nil)) }

// appendCanonical appends the parameters to a query string.
func (s Show) appendCanonical(b []byte) []byte {
	if s.Select != "" {
		b = appendEscaped(appendParameter(b, paramSelect), s.Select)
	}
	if s.Include != "" {
		b = append(appendParameter(b, paramInclude), s.Include...)
	}
	return b
}

// Link is the Link value of an item that shows s: it names the parameters. It is empty for a whole item.
func (s Show) Link() []byte {
	if s == (Show{}) {
		return nil
	}
	return closeLink(append(append(openLink(nil), '?'), s.appendCanonical(nil)...), relSelf)
}

// tooLongTogether is the error for parameters that do not fit into the Link header, which names them.
func tooLongTogether(parameter string) error {
	return &Error{Code: problem.ValueTooLong, Parameter: parameter,
		Message: "the parameters of an address with " + ParamSelect + " or paths of Data may have about " + strconv.Itoa(maxLink) + " bytes together, once encoded; use a search with a body"}
}
