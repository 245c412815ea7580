// This file compares explanations. Parts of a sum come in any order, because Lucene's depends on
// hashes, and so does the text of a query that it has rewritten.

package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// textDiffers begins the difference of explanations whose form and numbers are equal.
const textDiffers = "the text of a query"

// explanations returns the first place where two explanations differ, or "".
func explanations(at string, ours, theirs any) string {
	our, ok := ours.(object)
	their, both := theirs.(object)
	if !ok || !both {
		return fmt.Sprintf("%s: %s, theirs %s", at, short(ours), short(theirs))
	}
	text := ""
	a, b := fmt.Sprint(our["description"]), fmt.Sprint(their["description"])
	if a != b {
		if form(a, our) != form(b, their) {
			return fmt.Sprintf("%s: %q, theirs %q", at, a, b)
		}
		text = fmt.Sprintf("%s: %q, theirs %q", textDiffers, a, b)
	}
	at += "/" + form(a, our)
	x, _ := our["value"].(json.Number)
	y, _ := their["value"].(json.Number)
	if !near(string(x), string(y), scoreError) && !(a == "origin" && near(string(x)+".0", string(y), scoreError)) { // it may be now
		return fmt.Sprintf("%s: value %s, theirs %s", at, x, y)
	}
	mine, yours := parts(our), parts(their)
	if len(mine) != len(yours) {
		return fmt.Sprintf("%s: %d parts, theirs %d\nours: %s\ntheirs: %s", at, len(mine), len(yours), short(mine), short(yours))
	}
	for i := range mine {
		diff := explanations(at, mine[i], yours[i])
		switch {
		case diff == "":
		case !strings.HasPrefix(diff, textDiffers):
			return diff
		case text == "":
			text = diff
		}
	}
	return text
}

// parts are the details of an explanation, in an order of their own: by form, by value as far as the
// precision of scores tells, by text.
func parts(e object) []any {
	list, _ := e["details"].([]any)
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(v, w any) int {
		a, _ := v.(object)
		b, _ := w.(object)
		x, y := fmt.Sprint(a["description"]), fmt.Sprint(b["description"])
		byValue := 0
		if p, q := fmt.Sprint(a["value"]), fmt.Sprint(b["value"]); !near(p, q, scoreError) {
			byValue = cmp.Compare(number(p), number(q))
		}
		return cmp.Or(strings.Compare(form(x, a), form(y, b)), byValue, strings.Compare(x, y))
	})
	return list
}

func number(text string) (x float64) {
	fmt.Sscan(text, &x)
	return x
}

var (
	weightOf    = regexp.MustCompile(`(?s)^weight\(.*\)( \[PerFieldSimilarity\])?, (result|product) of:$`)
	frequencyOf = regexp.MustCompile(`\(freq=.*\)|phraseFreq=.*`)
	about       = regexp.MustCompile(`(?s)^(match filter: |Matched boosting query |Did not match boosting query |no match on required clause |match on prohibited clause ).*`)
)

// form is a description without the texts of queries.
func form(description string, e object) string {
	list, _ := e["details"].([]any)
	description = frequencyOf.ReplaceAllString(weightOf.ReplaceAllString(description, "weight$1$2"), "freq")
	if m := about.FindStringSubmatch(description); m != nil {
		return m[1]
	}
	if len(list) > 0 || known[description] {
		return description
	}
	return "…"
}

// known are descriptions without details that are not texts of queries.
var known = map[string]bool{}

func init() {
	for _, text := range []string{
		"boost", "n, number of documents containing term", "N, total number of documents with field", "freq", "freq, occurrences of term within document",
		"k1, term saturation parameter", "b, length normalization parameter", "dl, length of field", "dl, length of field (approximate)",
		"avgdl, average length of field", "# clause", "maxBoost", "weight", "constant score 1.0 - no function provided", "No function matched",
		"primaryWeight", "secondaryWeight", "pivotDistance", "origin", "current value",
	} {
		known[text] = true
	}
}
