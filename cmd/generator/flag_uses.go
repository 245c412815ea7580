// This file says which flags a command uses with which arguments. A flag that would do nothing
// is refused: its user expects something of it.

package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"
)

// The variants of commands whose arguments decide which flags are used.
const (
	ofDirectory = "DIR"
	ofFile      = "FILE"
	ofSite      = "URL"

	ofDirectories = "DIR DIR"   // two directories
	ofPublic      = "BUILD|OLD" // a build below --public, or a release to compare it with
	ofFormat      = "--format "

	ofWatch = "--watch"
	ofOnce  = "once" // without --watch
)

// uses are the flags that only some variants of a command use, with those variants. A variant is an
// action of releases, the name of a host, or the kind of an argument. All variants use the other flags.
var uses = map[string]map[string][]string{
	"diff": {
		"public": {ofPublic},
		"files":  {ofFormat + "text", ofFormat + "json"},
	},
	"hosts": {
		"root":   {"nginx", "caddy"},
		"listen": {"nginx", "caddy"},
	},
	"import": {
		"locales":        {"contentful", "sanity", "strapi"},
		"assets":         {"contentful", "sanity", "strapi", "wordpress"},
		"media-base":     {"sanity", "strapi"},
		"template-names": {"contentful", "strapi"},
		"timezone":       {"wordpress", "json"},
		"terms":          {"wordpress"},
		"menus":          {"wordpress"},
		"paragraphs":     {"wordpress"},
		"repair":         {"wordpress"},
		"items":          {"json"}, "id": {"json"}, "name": {"json"}, "template": {"json"}, "created": {"json"}, "updated": {"json"}, "published": {"json"}, "status": {"json"},
		"site-url": {"ghost"},
	},
	"inspect": {
		"env": {ofDirectory},
	},
	"pull": {
		"publish":        {ofWatch},
		"admin":          {ofWatch},
		"webhook-secret": {ofWatch},
		"dry-run":        {ofOnce},
	},
	"verify": {
		"against": {ofSite},
		"sample":  {ofSite},
		"jobs":    {ofSite},
	},
}

// refuseUnused returns an error if a flag was given that none of the given variants uses.
func refuseUnused(set *flag.FlagSet, variants ...string) (err error) {
	set.Visit(func(f *flag.Flag) {
		by, some := uses[set.Name()][f.Name]
		used := slices.ContainsFunc(variants, func(v string) bool { return slices.Contains(by, v) })
		if some && !used && err == nil {
			err = wrongUsage(fmt.Sprintf("%s %s does not use --%s", set.Name(), strings.Join(variants, " "), f.Name), fmt.Sprintf("omit it; it is for %s %s", set.Name(), strings.Join(by, ", ")))
		}
	})
	return err
}
