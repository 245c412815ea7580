// This file keeps secrets and addresses of people out of items, whatever a source calls its fields.

package imports

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"contentedge/generator/jsontree"
	"contentedge/generator/plaintext"
)

var (
	// emailAddress is a text that is nothing but an e-mail address.
	emailAddress = regexp.MustCompile(`^(mailto:)?[^\s@<>"(),:;]+@[^\s@<>"(),:;]+\.[A-Za-z]{2,}$`)
	// passwordHash is how bcrypt, argon2, scrypt, PBKDF2 and crypt write the hash of a password.
	passwordHash = regexp.MustCompile(`^(\$(wp\$)?2[abxy]?\$\d\d\$|\$argon2|\$scrypt\$|\$pbkdf2|pbkdf2[_:]sha|\$[156]\$|\$P\$|\$H\$)`)
)

// secretNames end the names of members whose text is a secret, in lower case without - and _.
var secretNames = []string{"password", "passwordhash", "passwd", "secret", "secretkey", "clientsecret", "apikey", "accesstoken", "refreshtoken", "resettoken", "resetpasswordtoken", "confirmationtoken", "sessiontoken", "authtoken", "privatekey"}

// joined takes - and _ out of names.
var joined = strings.NewReplacer("-", "", "_", "")

// SecretMember reports whether a member holds a secret: a password or its hash, or a key.
func SecretMember(name string, v *jsontree.Value) bool {
	text := v.Str()
	if text == "" {
		return false
	}
	name = joined.Replace(strings.ToLower(name))
	return slices.ContainsFunc(secretNames, func(end string) bool { return strings.HasSuffix(name, end) }) || passwordHash.MatchString(text)
}

// IsAddress reports whether a text is nothing but an e-mail address.
func IsAddress(text string) bool {
	const longest = 320 // bytes of an address
	return len(text) <= longest && strings.Contains(text, "@") && emailAddress.MatchString(text)
}

// hostName is the name of a member with the address of a computer, as ip, remoteIp, author_IP, ip-address.
var hostName = regexp.MustCompile(`(?:^|[_\-. ])(?i:ip)(?:[_\-. ]?(?i:address|addr))?$|[a-z](?:Ip|IP)(?:Address|Addr)?$`)

// isHost reports whether a member holds the address of a computer: that of a commenter, for example.
func isHost(name, text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil && hostName.MatchString(name)
}

// private takes secrets and e-mail addresses out of an item, unless the mapping file keeps their paths.
// Rich text stays whole: an address in it is text that somebody wrote for readers.
func (j *Job) private(i *Item, keep map[string]bool) {
	for _, name := range []*string{&i.Name, &i.CreatedBy, &i.UpdatedBy, &i.PublishedBy} {
		if IsAddress(strings.TrimSpace(*name)) {
			*name = ""
		}
	}
	j.privateIn(i.Data, "", i, keep)
}

func (j *Job) privateIn(v *jsontree.Value, path string, i *Item, keep map[string]bool) {
	out := func(name string, v *jsontree.Value, path string) bool {
		what := ""
		switch {
		case !v.IsString():
			if plaintext.FormatOf(v) == plaintext.None {
				j.privateIn(v, path, i, keep)
			}
			return false
		case keep[path]:
			return false
		case SecretMember(name, v):
			what = "secrets"
		case IsAddress(strings.TrimSpace(v.Str())):
			what = "e-mail addresses"
		case isHost(name, strings.TrimSpace(v.Str())):
			what = "addresses of computers"
		default:
			return false
		}
		j.Warn(fmt.Sprintf("%s are left out, until a mapping file keeps them: %s of %s", what, path, i.Type), i.describe())
		return true
	}
	if v.IsObject() {
		v.Members = slices.DeleteFunc(v.Members, func(m jsontree.Member) bool { return out(m.Name, m.Value, strings.TrimPrefix(path+"."+m.Name, ".")) })
	}
	if v.IsArray() {
		v.Items = slices.DeleteFunc(v.Items, func(item *jsontree.Value) bool { return out("", item, path) })
	}
}
