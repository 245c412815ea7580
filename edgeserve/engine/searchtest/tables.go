// This file is what tables of tests in other packages share: items from their Data, and responses.

package searchtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/snapshot"
)

// DataItems returns an item for each JSON value in a text. The value is the item's Data. The items have the ids
// i000, i001 and so on, which is also the order of documents.
func DataItems(tb testing.TB, data string) (items []string) {
	tb.Helper()
	for d := json.NewDecoder(strings.NewReader(data)); ; {
		var value json.RawMessage
		if err := d.Decode(&value); errors.Is(err, io.EOF) {
			return items
		} else if err != nil {
			tb.Fatalf("item %d: %v", len(items), err)
		}
		items = append(items, fmt.Sprintf(`{"ContentID":"i%03d","CreatedAt":"2021-01-01T00:00:00.000Z","Name":"n","Data":%s}`, len(items), compact(tb, []string{string(value)})[0]))
	}
}

// Aggregations evaluates a body and returns its aggregations.
func Aggregations(tb testing.TB, r *snapshot.Reader, text string) (string, error) {
	tb.Helper()
	b, err := body.Parse([]byte(text))
	if err != nil {
		return "", err
	}
	result, err := search.Eval(tb.Context(), r, b)
	if err != nil {
		return "", err
	}
	return string(result.Aggregations), nil
}
