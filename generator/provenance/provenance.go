// Package provenance writes the record of who built a release from which commit, and reads it.
//
// The record is an in-toto Statement (v1) with an SLSA Provenance predicate (v1). Its subject is the
// manifest, whose digests cover every file. The record says what the environment of the program says:
// a signature of the pointer proves who vouches for it, not that it is true.
//
// Only named variables of CI systems are read, and of addresses only what holds no credentials: the
// record is readable for everybody who may read the store.
package provenance

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"contentedge/edgeserve/wire/release"
)

// The types of the record.
const (
	statementType = "https://in-toto.io/Statement/v1"
	predicateType = "https://slsa.dev/provenance/v1"
	buildType     = "urn:contentedge:buildtype:release:1"
)

// Source says who built a release, and from what.
type Source struct {
	Repository string // https://host/owner/name, or ""
	Commit     string // in hexadecimal digits
	Ref        string // refs/heads/main, or ""
	Dirty      bool   // files differed from the commit
	Builder    string // a URI: who ran the build
	Invocation string // a URI: the run; "" outside of CI
}

type statement struct {
	Type          string    `json:"_type"`
	Subject       []subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     predicate `json:"predicate"`
}

type subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

type predicate struct {
	BuildDefinition definition `json:"buildDefinition"`
	RunDetails      run        `json:"runDetails"`
}

type definition struct {
	BuildType    string       `json:"buildType"`
	External     external     `json:"externalParameters"`
	Internal     *internal    `json:"internalParameters,omitempty"`
	Dependencies []dependency `json:"resolvedDependencies,omitempty"`
}

type external struct {
	Repository string `json:"repository,omitempty"`
	Ref        string `json:"ref,omitempty"`
}

type internal struct {
	Dirty bool `json:"dirty"`
}

type dependency struct {
	URI    string            `json:"uri,omitempty"`
	Digest map[string]string `json:"digest"`
}

type run struct {
	Builder  builder   `json:"builder"`
	Metadata *metadata `json:"metadata,omitempty"`
}

type builder struct {
	ID string `json:"id"`
}

type metadata struct {
	Invocation string `json:"invocationId"`
}

// Encode returns the record about the manifest of a digest.
func (s *Source) Encode(manifest, sha256 string) ([]byte, error) {
	st := statement{
		Type: statementType, PredicateType: predicateType,
		Subject: []subject{{manifest, map[string]string{"sha256": sha256}}},
	}
	d := &st.Predicate.BuildDefinition
	d.BuildType, d.External = buildType, external{s.Repository, s.Ref}
	if s.Dirty {
		d.Internal = &internal{Dirty: true}
	}
	if s.Commit != "" {
		uri := ""
		if s.Repository != "" {
			uri = "git+" + s.Repository
			if s.Ref != "" {
				uri += "@" + s.Ref
			}
		}
		d.Dependencies = []dependency{{uri, map[string]string{"gitCommit": s.Commit}}}
	}
	st.Predicate.RunDetails.Builder.ID = s.Builder
	if s.Invocation != "" {
		st.Predicate.RunDetails.Metadata = &metadata{s.Invocation}
	}
	b, err := json.MarshalIndent(st, "", "  ")
	if err != nil {
		return nil, err
	}
	if b = append(b, '\n'); len(b) > release.MaxAttestation {
		return nil, fmt.Errorf("the record of who built the release has more than %d bytes", release.MaxAttestation)
	}
	return b, nil
}

// ErrRecord: a text is not a record of a release.
var ErrRecord = errors.New("not a record of who built a release")

// Decode reads a record that may come from another program, and returns what it says of a manifest. The
// error wraps ErrRecord if it is damaged or about another manifest.
func Decode(b []byte, sha256 string) (*Source, error) {
	if len(b) > release.MaxAttestation {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrRecord, release.MaxAttestation)
	}
	var st statement
	if err := json.Unmarshal(b, &st); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRecord, err)
	}
	if st.Type != statementType || st.PredicateType != predicateType {
		return nil, fmt.Errorf("%w: its types are %.80q and %.80q", ErrRecord, st.Type, st.PredicateType)
	}
	about := false
	for _, s := range st.Subject {
		about = about || s.Digest["sha256"] == sha256
	}
	if !about {
		return nil, fmt.Errorf("%w: it is about another manifest", ErrRecord)
	}
	d := st.Predicate.BuildDefinition
	s := &Source{Repository: d.External.Repository, Ref: d.External.Ref, Builder: st.Predicate.RunDetails.Builder.ID, Dirty: d.Internal != nil && d.Internal.Dirty}
	if m := st.Predicate.RunDetails.Metadata; m != nil {
		s.Invocation = m.Invocation
	}
	for _, dep := range d.Dependencies {
		if c := dep.Digest["gitCommit"]; c != "" && s.Commit == "" {
			s.Commit = c
			if s.Repository == "" {
				s.Repository, _, _ = strings.Cut(strings.TrimPrefix(dep.URI, "git+"), "@")
			}
		}
	}
	return s, nil
}

// String is one line: the commit, where it is from, and who built it.
func (s *Source) String() string {
	var parts []string
	if s.Commit != "" {
		c := "commit " + s.Commit
		if s.Dirty {
			c += " with changes"
		}
		parts = append(parts, c)
	}
	for _, p := range []struct{ word, text string }{{"of ", s.Repository}, {"on ", s.Ref}, {"built by ", s.Builder}, {"in ", s.Invocation}} {
		if p.text != "" {
			parts = append(parts, p.word+p.text)
		}
	}
	return printable(strings.Join(parts, " "))
}

// maxLine bounds the line of a record that another program wrote, in bytes.
const maxLine = 1024

// printable replaces what could change a terminal.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '?'
		}
		return r
	}, s)
	return strings.ToValidUTF8(s[:min(len(s), maxLine)], "")
}
