// This file tells others that a release has become current, and writes what changed: the flags of commands that move
// the pointer of a store, and the command releases notify.

package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"contentedge/cmd/cli"
	"contentedge/edgeserve/wire/store"
	"contentedge/generator/ship"
	"contentedge/generator/webhook"
)

const (
	groupFollowers = "Followers"
	notifyName     = "notify"
	notifySecret   = "notify-secret"
)

// addChanges adds the flag of the files of changes.
func addChanges(g *cli.Group, to *int) {
	g.Func("changes", "N", "write which items change from each of the N newest releases, for programs that follow the store", upTo(ship.MaxChangesFrom, to)).Default("0")
}

// addPatches adds the flag of the forms of snapshots for nodes.
func addPatches(g *cli.Group, to *int) {
	*to = ship.DefaultPatches
	g.Func("patches", "N", "compress the snapshots that changed, and make patches from so many earlier ones of each environment, for edge servers that follow the store; 0: neither", upTo(ship.MaxPatches, to)).
		Default(strconv.Itoa(ship.DefaultPatches))
}

// upTo reads a whole number from 0 on.
func upTo(most int, to *int) func(string) error {
	return func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 || n > most {
			return fmt.Errorf("must be a whole number from 0 to %d", most)
		}
		*to = n
		return nil
	}
}

// notifier tells receivers which release is current.
type notifier struct {
	urls   []string
	secret string // or two, in a line each

	owed bool // a release became current, and not all receivers know
}

func (n *notifier) add(g *cli.Group) {
	g.Each(notifyName, "URL", "tell a receiver by a webhook which release is current, once it is", func(s string) error {
		if err := webhook.CheckURL(s); err != nil {
			return err
		}
		n.urls = append(n.urls, s)
		return nil
	})
	g.Secret(&n.secret, notifySecret, "the secret that signs these webhooks; two lines are two secrets, which both sign")
}

// addFollowers adds the flags of a command that makes another release current, after the flags of checks.
func addFollowers(cmd *cli.Command, changes *int, n *notifier) {
	g := cmd.Group(groupFollowers)
	addChanges(g, changes)
	n.add(g)
	others := cmd.Check
	cmd.Check = func() error {
		if err := others(); err != nil {
			return err
		}
		return n.check(cmd)
	}
}

func (n *notifier) check(cmd *cli.Command) error {
	if _, err := webhook.Secrets(n.secret); err != nil {
		return weakSecret(cmd, notifySecret, err)
	}
	return nil
}

// checkSecret refuses a secret of webhooks that can be guessed.
func checkSecret(cmd *cli.Command, name, secret string) error {
	if secret == "" || len(secret) >= webhook.MinSecret {
		return nil
	}
	return weakSecret(cmd, name, fmt.Errorf("has %d bytes, fewer than %d", len(secret), webhook.MinSecret))
}

// weakSecret says where a secret comes from, and what is wrong with it.
func weakSecret(cmd *cli.Command, name string, err error) error {
	from := cmd.Source(name)
	if file := name + "-file"; cmd.IsSet(file) {
		from = cmd.Source(file)
	}
	return wrongUsage(fmt.Sprintf("the secret in %s %s", from, err), "make one with openssl rand -hex 32")
}

// moved tells the receivers if the pointer was moved, now or by an earlier call that could not tell all.
func (n *notifier) moved(ctx context.Context, s *store.Store, moved bool) error {
	n.owed = len(n.urls) > 0 && (n.owed || moved)
	if !n.owed {
		return nil
	}
	notice, err := n.send(ctx, s)
	if err != nil {
		if notice != nil {
			err = fmt.Errorf("release %s is current (sequence %d), but not all receivers know: %w; generator releases notify tells them again", notice.Build, notice.Sequence, err)
		}
		return err
	}
	n.owed = false
	return nil
}

// send tells all receivers.
func (n *notifier) send(ctx context.Context, s *store.Store) (*ship.Notice, error) {
	notice, err := ship.CurrentNotice(ctx, s)
	if err != nil {
		return nil, err
	}
	secrets, err := webhook.Secrets(n.secret)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, url := range n.urls {
		errs = append(errs, webhook.Send(ctx, url, secrets, notice.Encode()))
	}
	return notice, errors.Join(errs...)
}

func notifyCommand(c console) *cli.Command {
	a := newAction(c, cli.Command{
		Name: "notify", Args: "STORE", Summary: "tell receivers by webhooks which release is current",
		Long: "Sends the webhooks of publish --notify for the current release, for example after one failed. The body is one JSON object, as --json prints it.",
		Examples: []cli.Example{
			{Line: "generator releases notify s3://bucket/live --notify https://search.example/hook --notify-secret-file secret"},
		},
	})
	n := &notifier{}
	n.add(a.Group(groupFollowers))
	a.Check = func() error {
		if len(n.urls) == 0 {
			return wrongUsage("no receiver given", "--"+notifyName+" names the address of one")
		}
		return n.check(a.Command)
	}
	return runs(a, func(ctx context.Context, _ []string) (*ship.Notice, error) { return n.send(ctx, a.Store) }, func(notice *ship.Notice) string {
		return fmt.Sprintf("webhooks sent: %d; %s is current (sequence %d)\n", len(n.urls), notice.Build, notice.Sequence)
	})
}
