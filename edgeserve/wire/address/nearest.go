// This file finds the endpoint that a request for an unknown path may mean.

package address

import (
	"slices"
	"strings"
)

// The costs of the differences between a path and a pattern, and the most that an endpoint may cost.
const (
	costShortened = 1 // a word begins with the other: content, contents
	costLength    = 2 // a component is missing, or there is one more
	costOther     = 4
	maxCost       = 6
)

// maxCompared is the most bytes of a path that is compared.
const maxCompared = 512

// Nearest returns the path of the endpoint that is most like an unknown path, with {NAME} for what the path does not have.
// It returns "" if no endpoint is like it. The result repeats only valid names of the path.
func Nearest(path string) (nearest string) {
	if len(path) > maxCompared {
		return ""
	}
	sent := slices.DeleteFunc(strings.Split(path, "/"), func(s string) bool { return s == "" })
	least := maxCost + 1
	for i := range endpoints {
		e := &endpoints[i]
		if strings.HasSuffix(e.Pattern, "*") || strings.HasSuffix(e.Pattern, "/") {
			continue // a file, or another spelling
		}
		if shown, cost := e.compare(sent); cost < least {
			nearest, least = shown, cost
		}
	}
	return nearest
}

// compare returns the pattern with the names of a path, and what the path costs as one of the endpoint.
func (e *Endpoint) compare(sent []string) (shown string, cost int) {
	parts := strings.Split(e.Pattern[1:], "/")
	words := 0 // that are equal
	for i := range parts {
		part := ""
		if i < len(sent) {
			part = sent[i]
		}
		c := costOf(parts[i], part)
		if cost += c; c == 0 && parts[i][0] != ':' {
			words++
		} else if c == 0 {
			parts[i] = part
		}
	}
	if words == 0 {
		return "", maxCost + 1
	}
	return placeholders.Replace("/" + strings.Join(parts, "/")), cost + costLength*max(0, len(sent)-len(parts))
}

// costOf is the cost of a component of a path, or "" for a pattern, which has no cost.
func costOf(pattern, sent string) int {
	switch {
	case sent == "":
		return costLength
	case pattern[0] == ':':
		if (pattern == ":env" || pattern == ":envs") && ValidEnv(sent) || pattern == ":id" && ValidID(sent) {
			return 0
		}
		return costOther
	case strings.EqualFold(pattern, sent):
		return 0
	case strings.HasPrefix(pattern, sent), strings.HasPrefix(sent, pattern):
		return costShortened
	}
	return costOther
}

// placeholders are the variable components of patterns, for readers.
var placeholders = strings.NewReplacer(":envs", "{environment}", ":env", "{environment}", ":id", "{content_id}", ":page", "{name}.json")

// Template returns the pattern of an endpoint for readers.
func (e *Endpoint) Template() string {
	rest := "{filters}/page-{number}" + fileSuffix
	if e.Kind == Media {
		rest = "{digest}/{file}"
	}
	return strings.Replace(placeholders.Replace(e.Pattern), "*", rest, 1)
}
