// This file is the releases command, which manages the releases in a store.

package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"contentedge/cmd/cli"
	"contentedge/edgeserve/bytesize"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/checksums"
	"contentedge/generator/ship"
)

// defaultKeep permits a few rollbacks.
const defaultKeep = 5

// releasesCommand has a command for each action, with the flags that it uses.
func releasesCommand(c console) *cli.Command {
	return &cli.Command{
		Name: "releases", Summary: "list, promote, renew, roll back, announce, repair, join or remove releases", Purpose: purposeStore,
		Long: "Manages the releases of a store. " + aboutStores,
		Commands: []*cli.Command{
			listCommand(c), showCommand(c), promoteCommand(c), rollbackCommand(c), renewCommand(c), signCommand(c), notifyCommand(c), gcCommand(c), removeCommand(c), repairCommand(c), joinCommand(c),
		},
	}
}

// action is a command of releases with the settings that all have.
type action struct {
	output
	ship.PublishConfig
	console
	*cli.Command
	sign   signFlags
	notify notifier
	shown  []ship.Shown // of show
}

func newAction(c console, cmd cli.Command) *action {
	return &action{console: c, PublishConfig: ship.PublishConfig{Jobs: ship.DefaultJobs, Warn: c.warn}, Command: &cmd}
}

// open opens the store that the first argument names, and reads the keys.
func (a *action) open(args []string) (err error) {
	if a.Store, err = openStore(args[0], a.Command); err != nil {
		return err
	}
	a.Sign, err = a.sign.signing(a.console)
	return err
}

// runs lets the action run do with the store opened, and print the result.
func runs[T any](a *action, do func(ctx context.Context, args []string) (T, error), words func(T) string) *cli.Command {
	a.addJSON(a.Command)
	a.Run = func(ctx context.Context, args []string) error {
		if err := a.open(args); err != nil {
			return err
		}
		result, err := do(ctx, args)
		return show(a.console, a.output, result, err, words)
	}
	return a.Command
}

// moves is runs for an action that makes another release current. It tells the receivers.
func moves(a *action, do func(ctx context.Context, args []string) (*ship.Moved, error)) *cli.Command {
	addFollowers(a.Command, &a.ChangesFrom, &a.notify)
	addDryRun(a.Command, &a.DryRun)
	return runs(a, func(ctx context.Context, args []string) (*ship.Moved, error) {
		m, err := do(ctx, args)
		if err != nil || a.DryRun {
			return m, err
		}
		return m, a.notify.moved(ctx, a.Store, m.Changed && !m.Proposed)
	}, a.moved)
}

func listCommand(c console) *cli.Command {
	a := newAction(c, cli.Command{
		Name: "list", Args: "STORE", Summary: "list the releases of a store, the newest upload first",
		Examples: []cli.Example{{Line: "generator releases list s3://bucket/live"}},
	})
	return runs(a, func(ctx context.Context, _ []string) ([]ship.Release, error) { return ship.List(ctx, a.Store) }, listTable)
}

func promoteCommand(c console) *cli.Command {
	a := newAction(c, cli.Command{
		Name: "promote", Args: "STORE BUILD", Summary: "make a release of the store current",
		Long:     "Makes a release of the store current, unless that would remove too many items. If a rollback has withdrawn the release, that is taken back.",
		Examples: []cli.Example{{Line: "generator releases promote s3://bucket/live 0123456789abcdef"}},
	})
	addRemoval(a.Command, &a.Removal)
	a.sign.add(a.Command, false)
	return moves(a, func(ctx context.Context, args []string) (*ship.Moved, error) {
		return ship.Promote(ctx, a.PublishConfig, args[1])
	})
}

func rollbackCommand(c console) *cli.Command {
	a := newAction(c, cli.Command{
		Name: "rollback", Args: "STORE", Summary: "make the previous release current, and withdraw the current one",
		Long:     "Makes the previous release current and withdraws the current one: publish refuses the withdrawn release without --again. Another rollback goes further back, past withdrawn releases.",
		Examples: []cli.Example{{Line: "generator releases rollback s3://bucket/live"}},
	})
	a.sign.add(a.Command, false)
	return moves(a, func(ctx context.Context, _ []string) (*ship.Moved, error) { return ship.Rollback(ctx, a.PublishConfig) })
}

