// Package environment reads _environment.yaml, the settings of an environment: which files its items come from and how,
// and how searches see them. The package knows files only by their paths.
//
// Reading is strict: an unknown key, a value of another type, an empty list, a rule that no file can
// match are faults. All faults are found in one run, each with its place.
package environment

import (
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/source/markdown"
	"contentedge/generator/source/record"
)

// Name is the name of the file, directly below an environment.
const Name = "_environment.yaml"

// Settings are the content of _environment.yaml. An environment without the file has Default.
type Settings struct {
	Timezone *time.Location // of dates without a zone
	People   People         // the names of items without others
	HTML     markdown.RawHTML
	Rules    []Rule // how files become items; the first that matches a file is the file's
	// Languages are the languages that names of files may end in, as index.ja.md does. The first is the language of
	// other files. Nil means that the names of the files show the languages.
	Languages []string
	opens     []Glob    // names that begin with "_" and that rules name
	Ignore    []Ignored // files and folders that are not part of the environment
	Links     Links     // the addresses that links to items get
	Include   []Include // references of items by template, in the order of the file
	UsedIn    UsedIn
	Search    Search
}

// Default returns the settings of an environment without _environment.yaml.
func Default() *Settings { return &Settings{Timezone: time.UTC, HTML: markdown.SafeHTML} }

// Role is what a person did to an item.
type Role int

// The roles.
const (
	Created Role = iota
	Updated
	Published
	roles
)

// People are names or members by Role; "" where nothing is said.
type People [roles]string

// Rule says how files become items. The zero Rule has the defaults.
type Rule struct {
	record.Place
	Files      Glob
	Template   Template
	ID         string // the member that identifies an item; "": its path
	Name       string // the member with the name; "": the usual ones
	Dates      []DateSource
	Status     Status
	People     People // the members with the names
	Body       Body
	References []Reference
	Types      []Column // of CSV: the types of columns
	Lists      []Column // the separators of members and columns whose texts are lists
	Group      string   // of CSV: the column by which rows become one item; "" makes an item of each row

	// Key differs between rules that make different items from some file. It also has the settings outside of the rule
	// that items depend on.
	Key string
}

// Template is a name, or the member that has it. Both are empty for the default.
type Template struct{ Name, From string }

// Status says which Status an item has.
type Status struct {
	Name  string            // of all items; "": it comes from a member
	From  string            // the member; "": the usual ones
	Table map[string]string // the Status by the text of the member's value
	Else  string            // the Status for other values, and without a value; "" if there is none

	record.Place // in _environment.yaml
}

// Body says which members have the text of a Markdown file and its HTML; HTML may be "".
type Body struct{ Text, HTML string }

// The members that have the text of a Markdown file and its HTML, unless a rule says otherwise.
const (
	DefaultText = "body"
	DefaultHTML = "html"
)

// Reference is a member whose values name items by id or slug.
type Reference struct {
	Member string
	Folder string // that has the items, or the file without its extension; below the environment
}

// Column is a column of a CSV file, or the path of another member, with its value in a rule.
type Column struct{ Name, Value string }

// DateKind is where dates come from.
type DateKind int

// The kinds. DateMembers names members itself; the others are words.
const (
	DateMembers DateKind = iota
	DateFrontMatter
	DateName
	DateGit
	DateFile
)

// DateSource is where dates come from.
type DateSource struct {
	Kind    DateKind
	Members People // of DateMembers: the members with the dates
}

// DefaultDates are the sources of dates of a rule without others.
var DefaultDates = []DateSource{{Kind: DateFrontMatter}, {Kind: DateName}, {Kind: DateGit}}

// Ignored is a pattern of files, links and folders that are not part of an environment.
type Ignored struct {
	Glob
	record.Place
}

// Include names references of the items of a template: responses for such an item include what they lead to.
type Include struct {
	Template string
	Paths    []Path // of references; empty: all
	Levels   int    // 1: the items that an item refers to
	record.Place
}

// UsedIn names the templates whose items have a list of the items that refer to them.
type UsedIn struct {
	All       bool
	Templates []Path // names, no paths
}

// Path is a path of a value of items, such as Data.author, with its place in _environment.yaml.
type Path struct {
	Text string
	record.Place
}

// Search says what searches see of items. A path covers the values at it and below it. The longest
// path that covers a value decides.
type Search struct{ Exclude, Include []Path }

// RuleOf returns the first rule that matches the path of a file below the environment, or nil.
func (s *Settings) RuleOf(path string) *Rule {
	for i := range s.Rules {
		if s.Rules[i].Files.Match(path) {
			return &s.Rules[i]
		}
	}
	return nil
}

// DefaultRule returns the rule of Markdown files for settings without rules.
func (s *Settings) DefaultRule() *Rule {
	r := newRule()
	r.Key = s.key()
	return &r
}

// HTMLPath returns the path of the HTML of the rule's Markdown files, which repeats the words of their text. It returns
// "" without HTML.
func (r *Rule) HTMLPath() string {
	if r.Body.HTML == "" {
		return ""
	}
	return address.DataPrefix + r.Body.HTML
}
