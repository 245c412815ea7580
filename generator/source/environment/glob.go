// This file matches paths of files with patterns.

package environment

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxGlob bounds the characters of a pattern: it is compared with the path of each file.
const maxGlob = 1000

// Glob is a pattern of paths below an environment. * stands for any characters of a name, ? for one,
// ** for any folders, {a,b} for a or b. Case matters. Matching takes time in proportion to the path.
type Glob struct {
	text    string
	literal string // with which every match begins
	whole   *regexp.Regexp
}

// Everything matches all paths.
func Everything() Glob { return Glob{text: "**"} }

// String returns the pattern.
func (g Glob) String() string { return g.text }

// Match reports whether the pattern matches a path.
func (g Glob) Match(path string) bool {
	return strings.HasPrefix(path, g.literal) && (g.whole == nil || g.whole.MatchString(path))
}

// globError is a fault of a pattern.
type globError struct{ message, hint string }

func (e *globError) Error() string { return e.message }

// parseGlob reads a pattern. endings are the ends of the names of files that a rule may take.
func parseGlob(text string, endings []string) (Glob, *globError) {
	if err := checkGlob(text); err != nil {
		return Glob{}, err
	}
	if err := checkRule(text); err != nil {
		return Glob{}, err
	}
	if text == "**" {
		return Everything(), nil
	}
	g, err := compile(text)
	if err != nil {
		return Glob{}, err
	}
	last := text[strings.LastIndexByte(text, '/')+1:]
	if !strings.ContainsAny(last, "*?{}") && !hasEnding(last, endings) {
		return g, &globError{fmt.Sprintf("the pattern matches only files named %q, which rules do not read", last), "for the files of a folder write " + text + "/**; rules take " + strings.Join(endings, ", ") + " files"}
	}
	return g, nil
}

// parseIgnore reads a pattern of files and folders that are ignored. As in .gitignore, a pattern without / matches names
// in any folder, and a pattern of a folder covers what the folder holds.
func parseIgnore(text string) (Glob, *globError) {
	path := strings.TrimSuffix(strings.TrimPrefix(text, "/"), "/")
	if err := checkGlob(path); err != nil {
		return Glob{}, err
	}
	if strings.Trim(path, "*/") == "" {
		return Glob{}, &globError{"the pattern " + text + " ignores the whole environment", "remove the folder of the environment instead"}
	}
	if !strings.Contains(strings.TrimSuffix(text, "/"), "/") {
		path = "**/" + path
	}
	g, err := compile(path)
	g.text = text
	return g, err
}

// compile makes a pattern ready to match paths.
func compile(text string) (Glob, *globError) {
	expression, err := translate(text)
	if err != nil {
		return Glob{}, &globError{err.Error(), "a pattern has *, **, ? and {a,b}"}
	}
	g := Glob{text: text, literal: text[:len(text)-len(strings.TrimLeftFunc(text, func(r rune) bool { return !strings.ContainsRune("*?{", r) }))]}
	if g.whole, err = regexp.Compile(`^(?s:` + expression + `)$`); err != nil {
		return Glob{}, &globError{"this pattern is too large", "write several patterns"}
	}
	return g, nil
}

func hasEnding(name string, endings []string) bool {
	for _, ending := range endings {
		if strings.HasSuffix(strings.ToLower(name), ending) {
			return true
		}
	}
	return false
}

// checkGlob refuses patterns that no path can match.
func checkGlob(text string) *globError {
	switch {
	case text == "":
		return &globError{"the pattern is empty", `write "**" for all files, or leave files out`}
	case utf8.RuneCountInString(text) > maxGlob:
		return &globError{fmt.Sprintf("this pattern has more than %d characters", maxGlob), "write several rules"}
	case strings.Contains(text, `\`):
		return &globError{`a pattern has no \`, "write / between folders"}
	case strings.HasPrefix(text, "!"):
		return &globError{"a pattern cannot exclude files", "list the files that are not content under ignore"}
	case strings.HasSuffix(text, "/"):
		return &globError{"a pattern matches files, not folders", "write " + strings.TrimSuffix(strings.TrimSuffix(text, "**/"), "/") + "/**"}
	}
	for segment := range strings.SplitSeq(text, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return &globError{"the pattern " + text + " is not a path below the environment", "write it without / at the beginning, without // and without dots as names, for example posts/**"}
		}
	}
	return nil
}

// checkRule refuses patterns of rules below names that are always passed over.
func checkRule(text string) *globError {
	for segment := range strings.SplitSeq(text, "/") {
		if segment[0] == '.' {
			return &globError{fmt.Sprintf("no file is read below %q", segment), `names that begin with "." are passed over: rename the folder or the file`}
		}
	}
	return nil
}

// underscored returns the patterns of names in a pattern that begin with "_".
func (g Glob) underscored() (names []Glob) {
	for segment := range strings.SplitSeq(g.text, "/") {
		if segment == "" || segment[0] != '_' {
			continue
		}
		if name, err := compile(segment); err == nil {
			names = append(names, name)
		}
	}
	return names
}

// translate writes a pattern as a regular expression.
func translate(text string) (string, error) {
	var b strings.Builder
	inside := false // of braces
	for at := 0; at < len(text); {
		rest := text[at:]
		_, size := utf8.DecodeRuneInString(rest)
		switch {
		case strings.HasPrefix(rest, "**/") && (at == 0 || text[at-1] == '/'):
			b.WriteString(`(?:[^/]*/)*`)
			size = len("**/")
		case rest == "**" && (at == 0 || text[at-1] == '/'):
			b.WriteString(`.*`)
			size = len("**")
		case strings.HasPrefix(rest, "**"):
			return "", errors.New("** stands for whole folders: a / is missing next to it")
		case rest[0] == '*':
			b.WriteString(`[^/]*`)
		case rest[0] == '?':
			b.WriteString(`[^/]`)
		case rest[0] == '{' && !inside:
			b.WriteString(`(?:`)
			inside = true
		case rest[0] == '}' && inside:
			b.WriteString(`)`)
			inside = false
		case rest[0] == ',' && inside:
			b.WriteString(`|`)
		case rest[0] == '{' || rest[0] == '}':
			return "", errors.New("the braces of this pattern do not close one after the other")
		default:
			b.WriteString(regexp.QuoteMeta(rest[:size]))
		}
		at += size
	}
	if inside {
		return "", errors.New("a } is missing in this pattern")
	}
	return b.String(), nil
}

// covers reports whether the pattern surely matches every path that another one matches. It knows
// equal patterns, **, and folder/** with patterns that begin with the folder.
func (g Glob) covers(o Glob) bool {
	folder, all := strings.CutSuffix(g.text, "**")
	return g.text == o.text || all && !strings.ContainsAny(folder, "*?{") && strings.HasPrefix(o.text, folder)
}
