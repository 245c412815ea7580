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

// eMailAddress is an e-mail address, perhaps as the address of a link.
const eMailAddress = `(?i:mailto:)?[^\s@<>"(),:;]+@[^\s@<>"(),:;?]+\.(?:\pL{2,}|(?i:xn--[a-z0-9-]+))(?:\?\S*)?`

var (
	// addresses is a text of nothing but e-mail addresses, some with a name: Jane <jane@example.org>.
	addresses = regexp.MustCompile(`^(?:[\s,;]*(?:[^@<>\n]{0,80}<\s*` + eMailAddress + `\s*>|[^@()\n]{0,80}\(\s*` + eMailAddress + `\s*\)|` + eMailAddress + `(?:\s*\([^@()\n]{0,80}\))?))+[\s,;.]*$`)
	// hasAddress finds an address in the name of a person.
	hasAddress = regexp.MustCompile(eMailAddress)
	// secretText is how passwords are hashed, how keys begin that name their system, and a URL with a password.
	secretText = regexp.MustCompile(`^(?:\$(?:wp\$)?2[abxy]?\$\d\d\$|\$argon2|\$scrypt\$|scrypt:\d|\$pbkdf2|pbkdf2[_:]sha|\$(?:[1567yPHS]|apr1)\$|bcrypt(?:_sha256)?\$` +
		`|-----BEGIN [A-Z ]*PRIVATE KEY|AKIA[0-9A-Z]{16}$|gh[oprsu]_\w{36}|github_pat_|glpat-|xox[abeoprs]-|[rs]k_(?:live|test)_|CFPAT-|Bearer [\w+/.~-]{20,}=*$|eyJ[\w-]+\.eyJ[\w-]+\.` +
		`|[a-z][a-z0-9+.-]*://[^/\s:@]*:[^/\s@]+@)`)
	// serialised begins an array or an object that PHP wrote, and quoted is a text in one.
	serialised = regexp.MustCompile(`^[aO]:\d+:`)
	quoted     = regexp.MustCompile(`"([^"]*)"`)
)

// secretNames end the names of members that hold a secret, in lower case without - and _. Plurals count too.
var secretNames = []string{
	"password", "passwordhash", "passwordsalt", "passworddigest", "passwd", "pwd", "userpass", "passphrase", "secret", "secretkey", "secretkeybase",
	"apikey", "accesskey", "accesskeyid", "privatekey", "signingkey", "encryptionkey", "licensekey", "accesstoken", "refreshtoken", "resettoken",
	"resetpasswordtoken", "confirmationtoken", "verificationtoken", "sessiontoken", "authtoken", "apitoken", "bearertoken", "recoverycode", "connectionstring", "authorization",
}

// joined takes - and _ out of names.
var joined = strings.NewReplacer("-", "", "_", "")

func isSecretName(name string) bool {
	name = joined.Replace(strings.ToLower(name))
	single := strings.TrimSuffix(name, "s")
	return single == "token" || slices.ContainsFunc(secretNames, func(end string) bool { return strings.HasSuffix(name, end) || strings.HasSuffix(single, end) })
}

// IsAddress reports whether a text consists only of e-mail addresses.
func IsAddress(text string) bool { return strings.Contains(text, "@") && addresses.MatchString(text) }

// hostName is the name of a member with the address of a computer, as ip, remoteIp, author_IP, ip-address.
var hostName = regexp.MustCompile(`(?:^|[_\-. ])(?i:ips?)(?:[_\-. ]?(?i:address|addr))?$|[a-z](?:Ip|IP)s?(?:Address|Addr)?$|(?i:(?:remote|client)[_\-. ]?addr(?:ess)?)$`)

// isHost reports whether a member holds addresses of computers, for example of a commenter.
func isHost(name, text string) bool {
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	return len(parts) > 0 && hostName.MatchString(name) && !slices.ContainsFunc(parts, func(part string) bool {
		_, err := netip.ParseAddr(part)
		_, withPort := netip.ParseAddrPort(part)
		return err != nil && withPort != nil
	})
}

// What is left out, in the words of warnings.
const (
	secrets  = "secrets"
	eMail    = "e-mail addresses"
	hosts    = "addresses of computers"
	inOthers = "texts with secrets or addresses in them"
)

