// This file reads manifests of newer versions, which have members that this version does not know.

package release

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
)

// parseNewer is Parse for a manifest with unknown members.
func parseNewer(b []byte) (*Manifest, error) {
	m, err := knownManifest(b)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrManifest, err)
	}
	return m, nil
}

func knownManifest(b []byte) (*Manifest, error) {
	if err := checkCompact(b); err != nil {
		return nil, err
	}
	text, err := knownMembers(b[:len(b)-1], reflect.TypeFor[Manifest]())
	if err != nil {
		return nil, err
	}
	m, err := decodeManifest(text)
	if err != nil {
		return nil, err
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	build, err := buildOf(b)
	if err != nil {
		return nil, err
	}
	if m.Build != build {
		return nil, fmt.Errorf("build is %q, but the content has build %s", m.Build, build)
	}
	if !bytes.Equal(m.encode(), append(text, '\n')) {
		return nil, fmt.Errorf("not in canonical form")
	}
	return m, nil
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
