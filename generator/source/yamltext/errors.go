// This file says what is wrong with a text that is no YAML.

package yamltext

import (
	"errors"
	"strings"

	"contentedge/generator/source/documents"

	"github.com/goccy/go-yaml/token"
)

// located is what errors of the parser have.
type located interface {
	error
	GetMessage() string
	GetToken() *token.Token
}

// syntax reports an error of the parser in the tokens that begin with first.
func (r *reader) syntax(first *token.Token, err error) {
	at, message := placeOf(first), err.Error()
	var e located
	if errors.As(err, &e) {
		message = e.GetMessage()
		if t := e.GetToken(); t != nil && t.Position != nil {
			at = placeOf(t)
		}
	}
	r.fault(at, "this is not YAML: "+documents.Printable(message), advice(message))
}

// invalid reports a token that the scanner refuses.
func (r *reader) invalid(t *token.Token) {
	r.fault(placeOf(t), "this is not YAML: "+documents.Printable(t.Error), advice(t.Error))
}

// advice is the hint for messages that need one.
func advice(message string) string {
	for part, hint := range map[string]string{
		"cannot start any token":       "indent with spaces; YAML has no tabs there",
		"mapping value is not allowed": `a text with ": " in it stands in quotes`,
		"reserved character":           "a text that begins with this character stands in quotes",
	} {
		if strings.Contains(message, part) {
			return hint
		}
	}
	return ""
}
