// This file asks which items links of a text lead to.

package documents

import "strings"

// LinkQuestion is the kind of Question that asks which item a link leads to. Its Key is LinkKey, its answer Target.Answer.
const LinkQuestion = "link"

// LinkKey returns the Key of a LinkQuestion. target is a path below the environment. It leads to a file, to a file whose
// extension it lacks, or, with a slash at its end, to a folder. An item in language is preferred, which is the language in
// the name of the linking file.
func LinkKey(language, target string) string { return language + "\n" + target }

// CutLinkKey returns the parts of a LinkKey.
func CutLinkKey(key string) (language, target string) {
	language, target, _ = strings.Cut(key, "\n")
	return language, target
}

// Target is the item that a link leads to. The zero Target leads to no item.
type Target struct {
	ID       string
	Path     string // without slashes around it
	Slug     string
	Language string
	Template string
	Hidden   bool // the build leaves the item out; nothing but its ID is known
}

// separator is between the members of an answer. Values do not have it, as no address can.
const separator = "\x00"

var withoutSeparator = strings.NewReplacer(separator, "\uFFFD")

// Answer returns the Target as an answer to a LinkQuestion: "" for none.
func (t Target) Answer() string {
	switch {
	case t.ID == "":
		return ""
	case t.Hidden:
		return t.ID
	}
	list := []string{t.ID, t.Path, t.Slug, t.Language, t.Template}
	for i := range list {
		list[i] = withoutSeparator.Replace(list[i])
	}
	return strings.Join(list, separator)
}

// TargetOf returns the Target of an answer.
func TargetOf(answer string) (t Target) {
	id, rest, shown := strings.Cut(answer, separator)
	t.ID, t.Hidden = id, id != "" && !shown
	for _, member := range []*string{&t.Path, &t.Slug, &t.Language, &t.Template} {
		*member, rest, _ = strings.Cut(rest, separator)
	}
	return t
}

// AskLink asks which item a link leads to.
func AskLink(in Input, language, target string) Target {
	return TargetOf(in.Ask(Question{Kind: LinkQuestion, Env: in.Env, Key: LinkKey(language, target)}))
}