func renewCommand(c console) *cli.Command {
	a := newAction(c, cli.Command{
		Name: "renew", Args: "STORE", Summary: "write the pointer again with the current time",
		Long: "Writes the pointer again with the current time, for nodes with --max-pointer-age and before a signed pointer expires, or with the sequence number that the logs of nodes recommend.",
		Examples: []cli.Example{
			{Line: "generator releases renew s3://bucket/live"},
			{Line: "generator releases renew s3://bucket/live --sign ci.key", Text: "for as long as the pointer was valid before"},
			{Line: "generator releases renew s3://bucket/live --sequence 42", Text: "after a restore of the store"},
		},
	})
	sequence := 0
	addCount(a.Group(groupRelease), &sequence, "sequence", "the sequence number to write (default: the next one)").CommandLineOnly()
	a.sign.add(a.Command, false)
	addDryRun(a.Command, &a.DryRun)
	return runs(a, func(ctx context.Context, _ []string) (*ship.Moved, error) {
		return ship.Renew(ctx, a.PublishConfig, int64(sequence))
	}, a.moved)
}

func signCommand(c console) *cli.Command {
	a := newAction(c, cli.Command{
		Name: "sign", Args: "STORE [RELEASE]", Summary: "sign the proposal of a store",
		Long: "Adds signatures to the proposal that publish --propose wrote, and makes its release current when it has as many as the trust file wants. " +
			"RELEASE is the digest of a manifest, " + digestPrefix + "…, as build, diff and releases show print it: no other release is signed. A build id needs --against. Without --sign it only makes it current. " + aboutKeys,
		Examples: []cli.Example{
			{Line: "generator releases show s3://bucket/live --trust trust.txt", Text: "what is proposed, and by whom"},
			{Line: "generator releases sign s3://bucket/live sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 --sign anna.key --trust trust.txt"},
			{Line: "generator releases sign s3://bucket/live --against public --sign anna.key --trust trust.txt", Text: "only the release that was built here from the same commit"},
		},
	})
	g := a.Group(groupSignatures)
	g.Strings(&a.sign.keys, "sign", "FILE", "sign with the private key in a file, or in a variable that is named as '$NAME'")
	addTrust(g, &a.sign.trust, "trust file of the nodes: whose signatures count, and how many are needed; required")
	against := ""
	g.String(&against, "against", "DIR", "sign only the release in a directory: the manifests must be equal").CommandLineOnly()
	a.Check = func() error {
		if a.sign.trust == "" {
			return wrongUsage("no trust file given", "--trust names the nodes' trust file: it says whose signatures count, and how many are needed")
		}
		return a.sign.check()
	}
	return moves(a, func(ctx context.Context, args []string) (*ship.Moved, error) {
		meant, err := meantRelease(optional(args), against)
		if err != nil {
			return nil, err
		}
		return ship.SignProposal(ctx, a.PublishConfig, meant)
	})
}

const digestPrefix = "sha256:"

// digestText is a digest as people give it to other commands; "" stays "".
func digestText(digest string) string {
	if digest == "" {
		return ""
	}
	return digestPrefix + digest
}

// meantRelease returns the release that a signer names, by the digest of its manifest or by a directory that holds it.
func meantRelease(name, against string) (m ship.Meant, err error) {
	digest, isDigest := strings.CutPrefix(name, digestPrefix)
	switch {
	case isDigest && release.IsSHA256(digest):
		m.ManifestSHA256 = digest
	case release.IsBuild(name) && against != "":
		m.Build = name
	case release.IsBuild(name):
		return m, wrongUsage("a build id is not enough to sign ("+name+"): it is 64 bits of a digest, and an attacker who prepares content can find two releases with one id",
			"give the digest of the manifest, "+digestPrefix+"…, as build and releases show print it, or the release that you built with --against DIR")
	case name != "":
		return m, wrongUsage(fmt.Sprintf("%.80q does not name a release to sign", name), "give the digest of its manifest, "+digestPrefix+" and 64 digits, as build and releases show print it")
	}
	if against == "" {
		return m, nil
	}
	l, err := checksums.OpenRows(against)
	if err != nil {
		return m, wrongUsage("--against: "+err.Error(), "")
	}
	defer l.Close()
	built := ship.Meant{Build: l.Manifest.Build, ManifestSHA256: release.HexSHA256(l.Raw)}
	if m.Build != "" && m.Build != built.Build || m.ManifestSHA256 != "" && m.ManifestSHA256 != built.ManifestSHA256 {
		return m, wrongUsage(fmt.Sprintf("%s holds another release than %s: %s, %s", against, name, built.Build, digestText(built.ManifestSHA256)), "build the commit that is meant")
	}
	return built, nil
}

