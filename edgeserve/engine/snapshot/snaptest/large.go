// This file makes items with many paths or with long values, for tests of the cost of requests.

package snaptest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// widePaths is the number of paths below Data of WideItems. With an item's own fields there are 5,030.
const widePaths = 5024

// LongValue is about the length in bytes of the values of LongItems.
const LongValue = 1 << 20

// ownFields are fields that every item has.
func ownFields(i int) string {
	return fmt.Sprintf(`"ContentID":"L%03d","Name":"Item %d","TemplateName":"Page","Status":"Published","CreatedBy":"Ann Lee","CreatedAt":"2024-03-%02dT08:00:00.000Z"`, i, i, 28-i)
}

// WideItems returns twelve items of about 130 KB in the default order. Each has all widePaths paths, from
// Data.p0000 on: texts, texts of digits, integers, fractions, dates, booleans, arrays of texts, and one text
// in each of several objects (Data.p0009.t).
func WideItems() []string {
	words := strings.Fields("bread garden rope weather diary kitchen river winter")
	items := make([]string, 12)
	for i := range items {
		var b strings.Builder
		fmt.Fprintf(&b, `{%s,"Data":{`, ownFields(i))
		for p := range widePaths {
			if p > 0 {
				b.WriteByte(',')
			}
			one, two := words[(p+i)%len(words)], words[(p/10+3*i)%len(words)]
			fmt.Fprintf(&b, `"p%04d":`, p)
			switch p % 10 {
			case 3:
				fmt.Fprintf(&b, `"%d"`, p*i%97)
			case 4:
				fmt.Fprint(&b, p*i%101)
			case 5:
				fmt.Fprintf(&b, `%d.25`, p*i%89)
			case 6:
				fmt.Fprintf(&b, `"2024-01-%02dT0%d:00:00Z"`, 1+p%28, i%10)
			case 7:
				fmt.Fprint(&b, (p/10+i)%2 == 0)
			case 8:
				fmt.Fprintf(&b, `["%s","%s"]`, one, two)
			case 9:
				fmt.Fprintf(&b, `[{"t":"%s"},{"t":"%s %d"}]`, one, two, i)
			default:
				fmt.Fprintf(&b, `"%s %s %d"`, one, two, p%7)
			}
		}
		items[i] = b.String() + "}}"
	}
	return items
}

// LongItems returns eight items in the default order, most with a value of about LongValue bytes at Data.body.
// The first three values differ in their last word only. Then come one word many times over, a word
// without an end, and sentences with escapes and other scripts; at last an array of four quarters, and a short
// value.
func LongItems() []string {
	sentences := strings.Repeat("The bread of the garden is in the kitchen. A rope hangs by the river, and winter comes. ", LongValue/89)
	odd := strings.Repeat("\"Größe\"\tund 東京, ça va? \\ 👍🏽 naïve café.\n", LongValue/60)
	bodies := []any{
		sentences + "one", sentences + "three", sentences + "two",
		strings.Repeat("bread ", LongValue/6),
		strings.Repeat("endless", LongValue/7),
		odd,
		[]string{sentences[:LongValue/4] + "a", sentences[:LongValue/4] + "b", odd[:LongValue/4/60*60], "bread"},
		"A short value about bread.",
	}
	items := make([]string, len(bodies))
	for i, body := range bodies {
		text, err := json.Marshal(body)
		if err != nil {
			panic(err)
		}
		items[i] = fmt.Sprintf(`{%s,"Data":{"body":%s,"n":%d}}`, ownFields(i), text, i)
	}
	return items
}
