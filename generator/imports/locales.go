// This file decides what becomes of locales. None is chosen in silence.

package imports

import (
	"fmt"
	"slices"
	"strings"

	"contentedge/generator/imports/export"
	"contentedge/generator/jsontree"
)

// Locale is a locale of an export.
type Locale struct {
	Code     string
	Fallback string // the locale whose value replaces a missing value of this one, or ""
	Count    int    // things with a value in it
}

// maxLocales bounds the locales of an export: each may become an environment. Contentful has 500 at most.
const maxLocales = 1000

// LocaleList collects the locales of an export, and counts what has a value in them.
type LocaleList struct {
	All []Locale

	at map[string]int
}

// Add adds a locale, unless it exists.
func (l *LocaleList) Add(of Locale) { l.index(of) }

// Count counts a thing with a value in a locale.
func (l *LocaleList) Count(code string) { l.All[l.index(Locale{Code: code})].Count++ }

func (l *LocaleList) index(of Locale) int {
	i, ok := l.at[of.Code]
	if !ok {
		if l.at == nil {
			l.at = map[string]int{}
		}
		i = len(l.All)
		l.at[of.Code] = i
		l.All = append(l.All, of)
	}
	return i
}

// Locales are the locales of an export, and how they are imported.
type Locales struct {
	Codes   []string // that are imported, in the order of the export
	Members bool     // the values of a localized field are members of an object, by locale

	fallback map[string]string // by locale; "" or absent without a fallback
	env      string            // begins the names of environments; "": all items go into one
}

// Locales decides what becomes of the locales that have values, by the options. The first one is the default. It counts
// values of only other locales with a warning.
func (j *Job) Locales(all []Locale) (*Locales, error) {
	if err := j.CheckLocales(all); err != nil {
		return nil, err
	}
	used := slices.DeleteFunc(slices.Clone(all), func(l Locale) bool { return l.Count == 0 })
	l := &Locales{fallback: map[string]string{}}
	for _, of := range all {
		l.fallback[of.Code] = of.Fallback
	}
	for _, of := range used {
		l.Codes = append(l.Codes, of.Code)
	}
	switch wanted := j.Options.Locales; {
	case wanted == LocalesAsEnvironments:
		l.env = j.Options.Env
	case wanted == LocalesAsMembers:
		l.Members, j.members = true, l.Codes
	case wanted != "":
		i := slices.IndexFunc(all, func(of Locale) bool { return of.Code == wanted })
		if i < 0 {
			return nil, &UsageError{"--locales", fmt.Sprintf("the export has no locale %q", wanted), "it has " + countLocales(used)}
		}
		for _, of := range used {
			if of.Code != wanted {
				j.warnings.addCount(fmt.Sprintf("values in the locale %s are left out", of.Code), "", of.Count)
			}
		}
		l.Codes = []string{wanted}
	case len(used) > 1:
		return nil, &UsageError{"--locales", "the export has values in several locales: " + countLocales(used),
			"name the one to import, or --locales " + LocalesAsEnvironments + ", or --locales " + LocalesAsMembers}
	}
	return l, nil
}

// CheckLocales refuses more locales than an export may have.
func (j *Job) CheckLocales(all []Locale) error {
	if len(all) > maxLocales {
		return &export.Fault{File: j.Options.Path, Message: fmt.Sprintf("the export has %d locales; it may have %d", len(all), maxLocales)}
	}
	return nil
}

func countLocales(all []Locale) string {
	var parts []string
	for _, l := range all {
		parts = append(parts, fmt.Sprintf("%s (%d)", l.Code, l.Count))
	}
	return strings.Join(parts, ", ")
}

// Env returns the environment of items in a locale.
func (l *Locales) Env(code string) string {
	if l.env == "" {
		return ""
	}
	return l.env + "-" + code
}

// Value returns the value that a localized field, an object with a member for each locale, has in a locale: its own, or
// one along the chain of fallbacks, or nil.
func (l *Locales) Value(field *jsontree.Value, code string) *jsontree.Value {
	for range len(l.fallback) + 1 { // the chain may be a circle
		if v := field.Get(code); v != nil {
			return v
		}
		if code = l.fallback[code]; code == "" {
			return nil
		}
	}
	return nil
}
