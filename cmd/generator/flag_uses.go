// This file says which flags a command uses with which arguments. A flag that would do nothing
// is refused: its user expects an effect.

package main

import (
	"fmt"
	"slices"
	"strings"

	"contentedge/cmd/cli"
)

// The variants of commands whose arguments decide which flags are used.
const (
	ofDirectory = "DIR"
	ofFile      = "FILE"
	ofSite      = "URL"

	ofDirectories = "DIR DIR"   // two directories
	ofPublic      = "BUILD|OLD" // a build below --public, or a release to compare it with
	ofFormat      = "--format "
	ofStore       = "STORE" // without a second argument

	ofWatch = "--watch"
	ofOnce  = "once" // without --watch

	ofGC    = "--gc"
	ofCheck = "--check"
	ofLoad  = "--to" // without these two

	ofBody    = "BODY"
	ofDiffers = "--differs"

	ofSearch = "--search"
	ofFiles  = "for only files" // without --search
)

// uses are the flags that only some variants of a command use, with those variants. All variants use the
// other flags.
var uses = map[string]map[string][]string{
	"cloudflare-worker": {
		"env":  {ofSearch},
		"edge": {ofFiles},
	},
	"static": {
		"env": {ofSearch},
	},
	"diff": {
		"public":   {ofPublic},
		"proposed": {ofStore},
		"files":    {ofFormat + "text", ofFormat + "json"},
	},
	"inspect": {
		"env": {ofDirectory},
	},
	"load": {
		"shards": {ofLoad, ofCheck}, "replicas": {ofLoad}, "replace": {ofLoad}, "no-alias": {ofLoad}, "quiet": {ofLoad},
		"verify":  {ofLoad, ofCheck},
		"jobs":    {ofLoad, ofCheck},
		"keep":    {ofGC},
		"dry-run": {ofLoad, ofGC},
	},
	"pull": {
		"sign": {ofWatch}, "origin": {ofWatch}, "expires": {ofWatch}, "trust": {ofWatch}, "provenance": {ofWatch},
		"publish":               {ofWatch},
		"admin":                 {ofWatch},
		webhookSecret + "-file": {ofWatch},
		"changes":               {ofWatch},
		notifyName:              {ofWatch},
		notifySecret + "-file":  {ofWatch},
		"dry-run":               {ofOnce},
	},
	"query": {
		"q": {ofBody}, "elastic": {ofBody},
	},
	"verify": {
		"against": {ofSite},
		"sample":  {ofSite},
		"jobs":    {ofSite},
	},
}

// refuseUnused returns an error if the command line has a flag that none of the given variants uses. Variables
// and files set flags for other calls too.
func refuseUnused(cmd *cli.Command, variants ...string) error {
	for _, name := range cmd.Given() {
		by, some := uses[cmd.Name][name]
		used := slices.ContainsFunc(variants, func(v string) bool { return slices.Contains(by, v) })
		if some && !used {
			return wrongUsage(fmt.Sprintf("%s %s does not use --%s", cmd.Name, strings.Join(variants, " "), name), fmt.Sprintf("omit it; it is for %s %s", cmd.Name, strings.Join(by, ", ")))
		}
	}
	return nil
}
