// This file holds the flags of commands that replace a release: what they may remove.

package main

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"contentedge/generator"
)

// percent is a flag from 0 to 100, with or without its sign.
type percent int

func (p *percent) String() string { return strconv.Itoa(int(*p)) }

func (p *percent) Set(s string) error {
	n, err := strconv.Atoi(strings.TrimSuffix(s, "%"))
	if err != nil || n < 0 || n > 100 {
		return errors.New("want a whole number from 0 to 100")
	}
	*p = percent(n)
	return nil
}

// removalFlags say what a release may remove of the one it replaces.
type removalFlags struct {
	allow bool
	max   percent
}

// register adds the flags to a set.
func (f *removalFlags) register(set *flag.FlagSet) {
	f.max = generator.DefaultMaxRemoved
	set.BoolVar(&f.allow, "allow-removal", false, "")
	set.Var(&f.max, "max-removed", "")
}

// removalUsage describes removalFlags.
var removalUsage = fmt.Sprintf(`  --max-removed PERCENT  refuse to remove more of an environment's items than this
                         (default %d); one that is emptied or dropped is refused always
  --allow-removal        remove whatever the new release does not have
`, generator.DefaultMaxRemoved)

// limit is what the flags ask for.
func (f *removalFlags) limit() generator.Removal {
	most := int(f.max)
	return generator.Removal{Allow: f.allow, Max: &most}
}
