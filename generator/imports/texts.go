// This file puts plain text next to rich text, so that a search finds words and not the names of nodes.

package imports

import (
	"slices"

	"contentedge/generator/jsontree"
	"contentedge/generator/plaintext"
)

// TextSuffix ends the name of the member with the plain text of the previous member.
const TextSuffix = "Text"

// addTexts adds a member with the plain text next to each member with rich text, at any depth. If the source has a
// member of that name, it stays as it is.
func (j *Job) addTexts(i *Item) {
	if len(j.system.RichText) > 0 {
		j.textsIn(i.Data, i)
	}
}

func (j *Job) textsIn(v *jsontree.Value, i *Item) {
	for _, item := range v.List() {
		j.textsIn(item, i)
	}
	if !v.IsObject() {
		return
	}
	members, names := make([]jsontree.Member, 0, len(v.Members)), map[string]bool{}
	for _, m := range v.Members {
		names[m.Name] = true
	}
	for _, m := range v.Members {
		members = append(members, m)
		text, rich := j.textOf(m.Value)
		name := m.Name + TextSuffix
		switch {
		case !rich:
			j.textsIn(m.Value, i)
		case text == nil:
		case names[name]:
			j.Warn("a member "+name+" exists, so the plain text of "+m.Name+" is not added", i.describe())
		default:
			members = append(members, jsontree.Member{Name: name, Value: text})
		}
	}
	v.Members = members
}

// textOf returns the plain text of rich text, also by locale; nil if it has no word.
func (j *Job) textOf(v *jsontree.Value) (text *jsontree.Value, rich bool) {
	if !j.byLocale(v) {
		plain, format := plaintext.Of(v)
		if rich = slices.Contains(j.system.RichText, format); !rich || plain == "" {
			return nil, rich
		}
		return jsontree.String(plain), true
	}
	all := jsontree.Object()
	for _, m := range v.Members {
		plain, isRich := j.textOf(m.Value)
		rich = rich || isRich
		if plain != nil {
			all.Set(m.Name, plain)
		}
	}
	if len(all.Members) == 0 {
		return nil, rich
	}
	return all, rich
}

// byLocale reports whether a value belongs to a localized field whose members are locales.
func (j *Job) byLocale(v *jsontree.Value) bool {
	return len(j.members) > 0 && v.IsObject() && len(v.Members) > 0 &&
		!slices.ContainsFunc(v.Members, func(m jsontree.Member) bool { return !slices.Contains(j.members, m.Name) })
}
