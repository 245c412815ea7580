// This file finds plain values in settings that are programs. Nothing is run: what is not a plain object stays unknown.

package markdownsite

import (
	"regexp"
	"strings"
)

// plainMember is a member of an object in a program: its key, and its value as it is written.
type plainMember struct{ key, value string }

// plainObjects finds the objects of a name in a program, as locales: {root: {lang: 'en'}}.
func (s *settings) plainObjects(name string) (all [][]plainMember) {
	begin := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `["']?\s*:\s*\{`)
	for _, at := range begin.FindAllStringIndex(s.program, -1) {
		all = append(all, plainMembers(s.program[at[1]:]))
	}
	return all
}

// plainKey is a key of an object in a program.
var plainKey = regexp.MustCompile(`^\s*["'` + "`" + `]?([\w-]+)["'` + "`" + `]?\s*:`)

// plainMembers are the members of the object that begins a text, after its brace.
func plainMembers(text string) (all []plainMember) {
	for text != "" {
		end, closed := plainEnd(text)
		if key := plainKey.FindStringSubmatch(text[:end]); key != nil {
			all = append(all, plainMember{key[1], strings.TrimSpace(text[len(key[0]):end])})
		}
		if closed {
			return all
		}
		text = text[min(end+1, len(text)):]
	}
	return all
}

// plainEnd returns where a member ends: at the comma after it, or at the brace that closes the object.
func plainEnd(text string) (end int, closed bool) {
	depth, quote := 0, byte(0)
	for at := 0; at < len(text); at++ {
		c := text[at]
		switch {
		case quote != 0:
			if c == '\\' {
				at++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '{' || c == '[' || c == '(':
			depth++
		case depth == 0 && (c == '}' || c == ','):
			return at, c == '}'
		case c == '}' || c == ']' || c == ')':
			depth--
		}
	}
	return len(text), true
}

// plainText returns the plain text that a member of an object in a program has; "" for other values.
func plainText(members []plainMember, key string) string {
	for _, m := range members {
		if found := quotedText.FindStringSubmatchIndex(m.value); m.key == key && found != nil && found[0] == 0 {
			return m.value[found[2]:found[3]]
		}
	}
	return ""
}

// mainLocale is the key of the language whose pages are in no folder of their own.
const mainLocale = "root"

// plainLocales are the languages of an object locales, by their folders. nil means that the settings name none.
func plainLocales(s *site) (main string, all []string) {
	for _, locales := range s.settings.plainObjects("locales") {
		for _, m := range locales {
			switch {
			case !strings.HasPrefix(m.value, "{"):
			case m.key == mainLocale:
				main = plainText(plainMembers(m.value[1:]), "lang")
			default:
				all = append(all, m.key)
			}
		}
		if len(all) > 0 {
			return main, all
		}
	}
	return "", nil
}
