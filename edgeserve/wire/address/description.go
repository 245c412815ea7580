// This file parses the query of the document of OpenAPI.

package address

import (
	"strings"

	"contentedge/edgeserve/wire/problem"
)

// ParseDescription returns the environment that a raw query asks for; "" asks for all. It ignores unknown parameters.
// The environment need not exist, and its name need not be valid.
func ParseDescription(rawQuery string) (env string, err error) {
	seen := false
	for pair := range strings.SplitSeq(rawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if name, ok := unescape(name); !ok || name != ParamEnv {
			continue
		}
		if seen {
			return "", &Error{Code: problem.DuplicateParameter, Message: ParamEnv + " is given twice; give it once", Parameter: ParamEnv}
		}
		seen = true
		var ok bool
		if env, ok = unescape(value); !ok {
			return "", &Error{Code: problem.BadQuery, Message: "the value of " + ParamEnv + " must be UTF-8 text, with % only before two hexadecimal digits", Parameter: ParamEnv}
		}
	}
	return env, nil
}
