// This file asks which items links of a text lead to.

package documents

import (
	"encoding/json"
	"strings"
)

// LinkQuestion is the kind of Question that asks which item a link leads to. Its Key is LinkKey, its answer Target.Answer.
const LinkQuestion = "link"

// LinkKey returns the Key of a LinkQuestion. target is a path below the environment: of a file; of a file without its
// extension; or of a folder, with a slash at its end. language is that of the name of the file that links: an item in the same
// language is preferred.
func LinkKey(language, target string) string { return language + "\n" + target }

// CutLinkKey returns the parts of a LinkKey.
func CutLinkKey(key string) (language, target string) {
	language, target, _ = strings.Cut(key, "\n")
	return language, target
}

// Target is the item that a link leads to. The zero Target is none.
type Target struct {
	ID       string
	Path     string `json:",omitempty"` // without slashes around it
	Slug     string `json:",omitempty"`
	Language string `json:",omitempty"`
	Template string `json:",omitempty"`
	Hidden   bool   `json:",omitempty"` // the build leaves the item out; nothing but its ID is known
}

// Answer returns the Target as an answer to a LinkQuestion: "" for none.
func (t Target) Answer() string {
	if t == (Target{}) {
		return ""
	}
	if t.Hidden {
		t = Target{ID: t.ID, Hidden: true}
	}
	text, _ := json.Marshal(t) // strings and a bool have no errors
	return string(text)
}

// AskLink asks which item a link leads to.
func AskLink(in Input, language, target string) (t Target) {
	if answer := in.Ask(Question{Kind: LinkQuestion, Env: in.Env, Key: LinkKey(language, target)}); answer != "" {
		_ = json.Unmarshal([]byte(answer), &t) // of an Answer
	}
	return t
}
