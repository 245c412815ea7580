// This file reads manifests of newer versions, which have members that this version does not know.

package release

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"strings"
)

// decodeKnown decodes a value and leaves out members that this version does not know. It returns the text without
// these too.
func decodeKnown[T any](raw []byte) (*T, []byte, error) {
	v, err := decodeStrict[T](raw)
	if err == nil || !strings.HasPrefix(err.Error(), "json: unknown field") {
		return v, raw, err
	}
	if err := checkCompact(raw); err != nil {
		return nil, nil, err
	}
	text, err := knownMembers(raw[:len(raw)-1], reflect.TypeFor[T]())
	if err != nil {
		return nil, nil, err
	}
	v, err = decodeStrict[T](text)
	return v, append(text, '\n'), err
}

// decodeStrict decodes a value without members that this version does not know.
func decodeStrict[T any](b []byte) (*T, error) {
	v := new(T)
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return v, d.Decode(v)
}

// buildOf is the build of a manifest's text: a digest of all members but build itself, known or not.
func buildOf(b []byte) (string, error) {
	all, err := membersOf(b[:len(b)-1])
	if err != nil {
		return "", err
	}
	var parts [][]byte
	for _, m := range all {
		if m.name != "build" {
			parts = append(parts, m.text)
		}
	}
	sum := sha256.Sum256(append(enclose('{', parts, '}'), '\n'))
	return hex.EncodeToString(sum[:shortDigest]), nil
}