// HasSecret reports whether a value has a member with a password, the hash of one, or a key.
func HasSecret(v *jsontree.Value) bool {
	return has(v, "", func(what string) bool { return what == secrets })
}

// has reports whether something in a value is private. name is the name of the member with the value.
func has(v *jsontree.Value, name string, counts func(what string) bool) bool {
	return counts(privateText(name, v)) ||
		slices.ContainsFunc(v.List(), func(item *jsontree.Value) bool { return has(item, name, counts) }) ||
		v.IsObject() && slices.ContainsFunc(v.Members, func(m jsontree.Member) bool {
			return IsAddress(m.Name) && counts(eMail) || has(m.Value, secretName(name, m.Name), counts)
		})
}

// secretName returns the name that says what the value of a member is. A member of a secret is a secret, whatever its
// name: the values of a password by locale, for example.
func secretName(around, name string) string {
	if isSecretName(around) {
		return around
	}
	return name
}

// privateText says what the text or the number of a member is; "" if it is not private.
func privateText(name string, v *jsontree.Value) string {
	text := strings.TrimSpace(v.Str())
	switch {
	case v.IsNumber() && isSecretName(name):
		return secrets
	case text == "":
		return ""
	case isSecretName(name), secretText.MatchString(text):
		return secrets
	case IsAddress(text):
		return eMail
	case isHost(name, text):
		return hosts
	case text[0] == '{' || text[0] == '[':
		if inner, err := jsontree.Parse([]byte(text)); err == nil && plaintext.FormatOf(v) == plaintext.None && has(inner, "", isPrivate) {
			return inOthers
		}
	case serialised.MatchString(text):
		if slices.ContainsFunc(quoted.FindAllStringSubmatch(text, -1), func(q []string) bool { return isSecretName(q[1]) || secretText.MatchString(q[1]) || IsAddress(q[1]) }) {
			return inOthers
		}
	}
	return ""
}

func isPrivate(what string) bool { return what != "" }

// private takes secrets and addresses of people out of an item, unless the mapping file keeps their paths.
func (j *Job) private(i *Item, keep map[string]bool) {
	for _, name := range []*string{&i.CreatedBy, &i.UpdatedBy, &i.PublishedBy} {
		if hasAddress.MatchString(*name) {
			*name = ""
		}
	}
	if IsAddress(i.Name) {
		i.Name = ""
	}
	if IsAddress(i.ID) {
		i.ID = i.ContentID
		j.Warn("ids that are e-mail addresses are left out", i.describe())
	}
	c := cleaner{j, i, keep}
	c.clean(i.Data, "", "", false)
}

// cleaner takes what is private out of the data of an item.
type cleaner struct {
	j    *Job
	item *Item
	keep map[string]bool // paths, with everything below
}

// clean takes private values out of an object or an array. In rich text it finds secrets only by their names: an
// address there is text for readers.
func (c cleaner) clean(v *jsontree.Value, name, path string, rich bool) {
	rich = rich || plaintext.FormatOf(v) != plaintext.None
	if v.IsObject() {
		v.Members = slices.DeleteFunc(v.Members, func(m jsontree.Member) bool {
			below := strings.TrimPrefix(path+"."+m.Name, ".")
			if !rich && IsAddress(m.Name) && !c.keep[below] {
				c.warn(eMail, path)
				return true
			}
			return c.removes(m.Value, secretName(name, m.Name), below, rich)
		})
	}
	if v.IsArray() {
		v.Items = slices.DeleteFunc(v.Items, func(item *jsontree.Value) bool { return c.removes(item, name, path, rich) })
	}
}

// removes reports whether a text or a number is private. It cleans other values.
func (c cleaner) removes(v *jsontree.Value, name, path string, rich bool) bool {
	if c.keep[path] {
		return false
	}
	if !v.IsString() && !v.IsNumber() {
		c.clean(v, name, path, rich)
		return false
	}
	what := privateText(name, v)
	if what == "" || rich && !isSecretName(name) {
		return false
	}
	c.warn(what, path)
	return true
}

func (c cleaner) warn(what, path string) {
	c.j.Warn(fmt.Sprintf("%s are left out, until a mapping file keeps them: %s of %s", what, path, c.item.Type), c.item.describe())
}
