// This file writes all items of an environment as one file, which a browser keeps for use without a network.

package searchfiles

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// ItemsName is the name in a pointer of the file with all items of an environment.
func ItemsName(env string) string { return "items/" + env }

// Item is the file of an item by its name below the release's root.
type Item struct {
	Name string
	Body []byte
}

// JoinItems writes items as one file: a line of JSON, an array with the name and the length of each, then their bytes.
func JoinItems(items []Item) ([]byte, error) {
	table := make([][2]any, len(items))
	for i, item := range items {
		table[i] = [2]any{item.Name, len(item.Body)}
	}
	var b bytes.Buffer
	text, err := json.Marshal(table)
	if err != nil {
		return nil, fmt.Errorf("the names of items: %w", err)
	}
	b.Write(text)
	b.WriteByte('\n')
	for _, item := range items {
		b.Write(item.Body)
	}
	return b.Bytes(), nil
}
