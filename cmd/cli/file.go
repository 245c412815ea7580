// This file reads files of settings.

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"contentedge/edgeserve/terminal"
)

// maxFile bounds a file of settings, in bytes: all settings of a program with their comments take
// some 20 KB.
const maxFile = 1 << 20

// setting is a line of a file.
type setting struct {
	name, value string
	line        int
}

// readFile reads a file of settings. It returns all its faults in one error.
func readFile(path string) ([]setting, error) {
	b, err := readLimited(path, maxFile)
	if err != nil {
		return nil, &UsageError{"cannot read the file of settings: " + terminal.Error(err), "--config or $" + variableOfConfig + " names it"}
	}
	settings, faults := parseFile(string(b))
	for i := range faults {
		faults[i] = fmt.Errorf("%s:%w", terminal.Text(path), faults[i])
	}
	return settings, faultsError(faults, "a line has the form NAME = VALUE")
}

func readLimited(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("%s is longer than %d bytes", path, limit)
	}
	return b, err
}

// parseFile parses the text of a file. Faults begin with the number of their line.
func parseFile(text string) (settings []setting, faults []error) {
	text = strings.TrimPrefix(text, "\ufeff")
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		s, found, err := parseLine(line)
		switch s.line = number; {
		case err != nil:
			faults = append(faults, fmt.Errorf("%d: %w", number, err))
		case found:
			settings = append(settings, s)
		}
	}
	return settings, faults
}

// parseLine parses a line. found is false for a line without a setting.
func parseLine(line string) (s setting, found bool, err error) {
	line = strings.TrimSpace(line)
	if line == "" || strings.HasPrefix(line, "#") {
		return s, false, nil
	}
	if !utf8.ValidString(line) || strings.ContainsRune(line, 0) {
		return s, false, errors.New("the line is not text in UTF-8")
	}
	name, value, ok := strings.Cut(line, "=")
	if s.name = strings.TrimSpace(name); !ok || s.name == "" || strings.ContainsAny(s.name, " \t\"#") {
		return s, false, errors.New("the line is not NAME = VALUE")
	}
	s.value, err = parseValue(strings.TrimSpace(value))
	return s, err == nil, err
}

// parseValue parses the text after the equals sign: a value, and perhaps a comment.
func parseValue(text string) (string, error) {
	if !strings.HasPrefix(text, `"`) {
		for i := range text {
			if text[i] == '#' && (i == 0 || text[i-1] == ' ' || text[i-1] == '\t') {
				return strings.TrimSpace(text[:i]), nil
			}
		}
		return text, nil
	}
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil {
		return "", errors.New(`a value that begins with " must end with one, with \" for each between`)
	}
	if rest := strings.TrimSpace(text[len(quoted):]); rest != "" && !strings.HasPrefix(rest, "#") {
		return "", errors.New("text follows the closing quote")
	}
	return strconv.Unquote(quoted)
}

// writeValue writes a value so that parseValue reads it back.
func writeValue(value string) string {
	if value != strings.TrimSpace(value) || strings.ContainsAny(value, "\"#") || strconv.Quote(value) != `"`+value+`"` && strings.ContainsFunc(value, isControl) || !utf8.ValidString(value) {
		return strconv.Quote(value)
	}
	return value
}

func isControl(r rune) bool { return !strconv.IsPrint(r) }

// maxFaults is how many faults of settings an error lists.
const maxFaults = 20

// faultsError returns a UsageError with a line for each fault, or nil if faults is empty.
func faultsError(faults []error, hint string) error {
	if len(faults) == 0 {
		return nil
	}
	var lines []string
	for _, err := range faults[:min(len(faults), maxFaults)] {
		lines = append(lines, err.Error())
	}
	if more := len(faults) - maxFaults; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return &UsageError{strings.Join(lines, "\n"), hint}
}
