// This file decides which types of an export are people's data: what people wrote into forms, orders, accounts. These
// types are left out until the user names them.

package imports

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"contentedge/generator/jsontree"
	"contentedge/generator/source/documents"
)

// peopleWords name people who do not publish, or what they send. A type with such a word in its name is people's data.
// They are in lower case and singular. Two words of a name may be one here, as in sign-up.
var peopleWords = []string{
	"account", "applicant", "application", "appointment", "attendee", "booking", "cart", "checkout", "contact", "credential", "customer",
	"enquiry", "enrollment", "enrolment", "feedback", "inquiry", "invoice", "lead", "medicalrecord", "member", "message", "newsletter", "order", "patient", "payment",
	"registration", "request", "reservation", "rsvp", "secret", "session", "signup", "submission", "subscriber", "subscription", "token", "user",
}

// pageWords end the names of types of pages and their parts. The other words of the name only say which page it is.
var pageWords = []string{"block", "page", "section", "setting", "template"}

// contactWords end the names of fields with an address of a person. Words that also qualify, as in mobileImage, are
// the whole name.
var (
	contactWords = []string{"email", "phone", "telephone"}
	contactNames = []string{"mail", "tel", "mobile", "mobilephone", "mobilenumber", "phonenumber", "telephonenumber", "emailaddress", "mailaddress"}
)

// routeNames are the fields by which a site builds the address of a page.
var routeNames = []string{"path", "permalink", "route", "slug", "uid"}

// Type is what an import knows about a type of the source. Set the members from the export before the first call of
// LeftOut.
type Type struct {
	job   *Job
	name  string // as mapping files and --type call it
	word  string // the first of peopleWords in the name; "" means none
	page  bool   // it is a page or a part of one
	route bool   // a document has the path of a page
	field string // with an address of a person, the first by name; "" means none
	held  string // what the documents hold that makes them people's data; "" means nothing is known
}

// Type returns what is known of a type.
func (j *Job) Type(name string) *Type {
	t := j.types[name]
	if t == nil {
		words := wordsOf(name)
		t = &Type{job: j, name: name, word: peopleWord(words), page: len(words) > 0 && slices.Contains(pageWords, words[len(words)-1])}
		j.types[name] = t
	}
	return t
}

// Single records that the type has a single document, as a contact page has.
func (t *Type) Single() { t.page = true }

// Route records that documents of the type have the path of a page.
func (t *Type) Route() { t.route = true }

// Holds records what makes the type people's data, whatever its name and its fields are.
func (t *Type) Holds(what string) { t.held = what }

// Contact records a field with addresses of people, whatever its name is.
func (t *Type) Contact(field string) {
	if t.field == "" || field < t.field {
		t.field = field
	}
}

// Field records a field of the type.
func (t *Type) Field(name string) {
	switch {
	case t.route:
	case slices.Contains(routeNames, strings.ToLower(name)):
		t.route = true
	case isContactName(name):
		t.Contact(name)
	}
}

// Fields records the fields of a document that have a value.
func (t *Type) Fields(document *jsontree.Value) {
	if document == nil || t.route {
		return
	}
	for _, m := range document.Members {
		if v := m.Value; v.IsNumber() || strings.TrimSpace(v.Str()) != "" || len(v.List())+len(v.Members) > 0 {
			t.Field(m.Name)
		}
	}
}

const skippedByMapping = "the mapping file skips this type"

// LeftOut returns why documents of the type are not taken; "" if they are.
func (t *Type) LeftOut() string {
	o, why := &t.job.Options, ""
	switch {
	case o.Mapping.Skips(t.name):
		return skippedByMapping
	case o.Mapping.Names(t.name), slices.Contains(o.Types, t.name):
		return ""
	case t.held != "":
		why = "holds " + t.held
	case t.page:
		return ""
	case t.word != "":
		why = "has the word " + t.word + " in its name"
	case t.field != "" && !t.route:
		why = "has the field " + documents.Quoted(t.field) + " and no slug"
	default:
		return ""
	}
	return fmt.Sprintf("people's data: %s %s; --type %s takes it", documents.Cut(t.name), why, documents.Cut(argument(t.name)))
}

// argument quotes a name for a shell where it has a space or a quote.
func argument(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.:", r)
	}) {
		return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	return name
}

// maxNamed bounds the types that an error names.
const maxNamed = 20

// checkTypes returns an error if Options.Types names a type that the export lacks.
func (j *Job) checkTypes() error {
	for _, name := range j.Options.Types {
		if j.types[name] == nil {
			return &UsageError{"--type", "the export has no type " + documents.Quoted(name), "its types are " + j.typeNames()}
		}
	}
	return nil
}

func (j *Job) typeNames() string {
	var names []string
	for name := range j.types {
		if name != "" {
			names = append(names, documents.Quoted(name))
		}
	}
	slices.Sort(names)
	more := ""
	if n := len(names) - maxNamed; n > 0 {
		names, more = names[:maxNamed], fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ") + more
}

// peopleWord returns the first of peopleWords in a name. Two words that follow each other may be one, as sign-up.
func peopleWord(words []string) string {
	for i, word := range words {
		if slices.Contains(peopleWords, word) {
			return word
		}
		if i > 0 && slices.Contains(peopleWords, words[i-1]+word) {
			return words[i-1] + word
		}
	}
	return ""
}

// isContactName reports whether a field with that name holds an e-mail address, a telephone number or a password.
func isContactName(name string) bool {
	words := wordsOf(name)
	joined := strings.Join(words, "")
	if slices.Contains(contactNames, joined) || strings.HasSuffix(joined, "password") || isSecretName(name) && strings.Contains(joined, "pass") {
		return true
	}
	if n := len(words); n > 1 && (words[n-1] == "address" || words[n-1] == "number") {
		words = words[:n-1]
	}
	n := len(words)
	return n > 0 && slices.Contains(contactWords, words[n-1]) || n > 1 && words[n-2] == "e" && words[n-1] == "mail"
}

// wordsOf returns the words of a name in camel case, or with spaces, hyphens or underscores: in lower case and
// singular.
func wordsOf(name string) []string {
	var words []string
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }) {
		letters := []rune(part)
		start := 0
		for i := 1; i < len(letters); i++ {
			begins := unicode.IsUpper(letters[i]) && (!unicode.IsUpper(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1]))
			if begins {
				words, start = append(words, singular(letters[start:i])), i
			}
		}
		words = append(words, singular(letters[start:]))
	}
	return words
}

func singular(letters []rune) string {
	word := strings.ToLower(string(letters))
	if stem, ok := strings.CutSuffix(word, "ies"); ok {
		return stem + "y"
	}
	if stem, ok := strings.CutSuffix(word, "sses"); ok {
		return stem + "ss"
	}
	if strings.HasSuffix(word, "ss") {
		return word
	}
	return strings.TrimSuffix(word, "s")
}
