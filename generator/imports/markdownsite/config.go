// This file reads the settings of a site, and what it ignores.

package markdownsite

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"contentedge/generator/jsontree"
	"contentedge/generator/source/record"
	"contentedge/generator/source/tomltext"
	"contentedge/generator/source/yamltext"
)

// takenSettings are what the account says of settings.
const takenSettings = "folders, languages and what is ignored"

// maxSettings bounds a file of settings, or of data that pages take values from, in bytes.
const maxSettings = 1 << 20

// values reads a file of values: YAML, TOML or JSON.
func (s *site) values(name string) (v *jsontree.Value, fault *record.Fault) {
	text, ok := s.read(name, maxSettings)
	if !ok {
		return nil, &record.Fault{Message: "it cannot be read"}
	}
	var rec record.Record
	var faults []record.Fault
	switch path.Ext(name) {
	case ".json":
		v, err := jsontree.Parse(text)
		if err != nil {
			return nil, &record.Fault{Place: record.Place{Line: 1, Col: 1}, Message: err.Error()}
		}
		return v, nil
	case ".toml":
		rec, faults = tomltext.Object(text, record.Place{Line: 1, Col: 1})
	default:
		if s.profile.tagged {
			text = yamlTag.ReplaceAll(text, []byte("$1"))
		}
		rec, faults = yamltext.Object(text, record.Place{Line: 1, Col: 1})
	}
	for i := range faults {
		if !faults[i].Warning {
			return nil, &faults[i]
		}
	}
	v, err := jsontree.Parse(rec.JSON)
	if err != nil {
		return nil, &record.Fault{Message: err.Error()}
	}
	return v, nil
}

// yamlTag is a tag of YAML such as !!python/name:module.function, by which programs make values.
var yamlTag = regexp.MustCompile(`([:,\-\[{]\s+)!{1,2}[A-Za-z][^\s,\]}]*`)

// isValues reports whether a file has values that can be read, not a program.
func isValues(name string) bool {
	return slices.Contains([]string{".json", ".toml", ".yaml", ".yml"}, path.Ext(name))
}

// readSettings reads the first file of settings that the site has. A program is searched for a few plain values.
func (s *site) readSettings() error {
	s.settings.value = jsontree.Object()
	for _, name := range s.profile.settings {
		f := s.files[name]
		if f == nil {
			continue
		}
		f.use = counted
		s.settings.name = name
		s.job.Read("settings")
		if !isValues(name) {
			text, _ := s.read(name, maxSettings)
			s.settings.program = string(text)
			s.job.Skipped("settings", "a program: languages, folders and what is ignored are read as far as they are plain texts")
			continue
		}
		s.job.Merged("settings", takenSettings)
		v, fault := s.values(name)
		if fault != nil {
			s.fault(name, fault.Line, fault.Col, fault.Message, fault.Hint)
		}
		for _, m := range membersOf(v) {
			s.settings.value.Set(m.Name, m.Value)
		}
	}
	s.roots = s.profile.roots(s)
	if s.profile.ignore != nil {
		s.ignored = s.profile.ignore(s)
	}
	if s.profile.drafts != nil {
		s.drafts = s.profile.drafts(s)
	}
	s.rules = s.itemSettings()
	return s.checkContent()
}

// plain finds a plain text in a program, as in srcDir: "docs".
func (s *settings) plain(name string) string {
	found := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `["']?\s*:\s*["'` + "`" + `]([^"'` + "`" + `\n]*)["'` + "`" + `]`).FindStringSubmatch(s.program)
	if found == nil {
		return ""
	}
	return found[1]
}

// plainList finds a list of plain texts in a program, as in srcExclude: ["a.md"].
func (s *settings) plainList(name string) (all []string) {
	found := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `["']?\s*:\s*\[([^\]]*)\]`).FindStringSubmatch(s.program)
	if found == nil {
		return nil
	}
	for _, text := range quotedText.FindAllStringSubmatch(found[1], -1) {
		all = append(all, text[1])
	}
	return all
}

var quotedText = regexp.MustCompile("[\"'`]([^\"'`\n]*)[\"'`]")

// matcher matches paths below a folder. The last one that matches decides; exclude is what its kind does.
type matcher struct {
	pattern *regexp.Regexp
	folder  string // "." is the site
	keeps   bool   // files that it matches are read, although an earlier one ignores them
}

// ignores reports whether the site ignores a file.
func (s *site) ignores(name string) bool { return matches(s.ignored, name) }

// matches reports whether the last of the matchers that match a file takes it.
func matches(all []matcher, name string) bool {
	for _, m := range slices.Backward(all) {
		below := name
		if m.folder != "." {
			var ok bool
			if below, ok = strings.CutPrefix(name, m.folder+"/"); !ok {
				continue
			}
		}
		if m.pattern.MatchString(below) {
			return !m.keeps
		}
	}
	return false
}

// expressions are regular expressions of paths. One that Go does not know is a warning.
func (s *site) expressions(folder string, texts []string) (all []matcher) {
	for _, text := range texts {
		pattern, err := regexp.Compile(text)
		if err != nil {
			s.warn("patterns of ignored files that cannot be read: "+cut(text), s.settings.name, 0, 0)
			continue
		}
		all = append(all, matcher{pattern: pattern, folder: folder})
	}
	return all
}

// maxPatterns bounds the patterns of a site: each is compared with each file.
const maxPatterns = 500

// patterns are patterns as .gitignore has them, of paths below a folder.
func (s *site) patterns(folder string, texts []string) (all []matcher) {
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if text == "" || strings.HasPrefix(text, "#") || len(text) > maxPatterns*2 || len(all) == maxPatterns {
			continue
		}
		text, keeps := strings.CutPrefix(text, "!")
		pattern, err := regexp.Compile(gitPattern(text))
		if err != nil {
			s.warn("patterns of ignored files that cannot be read: "+cut(text), s.settings.name, 0, 0)
			continue
		}
		all = append(all, matcher{pattern, folder, keeps})
	}
	return all
}

// gitPattern writes a pattern of .gitignore as a regular expression.
func gitPattern(text string) string {
	text = strings.TrimPrefix(text, "./")
	folder := strings.HasSuffix(text, "/")
	text = strings.TrimSuffix(text, "/")
	anchored := strings.Contains(text, "/")
	text = strings.TrimPrefix(text, "/")
	var b strings.Builder
	b.WriteString("^")
	if !anchored {
		b.WriteString("(?:.*/)?")
	}
	for at := 0; at < len(text); at++ {
		rest := text[at:]
		switch {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString("(?:.*/)?")
			at += 2
		case strings.HasPrefix(rest, "**"):
			b.WriteString(".*")
			at++
		case rest[0] == '*':
			b.WriteString("[^/]*")
		case rest[0] == '?':
			b.WriteString("[^/]")
		default:
			b.WriteString(regexp.QuoteMeta(rest[:1]))
		}
	}
	if folder {
		return b.String() + "/"
	}
	return b.String() + "(?:/|$)"
}

// lines returns the lines of a file, or nil if the site lacks the file.
func (s *site) lines(name string) []string {
	f := s.files[name]
	if f == nil {
		return nil
	}
	f.use = counted
	text, _ := s.read(name, maxSettings)
	return strings.Split(string(text), "\n")
}

// cut shortens a text of the site for a message.
func cut(text string) string {
	const most = 80
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
