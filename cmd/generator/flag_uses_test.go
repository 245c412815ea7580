// These tests give every flag of any command to every command: one that it does not use is refused.

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"contentedge/cmd/cli"
	"contentedge/edgeserve/exitcode"
)

// flagValues is a value that each flag accepts; "" is for flags without a value.
var flagValues = map[string]string{
	"content": "content", "out": "out", "env": "site", "part": "", "status": "Published", "scheduled": "", "expired": "", "at": "2026-12-01T09:00:00Z", "strict": "", "broken-refs": "warn",
	"lists": "-", "default-order": "Name", "page-size": "5", "orders": "Name", "page-sizes": "5", "max-pages": "5", "max-values": "5",
	"compress": "gzip", "compress-best": "", "target": "nginx", "budget-files": "5", "budget-bytes": "5MiB",
	"against": "public", "sample": "5", "jobs": "5", "q": "x", "elastic": "", "differs": "log", "junit": "junit.xml", "files": "", "format": "text", "public": "public",
	"memory": "64MiB", "max-removed": "5", "allow-removal": "", "again": "", "dry-run": "", "check": "", "file-mode": "0640", "dir-mode": "0750", "full": "", "no-sync": "", "json": "", "quiet": "",
	"watch": "30s", "publish": "s3://bucket/live", "admin": "127.0.0.1:0", "webhook-secret-file": "secret", "pull-key-file": "secret",
	"sequence": "5", "keep": "5", "all": "", "each": "pr-", "older-than": "14d", "edge": "http://127.0.0.1:1", "root": "/srv", "listen": ":8081",
	"file": "a.ndjson", "locales": "de", "assets": "items", "media-base": "https://x", "template-names": "", "date": "2024-01-31", "mapping": "mapping.json", "type": "page",
	"as": "site", "media": "", "key-header": "X-Api-Key", "rate": "5", "max-wait": "5m", "full-every": "5m",
	"timezone": "Europe/Berlin", "terms": "items", "menus": "", "paragraphs": "", "repair": "", "site-url": "https://example.org",
	"changes": "5", "patches": "2", "notify": "https://search.example/hook", "notify-secret-file": "secret", "changes-into": "changes", "for": "nodes", "in-place": "",
	"sign": "none.key", "origin": "news.example/production", "expires": "7d", "trust": "none.txt", "propose": "", "proposed": "", "unsigned": "", "provenance": "none",
	"store": "s3://bucket/live", "node": "http://127.0.0.1:3", "to": "http://127.0.0.1:2", "from": "public", "shards": "2", "replicas": "0", "replace": "", "no-alias": "", "verify": "", "gc": "",
	"cluster-user": "ci", "cluster-password-file": "secret", "cluster-api-key-file": "secret", "cluster-aws": "eu-central-1/es", "cluster-ca": "ca.pem", "cluster-insecure": "",
	"items": ".data", "group": "sku", "search": "", "id": ".id", "name": ".title", "template": "Page", "created": ".date", "updated": ".date", "published": ".date",
}

var buildFlags = []string{"content", "out", "env", "part", "status", "scheduled", "expired", "at", "strict", "broken-refs", "lists", "default-order", "page-size", "orders",
	"page-sizes", "max-pages", "max-values", "compress", "compress-best", "target", "budget-files", "budget-bytes", "memory",
	"max-removed", "allow-removal", "dry-run", "check", "file-mode", "dir-mode", "full", "no-sync", "json", "quiet"}

var signingFlags = []string{"sign", "origin", "expires", "trust", "propose", "unsigned"}

var clusterFlags = []string{"to", "cluster-user", "cluster-password-file", "cluster-api-key-file", "cluster-aws", "cluster-ca", "cluster-insecure"}

var followerFlags = []string{"changes", "notify", "notify-secret-file"}

var importFlags = []string{"content", "env", "file", "date", "type", "mapping", "dry-run", "json", "quiet"}