// optional returns the build that may follow the store.
func optional(args []string) string {
	if len(args) > 1 {
		return args[1]
	}
	return ""
}

func showCommand(c console) *cli.Command {
	a := newAction(c, cli.Command{
		Name: "show", Args: "STORE [BUILD]", Summary: "show who signed and who built a release",
		Long: "Shows the current and the proposed release, or a release: who signed it, until when, and who built it from which commit. With --trust it says whether nodes accept it, and exits 1 if they refuse the release. A proposal that lacks signatures is not a failure.",
		Examples: []cli.Example{
			{Line: "generator releases show s3://bucket/live"},
			{Line: "generator releases show s3://bucket/live --trust trust.txt"},
		},
	})
	addTrust(a.Group(groupSignatures), &a.sign.trust, "trust file of the nodes: say whether they accept it")
	cmd := runs(a, func(ctx context.Context, args []string) ([]ship.Shown, error) {
		shown, err := ship.Show(ctx, a.Store, optional(args), a.Sign.Trust)
		a.shown = shown
		return shown, err
	}, showTable)
	run := cmd.Run
	cmd.Run = func(ctx context.Context, args []string) error {
		if err := run(ctx, args); err != nil {
			return err
		}
		return refusedByNodes(a.shown)
	}
	return cmd
}

// refusedByNodes reports the first release that nodes refuse. They do not read proposals.
func refusedByNodes(all []ship.Shown) error {
	for _, r := range all {
		if r.Refused != "" && (r.Current || !r.Proposed) {
			return fmt.Errorf("nodes refuse release %s: %s", r.Build, r.Refused)
		}
	}
	return nil
}

func gcCommand(c console) *cli.Command {
	a := newAction(c, cli.Command{
		Name: "gc", Args: "STORE", Summary: "remove old releases",
		Long:     "Removes old releases, but not the current one, the previous one and the newest.",
		Examples: []cli.Example{{Line: "generator releases gc s3://bucket/live --keep 3 --dry-run"}},
	})
	keep, g := defaultKeep, a.Group(groupRelease)
	addCount(g, &keep, "keep", "how many of the newest releases stay")
	addJobs(g, &a.Jobs)
	addDryRun(a.Command, &a.DryRun)
	return runs(a, func(ctx context.Context, _ []string) (*ship.GCReport, error) {
		return ship.GC(ctx, a.PublishConfig, keep)
	}, a.collected)
}

func repairCommand(c console) *cli.Command {
	a := newAction(c, cli.Command{
		Name: "repair", Args: "STORE", Summary: "restore missing and changed files of the current release",
		Long:     "Restores missing and changed files of the current release from --public, or from other releases of the store.",
		Examples: []cli.Example{{Line: "generator releases repair s3://bucket/live --public public"}},
	})
	g := a.Group(groupRelease)
	addPublic(g, &a.Public).CommandLineOnly() // a setting of publish
	addJobs(g, &a.Jobs)
	addDryRun(a.Command, &a.DryRun)
	return runs(a, func(ctx context.Context, _ []string) (*ship.Repaired, error) {
		return ship.Repair(ctx, a.PublishConfig)
	}, a.repaired)
}

func listTable(releases []ship.Release) string {
	t := newTable("release", "sent", "format", "items", "files uncompressed", "bytes", "", "commit", "by", "manifest")
	for _, r := range releases {
		sent := "(not whole)"
		if !r.Sent.IsZero() {
			sent = r.Sent.UTC().Format(time.RFC3339)
		}
		commit, by := builtFrom(r)
		t.row(r.Build, sent, r.Format, r.Items, r.Files, bytesize.Format(r.Bytes), describeState(r), commit, by, digestText(r.Manifest))
	}
	return t.String()
}

// describeState says which pointer names a release, and whether a rollback has withdrawn it.
func describeState(r ship.Release) string {
	var words []string
	switch {
	case r.Current:
		words = append(words, "current, as of "+r.Published)
		if r.Kind != release.KindComplete {
			words = append(words, r.Kind.String())
		}
	case r.Proposed:
		words = append(words, "proposed")
	case r.Previous:
		words = append(words, "previous")
	}
	if r.Withdrawn != nil {
		words = append(words, "withdrawn on "+shortTime(r.Withdrawn))
	}
	state := strings.Join(words, ", ")
	if r.Signed != nil && (r.Current || r.Proposed) {
		state += describeEnd(r.Signed.Expires)
	}
	return state
}

