// This file decides what becomes of translations, and hands over the items.

package markdownsite

import (
	"bytes"
	"cmp"
	"slices"

	"contentedge/generator/imports"
	"contentedge/generator/jsontree"
)

// chooseLocales decides what becomes of the languages of the pages.
func (s *site) chooseLocales() (err error) {
	var list imports.LocaleList
	for _, p := range s.pages {
		if p.language != "" {
			list.Count(p.language)
		}
	}
	if len(list.All) == 0 {
		if s.job.Options.Locales != "" {
			return &imports.UsageError{Option: "--locales", Message: "the site has one language", Hint: "leave the flag out"}
		}
		return nil
	}
	slices.SortStableFunc(list.All, func(a, b imports.Locale) int {
		return cmp.Or(cmp.Compare(s.rank(a.Code), s.rank(b.Code)), cmp.Compare(a.Code, b.Code))
	})
	s.locales, err = s.job.Locales(list.All)
	return err
}

// rank is 0 for the main language, which comes first.
func (s *site) rank(language string) int {
	if language == s.languages.main {
		return 0
	}
	return 1
}

// envOf returns the environment of a page's item.
func (s *site) envOf(p *page) string {
	if s.locales != nil {
		if env := s.locales.Env(p.language); env != "" {
			return env
		}
	}
	return s.job.Options.Env
}

// makeItems makes the items of all pages, and hands them over. It continues after faults, so that all are found.
func (s *site) makeItems() error {
	for at := 0; at < len(s.pages); {
		end := at + 1
		for end < len(s.pages) && s.pages[end].input() == s.pages[at].input() {
			end++
		}
		if err := s.translations(s.pages[at:end]); err != nil {
			return err
		}
		at = end
	}
	return cmp.Or(s.ctx.Err(), s.failed)
}

// translations hands over the items of a page in all its languages.
func (s *site) translations(pages []*page) error {
	if s.locales != nil && s.locales.Members {
		return s.merge(pages)
	}
	for _, p := range pages {
		s.job.Read(markdownFiles)
		if s.locales != nil && p.language != "" && !slices.Contains(s.locales.Codes, p.language) {
			s.job.Skipped(markdownFiles, "in another language")
			continue
		}
		if err := s.hand(p, s.make(p)); err != nil {
			return err
		}
	}
	return nil
}

// hand hands an item over. Without one there is a fault, so that nothing is written.
func (s *site) hand(p *page, i *imports.Item) error {
	if i == nil {
		s.job.Skipped(markdownFiles, "it has a fault")
		return nil
	}
	i.Env = s.envOf(p)
	return s.job.Item(markdownFiles, i)
}

// sharedMembers are members of Data that are the same for all languages.
var sharedMembers = []string{"path", "slug", "links", "media"}

// merge makes one item of the translations of a page. The members of Data are objects by language, except members that
// say where the item is. Translations of another status are left out, as a status hides only a whole item.
func (s *site) merge(pages []*page) error {
	slices.SortStableFunc(pages, func(a, b *page) int {
		return cmp.Compare(slices.Index(s.locales.Codes, a.language), slices.Index(s.locales.Codes, b.language))
	})
	var whole *imports.Item
	var first *page
	for _, p := range pages {
		s.job.Read(markdownFiles)
		i := s.make(p)
		switch {
		case i == nil:
			s.job.Skipped(markdownFiles, "it has a fault")
		case whole == nil:
			whole, first = i, p
			whole.Data = s.byLanguage(i.Data, p.language)
		case i.Status != whole.Status:
			s.job.Skipped(markdownFiles, "a translation of another status than the page")
		default:
			s.job.Merged(markdownFiles, "translations of an item")
			s.addTranslation(whole, i, p.language)
		}
	}
	if whole == nil {
		return nil
	}
	whole.Locale = ""
	return s.hand(first, whole)
}

// byLanguage makes the members of Data objects by language.
func (s *site) byLanguage(data *jsontree.Value, language string) *jsontree.Value {
	all := jsontree.Object()
	for _, m := range data.Members {
		switch {
		case m.Name == "language" || m.Name == "lang":
		case slices.Contains(sharedMembers, m.Name):
			all.Set(m.Name, m.Value)
		default:
			all.Set(m.Name, jsontree.Object(jsontree.Member{Name: language, Value: m.Value}))
		}
	}
	return all
}

// addTranslation adds the members of a translation to an item. The item is public from the latest of their times on, and
// until the earliest.
func (s *site) addTranslation(to, from *imports.Item, language string) {
	for _, m := range s.byLanguage(from.Data, language).Members {
		of := to.Data.Get(m.Name)
		switch {
		case of == nil:
			to.Data.Set(m.Name, m.Value)
		case m.Name == "media" || m.Name == "links":
			s.join(of, m.Value)
		case !slices.Contains(sharedMembers, m.Name):
			of.Set(language, m.Value.Get(language))
		}
	}
	to.PublishedAt = max(to.PublishedAt, from.PublishedAt)
	if from.ExpiresAt != "" && (to.ExpiresAt == "" || from.ExpiresAt < to.ExpiresAt) {
		to.ExpiresAt = from.ExpiresAt
	}
}

// join adds what a list of references has more.
func (s *site) join(to, from *jsontree.Value) {
	if to.IsObject() {
		to, from = to.Get("ContentIDs"), from.Get("ContentIDs")
	}
	for _, item := range from.List() {
		text := item.Append(nil)
		if !slices.ContainsFunc(to.Items, func(known *jsontree.Value) bool { return bytes.Equal(known.Append(nil), text) }) {
			to.Items = append(to.Items, item)
		}
	}
}
