// This file writes values and whole texts for messages, which are bounded whatever the content has.

package documents

import (
	"fmt"
	"unicode/utf8"
)

const (
	// maxValue bounds the characters of a value in a message.
	maxValue = 60
	// MaxMessage bounds a message, and a hint, in bytes.
	MaxMessage = 1500
)

// Cut returns a value for a message: shortened if it is long.
func Cut(value string) string {
	n := 0
	for i := range value {
		if n++; n > maxValue {
			return value[:i] + "…"
		}
	}
	return value
}

// Quoted returns a value for a message: quoted, and shortened if it is long.
func Quoted(value string) string { return fmt.Sprintf("%q", Cut(value)) }

// Bound returns a message or a hint with at most MaxMessage bytes: of a longer one the beginning and the end, as a
// sentence about a value may continue after the value.
func Bound(message string) string {
	if len(message) <= MaxMessage {
		return message
	}
	const mark = " … "
	begin := MaxMessage * 2 / 3
	end := len(message) - (MaxMessage - begin - len(mark))
	for !utf8.RuneStart(message[begin]) {
		begin--
	}
	for end < len(message) && !utf8.RuneStart(message[end]) {
		end++
	}
	return message[:begin] + mark + message[end:]
}
