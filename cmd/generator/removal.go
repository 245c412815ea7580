// This file has the flags that limit what a new release may remove.

package main

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"contentedge/generator"
)

// percent is a flag from 0 to 100, with or without a percent sign.
type percent int

func (p *percent) String() string { return strconv.Itoa(int(*p)) }

func (p *percent) Set(s string) error {
	n, err := strconv.Atoi(strings.TrimSuffix(s, "%"))
	if err != nil || n < 0 || n > 100 {
		return errors.New("must be a whole number from 0 to 100")
	}
	*p = percent(n)
	return nil
}

// addRemoval adds the flags that limit what a release may remove.
func addRemoval(set *flag.FlagSet, limit *generator.Removal) {
	most := generator.DefaultMaxRemoved
	limit.Max = &most
	set.BoolVar(&limit.Allow, "allow-removal", false, "")
	set.Var((*percent)(&most), "max-removed", "")
}

// removalUsage documents the flags of addRemoval.
var removalUsage = fmt.Sprintf(`  --max-removed PERCENT  refuse a release that removes more of an environment's items than this
                         (default %d), or all of them
  --allow-removal        permit any removal
`, generator.DefaultMaxRemoved)
