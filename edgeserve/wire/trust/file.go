// This file reads trust files. Each error has the line, because an operator wrote it.

package trust

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"contentedge/edgeserve/wire/release"
)

const (
	// MaxFile limits a trust file, in bytes: MaxKeys lines with room for comments.
	MaxFile = 64 << 10
	// MaxKeys limits the keys of a trust file. More signatures do not fit into a pointer.
	MaxKeys = 30
)

// ReadFile reads a trust file. The error names it.
func ReadFile(path string) (*Policy, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > MaxFile {
		return nil, fmt.Errorf("%s: this is not a trust file, or it has more than %d bytes", path, MaxFile)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p, err := Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// Parse reads the text of a trust file.
func Parse(b []byte) (*Policy, error) {
	if len(b) > MaxFile {
		return nil, fmt.Errorf("it has more than %d bytes", MaxFile)
	}
	f := file{lines: map[string]int{}}
	for i, line := range strings.Split(string(b), "\n") {
		if err := f.line(i+1, strings.TrimSpace(line)); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return f.finish()
}

// file is a trust file of which some lines are read.
type file struct {
	Policy
	lines map[string]int // by setting except key: the line that sets it
}

func (f *file) line(number int, line string) error {
	if line == "" || line[0] == '#' {
		return nil
	}
	if strings.Contains(line, privateKey) { // before any error that quotes the line, which logs keep
		return errors.New("this is a private key, which signs; a trust file has public keys, as generator keys new prints them")
	}
	if i := strings.IndexFunc(line, func(r rune) bool { return (r < ' ' && r != '\t') || r > '~' }); i >= 0 {
		return fmt.Errorf("%+q: use only printable ASCII in settings", line)
	}
	words := strings.Fields(line)
	name, values := words[0], words[1:]
	if name == "key" {
		return f.key(number, values)
	}
	set := f.setting(name)
	if set == nil {
		return fmt.Errorf("%q is not a setting; the settings are: version, origin, threshold, key", name)
	}
	if first := f.lines[name]; first > 0 {
		return fmt.Errorf("%s is set in line %d already", name, first)
	}
	if f.lines[name] = number; len(values) != 1 {
		return fmt.Errorf("%s takes one value", name)
	}
	return set(values[0])
}

// setting returns the text of a setting that may occur only once; nil if the file lacks it.
func (f *file) setting(name string) func(value string) error {
	switch name {
	case "version":
		return func(value string) (err error) {
			f.Version, err = number(value, release.MaxSequence)
			return err
		}
	case "origin":
		return func(value string) error {
			f.Origin = value
			return release.CheckOrigin(value)
		}
	case "threshold":
		return func(value string) error {
			n, err := number(value, MaxKeys)
			f.Threshold = int(n)
			return err
		}
	}
	return nil
}

func number(value string, most int64) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("%q is not a number from 1 to %d", value, most)
	}
	return n, nil
}

func (f *file) key(line int, values []string) error {
	if len(values) != 1 && !(len(values) == 3 && values[1] == "until") {
		return errors.New("want key KEY, or key KEY until 2027-06-30")
	}
	k, err := newKey(values[0])
	if err != nil {
		return err
	}
	if len(values) == 3 {
		k.Until = values[2]
		if _, err := time.Parse(time.DateOnly, k.Until); err != nil {
			return fmt.Errorf("%q is not a day like 2027-06-30", k.Until)
		}
	}
	for i := range f.Keys {
		have := &f.Keys[i]
		if bytes.Equal(have.Public, k.Public) {
			return fmt.Errorf("%s has the same public key as %s: each key may occur only once", k.Name(), have.Name())
		}
		if have.Name() == k.Name() && have.KeyHash() == k.KeyHash() {
			return fmt.Errorf("two keys are named %s+%08x", k.Name(), k.KeyHash())
		}
	}
	if len(f.Keys) == MaxKeys {
		return fmt.Errorf("there are more than %d keys", MaxKeys)
	}
	f.Keys = append(f.Keys, k)
	return nil
}

// privateKey begins a private key.
const privateKey = "PRIVATE+KEY+"

// newKey reads a public key: NAME+HASH+KEY.
func newKey(text string) (Key, error) {
	v, err := note.NewVerifier(text)
	if err != nil {
		return Key{}, fmt.Errorf("%q is not a public key like news.example/ci+83cab54a+A…: %w", text, err)
	}
	b, err := base64.StdEncoding.DecodeString(strings.SplitN(text, "+", 3)[2]) // an octet for the algorithm, then the key
	if err != nil {
		return Key{}, err
	}
	return Key{Verifier: v, Public: b[1:]}, CheckName(v.Name())
}

func (f *file) finish() (*Policy, error) {
	for _, name := range []string{"version", "origin", "threshold"} {
		if f.lines[name] == 0 {
			return nil, fmt.Errorf("%s is missing", name)
		}
	}
	if len(f.Keys) < f.Threshold {
		return nil, fmt.Errorf("line %d: the threshold is %d, but there are %d keys", f.lines["threshold"], f.Threshold, len(f.Keys))
	}
	return &f.Policy, nil
}
