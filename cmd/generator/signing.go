// This file has the flags of commands that write or read the signed pointer of a store.

package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"contentedge/cmd/cli"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/trust"
	"contentedge/generator/provenance"
	"contentedge/generator/ship"
	"contentedge/generator/signing"
)

const groupSignatures = "Signatures"

// aboutKeys ends the helps of commands that sign.
const aboutKeys = "A key is a file, or a variable that is named as '$NAME', in single quotes. The private key itself is never on a command line."

// signFlags are the flags of a command that writes the pointer of a store.
type signFlags struct {
	keys                []string
	origin, trust, from string
	validity            validity
	propose, unsigned   bool
}

// add adds the flags of a command that a person or a job runs. attests: the command knows who builds the release.
func (f *signFlags) add(c *cli.Command, attests bool) {
	g := c.Group(groupSignatures)
	c.Check = f.check
	f.addKeys(g)
	g.Bool(&f.propose, "propose", "write a proposal, which others sign with releases sign, instead of the pointer").Needs("sign")
	g.Bool(&f.unsigned, "unsigned", "replace a signed pointer by an unsigned one").CommandLineOnly()
	if attests {
		f.addProvenance(g)
	}
}

// addKeys adds who signs what.
func (f *signFlags) addKeys(g *cli.Group) {
	g.Strings(&f.keys, "sign", "FILE", "sign the pointer with the private key in a file, or in a variable that is named as '$NAME'")
	g.String(&f.origin, "origin", "NAME", "whose content it is; needed for the first signature, and kept then")
	g.Func("expires", "DURATION", "nodes refuse the pointer after this time, for example 12h or 7d; never ends that (default: as in the previous pointer)", f.validity.set)
	addTrust(g, &f.trust, "trust file of the nodes: refuse to write what they would refuse")
}

func (f *signFlags) addProvenance(g *cli.Group) {
	f.from = string(provenance.FromCI)
	g.String(&f.from, "provenance", "WORD", "who built the release from which commit. ci: by the variables of GitHub Actions or GitLab CI, if there are any; "+
		"git: outside of both, by the repository of the working directory; none").Values(provenance.Modes()...)
}

// check refuses a private key that a variable or a file of settings has in the place of its name, before something
// prints it.
func (f *signFlags) check() error { return refuseKeys(f.keys) }

// addTrust adds the flag of a trust file.
func addTrust(g *cli.Group, to *string, text string) { g.String(to, "trust", "FILE", text) }

// signing reads the keys and the trust file.
func (f *signFlags) signing(c console) (ship.Signing, error) {
	if len(f.keys) == 0 && (f.origin != "" || f.validity != validity{}) {
		return ship.Signing{}, wrongUsage("--origin and --expires need --sign", "name the key, or omit them")
	}
	s := ship.Signing{Origin: f.origin, Expires: f.validity.time, Forever: f.validity.forever, Propose: f.propose, Unsigned: f.unsigned}
	if f.unsigned && len(f.keys) > 0 {
		return s, wrongUsage("--unsigned contradicts --sign", "give only one")
	}
	if f.origin != "" {
		if err := release.CheckOrigin(f.origin); err != nil {
			return s, wrongUsage("--origin: "+err.Error(), "")
		}
	}
	var err error
	if s.Trust, err = readTrust(f.trust); err != nil {
		return s, err
	}
	for _, where := range f.keys {
		k, err := signing.Read(where, c.warn)
		if err != nil {
			return s, wrongUsage("--sign: "+err.Error(), "")
		}
		s.Keys = append(s.Keys, k)
	}
	if mode := provenance.Mode(f.from); mode != "" && mode != provenance.None {
		signs := len(s.Keys) > 0
		s.Attest = func(ctx context.Context, manifestSHA256 string) ([]byte, error) {
			from, err := mode.Find(ctx, ".", os.Getenv)
			if err != nil && !signs {
				return nil, nil // without signatures the record proves nothing: publish without it
			}
			if from == nil || err != nil {
				return nil, err
			}
			return from.Encode(release.ManifestName, manifestSHA256)
		}
	}
	return s, nil
}

// readTrust reads a trust file. It returns nil if name is empty.
func readTrust(name string) (*trust.Policy, error) {
	if name == "" {
		return nil, nil
	}
	p, err := trust.ReadFile(name)
	if err != nil {
		return nil, wrongUsage("--trust: "+err.Error(), "")
	}
	return p, nil
}

// validity is how long a pointer is valid.
type validity struct {
	time    time.Duration
	forever bool
}

// maxValidity bounds --expires: what is valid for longer should not expire.
const maxValidity = 100 * 365 * 24 * time.Hour

// set reads a duration, which may have days or weeks, or never.
func (v *validity) set(text string) error {
	if text == "never" {
		*v = validity{forever: true}
		return nil
	}
	var d time.Duration
	if err := readAge(&d)(text); err != nil {
		return fmt.Errorf("%w, or never", err)
	}
	*v = validity{time: d}
	return nil
}

func parseDays(text string) (time.Duration, error) {
	for unit, length := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			n, err := strconv.ParseUint(number, 10, 16)
			return time.Duration(min(n, uint64(maxValidity/length)+1)) * length, err
		}
	}
	return time.ParseDuration(text)
}

// refuseKeys refuses arguments with a private key, before something prints them.
func refuseKeys(args []string) error {
	if slices.ContainsFunc(args, signing.HoldsKey) {
		return wrongUsage(signing.ErrInArguments.Error(), "")
	}
	return nil
}

// describeSigned ends the line about a pointer: who has signed it, until when.
func describeSigned(signedBy []string, wanted int, expires string) string {
	if len(signedBy) == 0 {
		return ""
	}
	text := ", signed by " + strings.Join(signedBy, ", ")
	if wanted > 1 {
		text += fmt.Sprintf(" (%d of %d)", len(signedBy), wanted)
	}
	return text + describeEnd(expires)
}

func describeEnd(expires string) string {
	end, err := time.Parse(time.RFC3339, expires)
	switch {
	case err != nil:
		return ""
	case time.Now().Before(end):
		return ", valid until " + expires
	}
	return ", EXPIRED at " + expires
}