// usesOfFlags says which flags a command with its arguments uses.
var usesOfFlags = []struct {
	command string
	flags   []string
}{
	{"build", buildFlags},
	{"plan", buildFlags},
	{"verify public", []string{"trust"}},
	{"verify http://127.0.0.1:1", []string{"against", "sample", "jobs", "trust"}},
	{"inspect public", []string{"env"}},
	{"inspect public/manifest.json", nil},
	{"why site a", []string{"content", "status", "scheduled", "expired", "at", "lists", "default-order", "page-size", "orders", "page-sizes", "max-pages", "max-values", "store", "node", "json"}},
	{"openapi", []string{"public", "env", "out"}},
	{"diff public", []string{"public", "files", "format", "trust", "changes-into"}},
	{"diff 0123456789abcdef fedcba9876543210", []string{"public", "files", "format", "trust", "changes-into"}},
	{"diff http://127.0.0.1:1/live", []string{"public", "files", "format", "trust", "proposed", "changes-into"}},
	{"diff public public", []string{"files", "format", "trust", "changes-into"}},
	{"diff public --format json", []string{"public", "files", "format", "trust", "changes-into"}},
	{"diff public --format purge", []string{"public", "format", "trust", "changes-into"}},
	{"types ts", []string{"public", "env", "out"}},
	{"types go", []string{"public", "env", "out"}},
	{"query public site", []string{"q", "json", "elastic", "differs"}},
	{"query public site --differs log", []string{"json", "differs"}},
	{"test public searches.json", []string{"against", "junit", "json"}},
	{"pull http://127.0.0.1:1 --env site", []string{"env", "as", "content", "status", "media", "pull-key-file", "key-header", "page-size", "rate", "max-wait", "full-every", "full", "max-removed", "allow-removal", "dry-run", "json", "quiet", "watch"}},
	{"pull http://127.0.0.1:1 --env site --watch 30s", []string{"env", "as", "content", "status", "media", "pull-key-file", "key-header", "page-size", "rate", "max-wait", "full-every", "full", "max-removed", "allow-removal", "json", "quiet",
		"watch", "publish", "admin", "webhook-secret-file", "sign", "origin", "expires", "trust", "provenance", "changes", "notify", "notify-secret-file"}},
	{"publish s3://bucket/live", slices.Concat([]string{"public", "for", "in-place", "patches", "max-removed", "allow-removal", "again", "jobs", "dry-run", "json", "quiet", "provenance"}, signingFlags, followerFlags)},
	{"load --to http://127.0.0.1:1", slices.Concat([]string{"from", "env", "max-wait", "jobs", "shards", "replicas", "replace", "no-alias", "verify", "dry-run", "json", "quiet", "check", "gc"}, clusterFlags)},
	{"load --to http://127.0.0.1:1 --check", slices.Concat([]string{"from", "env", "max-wait", "jobs", "shards", "verify", "json", "gc", "check"}, clusterFlags)},
	{"load --to http://127.0.0.1:1 --gc", slices.Concat([]string{"from", "env", "max-wait", "keep", "dry-run", "json", "gc", "check"}, clusterFlags)},
	{"keys new news.example/ci", []string{"out"}},
	{"keys show none.key", nil},
	{"wasm", []string{"out"}},
	{"releases list s3://bucket/live", []string{"json"}},
	{"releases show s3://bucket/live", []string{"json", "trust"}},
	{"releases promote s3://bucket/live 0123456789abcdef", slices.Concat([]string{"json", "dry-run", "max-removed", "allow-removal"}, signingFlags, followerFlags)},
	{"releases rollback s3://bucket/live", slices.Concat([]string{"json", "dry-run"}, signingFlags, followerFlags)},
	{"releases renew s3://bucket/live", append([]string{"json", "dry-run", "sequence"}, signingFlags...)},
	{"releases sign s3://bucket/live", append([]string{"json", "dry-run", "sign", "trust", "against"}, followerFlags...)},
	{"releases notify s3://bucket/live", []string{"json", "notify", "notify-secret-file"}},
	{"releases gc s3://bucket/live", []string{"json", "dry-run", "keep", "jobs"}},
	{"releases remove s3://bucket/live --all", []string{"json", "dry-run", "all", "each", "older-than", "jobs"}},
	{"releases repair s3://bucket/live", []string{"json", "dry-run", "public", "jobs"}},
	{"releases join public", []string{"json", "dry-run", "out", "against", "max-removed", "allow-removal"}},
	{"import contentful export.json", append([]string{"locales", "assets", "template-names"}, importFlags...)},
	{"import sanity export.ndjson", append([]string{"locales", "assets", "media-base"}, importFlags...)},
	{"import wordpress export.xml", append([]string{"timezone", "terms", "menus", "paragraphs", "repair", "assets"}, importFlags...)},
	{"import json export.json", append([]string{"items", "id", "name", "template", "created", "updated", "published", "status", "timezone", "media-base"}, importFlags...)},
	{"import csv export.csv", append([]string{"id", "name", "template", "created", "updated", "published", "status", "timezone", "media-base", "group"}, importFlags...)},
	{"import ghost export.json", append([]string{"site-url"}, importFlags...)},
	{"import strapi export.tar.gz", append([]string{"locales", "assets", "media-base", "template-names"}, importFlags...)},
	{"import markdown tree export.json", []string{"locales", "content", "env", "file", "date", "mapping", "watch", "dry-run", "json", "quiet"}},
	{"hosts nginx", []string{"public", "edge", "out", "root", "listen"}},
	{"hosts caddy", []string{"public", "edge", "out", "root", "listen"}},
	{"hosts netlify", []string{"public", "edge", "out"}},
	{"hosts cloudflare-pages", []string{"public", "edge", "out"}},
	{"hosts cloudflare-worker", []string{"public", "edge", "out", "search"}},
	{"hosts cloudflare-worker --search", []string{"public", "out", "search", "env"}},
	{"hosts static", []string{"public", "out", "search"}},
	{"hosts static --search", []string{"public", "out", "search", "env"}},
	{"hosts cloudfront", []string{"public", "edge", "out"}},
}