// shortTime is the time of a withdrawal. Whoever writes to the store can write another text there.
func shortTime(w *ship.Withdrawal) string { return fmt.Sprintf("%.20s", w.At) }

// shortCommit is how many digits of a commit a table has, as git prints them.
const shortCommit = 12

// builtFrom returns the commit of a release and who published it: its signers, or else the job that claims to have built
// it.
func builtFrom(r ship.Release) (commit, by string) {
	commit, by = "-", "-"
	if s := r.Source; s != nil {
		commit = cmp.Or(s.Commit[:min(len(s.Commit), shortCommit)], commit)
		if s.Dirty {
			commit += "+"
		}
		by = cmp.Or(s.Invocation, s.Builder, by)
	}
	if r.Signed != nil && len(r.Signed.SignedBy) > 0 {
		by = strings.Join(r.Signed.SignedBy, ", ")
	}
	return commit, fmt.Sprintf("%.120s", by)
}

// showTable has a line for each thing that is known of a release.
func showTable(releases []ship.Shown) string {
	t := &table{}
	for i, r := range releases {
		if i > 0 {
			t.row()
		}
		state := "in the store"
		switch {
		case r.Proposed && !r.Current:
			state = "proposed"
		case r.Current:
			state = "current"
		case r.Previous:
			state = "previous"
		}
		t.row("release", r.Build+", "+state)
		if r.Withdrawn != nil {
			t.row("withdrawn", fmt.Sprintf("%s, replaced by %s", shortTime(r.Withdrawn), r.Withdrawn.For))
		}
		t.row("sent", r.Sent.UTC().Format(time.RFC3339))
		t.row("manifest", digestText(r.Manifest))
		if r.Current {
			t.row("store", r.Kind)
		}
		showSigned(t, r)
		switch {
		case r.Source != nil:
			t.row("built", r.Source)
		case r.NoSource != "":
			t.row("built", "unknown: "+r.NoSource)
		}
	}
	return t.String()
}

func showSigned(t *table, r ship.Shown) {
	if r.Signed == nil || r.Signed.Origin == "" {
		t.row("signed", "no")
	} else {
		t.row("sequence", r.Sequence)
		t.row("origin", r.Signed.Origin)
		t.row("signed", "by "+strings.Join(r.Signed.SignedBy, ", ")+describeEnd(r.Signed.Expires))
	}
	switch {
	case r.Refused != "":
		t.row("nodes", "refuse it: "+r.Refused)
	case len(r.Trusted) > 0:
		t.row("nodes", "accept it, by "+strings.Join(r.Trusted, ", "))
	}
}

func (a *action) moved(m *ship.Moved) string {
	verb := "is"
	switch {
	case a.DryRun && m.Changed:
		verb = "would be"
	case a.DryRun:
		verb = "would stay"
	}
	word := "current"
	if m.Proposed {
		word = "proposed"
	}
	withdrawn := ""
	switch {
	case m.Withdrawn != "" && (a.DryRun || m.Proposed):
		withdrawn = "; " + m.Withdrawn + " would be withdrawn then"
	case m.Withdrawn != "":
		withdrawn = "; " + m.Withdrawn + " is withdrawn"
	}
	return fmt.Sprintf("%s %s %s (sequence %d)%s%s\n", m.Build, verb, word, m.Sequence, describeSigned(m.SignedBy, m.Wanted, m.Expires), withdrawn)
}

func (a *action) repaired(r *ship.Repaired) string {
	if a.DryRun {
		return fmt.Sprintf("would repair %d of the %d files of %s\n", r.Sent, r.Files, r.Build)
	}
	return fmt.Sprintf("%s is complete: %d files, %d repaired\n", r.Build, r.Files, r.Sent)
}

func (a *action) collected(c *ship.GCReport) string {
	verb := "removed"
	if a.DryRun {
		verb = "would remove"
	}
	shared := ""
	if c.Objects > 0 {
		shared = fmt.Sprintf(", and %d objects that releases shared", c.Objects)
	}
	if c.Forms > 0 {
		shared += fmt.Sprintf(", and %d patches and compressed snapshots", c.Forms)
	}
	return fmt.Sprintf("%s %d releases%s, %d stay\n%s", verb, len(c.Removed), shared, len(c.Kept), lines(c.Removed))
}

func lines(words []string) string {
	var b strings.Builder
	for _, w := range words {
		fmt.Fprintln(&b, w)
	}
	return b.String()
}
