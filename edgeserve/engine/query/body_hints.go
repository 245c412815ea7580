// This file parses members of a body that do not change its matches: hints, and the form of totals.

package query

import "math"

// AllHits is a limit of totals that is not reached.
const AllHits = math.MaxInt32
