package address

import (
	"errors"
	"strings"
	"testing"
)

func TestParseDescription(t *testing.T) {
	for _, c := range []struct{ query, env, code string }{
		{"", "", ""}, {"env=site", "site", ""}, {"a=1&env=site&b", "site", ""}, {"%65nv=si%74e", "site", ""}, {"env=", "", ""}, {"env", "", ""},
		{"ENV=site", "", ""}, {"Xenv=site", "", ""}, {"env=a+b%2F", "a b/", ""}, {"&&env=x&&", "x", ""}, {"e%nv=1&env=x", "x", ""},
		{"env=a&env=a", "", "duplicate_parameter"}, {"env&%65nv=b", "", "duplicate_parameter"},
		{"env=%", "", "bad_query"}, {"env=%ff", "", "bad_query"}, {"env=\xff", "", "bad_query"},
		{"env=" + strings.Repeat("é", 5000), strings.Repeat("é", 5000), ""},
	} {
		env, err := ParseDescription(c.query)
		var fault *Error
		if env != c.env || errors.As(err, &fault) != (c.code != "") || fault != nil && fault.Code != c.code {
			t.Errorf("%.40q: %.40q %v, want %.40q %s", c.query, env, err, c.env, c.code)
		}
	}
}