// TestUnusedFlagsAreRefused runs each command with each flag in a directory with nothing in it but
// a release. The context has ended, so that no command does anything.
func TestUnusedFlagsAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	buildRelease(t)
	if err := os.WriteFile("secret", []byte("0123456789abcdef"), 0o600); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	seen := map[string]bool{}
	for _, of := range usesOfFlags {
		for _, name := range commandNames() {
			seen[name] = seen[name] || strings.HasPrefix(of.command+" ", name+" ")
		}
		for flag, value := range flagValues {
			args := append(strings.Fields(of.command), "--"+flag)
			if value != "" {
				args = append(args, value)
			}
			err := dispatch(ended, args, console{io.Discard, io.Discard})
			refused := err != nil && exitcode.Of(err) == exitcode.Usage && strings.Contains(err.Error(), "-"+flag) &&
				(strings.Contains(err.Error(), "unknown flag") || strings.Contains(err.Error(), "does not use"))
			if used := slices.Contains(of.flags, flag); used == refused {
				t.Errorf("%v: used %t, but the command ends with %v", args, used, err)
			}
		}
	}
	for _, name := range commandNames() {
		if !seen[name] {
			t.Errorf("the table has no row of %s", name)
		}
	}
}

func buildRelease(t *testing.T) {
	t.Helper()
	if err := errors.Join(os.MkdirAll("content/site", 0o755), os.WriteFile("content/site/a.json", []byte(`{"ContentID":"a","Name":"A","TemplateName":"T","CreatedAt":"2024-01-01T00:00:00Z"}`), 0o644)); err != nil {
		t.Fatal(err)
	}
	if err := dispatch(t.Context(), []string{"build", "--quiet"}, console{io.Discard, io.Discard}); err != nil {
		t.Fatal(err)
	}
}

// ofAll are the flags that every command has.
var ofAll = map[string]bool{"help": true, "config": true, "print-config": true}

// commandNames returns the commands that run, but for those that every program has.
func commandNames() (names []string) {
	var add func(path string, c *cli.Command)
	add = func(path string, c *cli.Command) {
		if c.Run != nil {
			names = append(names, strings.TrimSpace(path+c.Name))
		}
		for _, s := range c.Commands {
			add(path+c.Name+" ", s)
		}
	}
	for _, c := range newProgram(console{}).Root.Commands {
		add("", c)
	}
	return names
}

// TestTableHasEveryFlag compares the table with what the commands' helps name.
func TestTableHasEveryFlag(t *testing.T) {
	for _, name := range commandNames() {
		var out strings.Builder
		_ = dispatch(t.Context(), append(strings.Fields(name), "--help"), console{&out, io.Discard})
		for line := range strings.Lines(out.String()) {
			flag, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "--"), " ")
			if _, ok := flagValues[strings.TrimSpace(flag)]; strings.HasPrefix(line, "  --") && !ok && !ofAll[strings.TrimSpace(flag)] {
				t.Errorf("the table has no value for %s --%s", name, flag)
			}
		}
	}
}
