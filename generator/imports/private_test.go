package imports

import (
	"testing"

	"contentedge/generator/jsontree"
)

func TestPrivateMembers(t *testing.T) {
	for _, tt := range []struct {
		field, text string
		out         bool
	}{
		{"email", "jane@example.org", true},
		{"contact", " mailto:jane.doe+x@mail.example.org ", true},
		{"text", "write to jane@example.org", false},
		{"handle", "@jane", false},
		{"x", "$2a$10$abcdefghijklmnopqrstuv", true},
		{"x", "$wp$2y$10$abcdefghijklmnopqrstuv", true},
		{"x", "$P$BabcdefghijklmnopqrstuvwxyzABC", true},
		{"price", "$25", false},
		{"password", "hunter2", true},
		{"reset_password_token", "abc", true},
		{"apiKey", "abc", true},
		{"mailgun_api_key", "abc", true},
		{"client-secret", "abc", true},
		{"secretary", "Jane", false},
		{"author_IP", "192.0.2.7", true},
		{"remoteIp", "2001:db8::1", true},
		{"ip_address", "192.0.2.7", true},
		{"zip", "192.0.2.7", false},
		{"version", "1.2.3.4", false},
	} {
		j := &Job{}
		i := &Item{Data: jsontree.Object(jsontree.Member{Name: tt.field, Value: jsontree.String(tt.text)})}
		j.private(i, nil)
		if out := !i.Data.Has(tt.field); out != tt.out || out != (len(j.warnings) == 1) {
			t.Errorf("%s: %q: left out %t, want %t; %v", tt.field, tt.text, out, tt.out, j.warnings)
		}
	}
}

// TestPrivateValues has what hides in other shapes, and what looks alike.
func TestPrivateValues(t *testing.T) {
	for _, tt := range []struct{ data, want string }{
		{`{"password":{"en-US":"hunter2","de-DE":"geheim"}}`, `{"password":{}}`},
		{`{"apiKeys":["a",{"value":"b"}],"token":"c"}`, `{"apiKeys":[{}]}`},
		{`{"password":123456,"passwords":true,"secret":null}`, `{"passwords":true,"secret":null}`},
		{`{"user_pass":"x","awsSecretAccessKey":"x","passwordDigest":"x","tokenColor":"blue","passage":"x"}`, `{"tokenColor":"blue","passage":"x"}`},
		{`{"a":"-----BEGIN RSA PRIVATE KEY-----\nMII","b":"postgres://u:p@db/x","c":"https://example.org/a:b@c"}`, `{"c":"https://example.org/a:b@c"}`},
		{`{"to":"Jane Doe <jane@example.org>","cc":"a@example.org; b@example.org","x":"jane@example.org (Jane)","y":"Jane (jane@example.org)"}`, `{}`},
		{`{"link":"MAILTO:jane@example.org?subject=Hi","idn":"jane@example.xn--p1ai"}`, `{}`},
		{`{"readers":{"jane@example.org":true,"n":1}}`, `{"readers":{"n":1}}`},
		{`{"remoteAddr":"192.0.2.7:443","ips":["192.0.2.7"],"client_ip":"192.0.2.7, 2001:db8::1"}`, `{"ips":[]}`},
		{`{"settings":"{\"smtp\":{\"password\":\"hunter2\"}}","json":"{\"a\":1}"}`, `{"json":"{\"a\":1}"}`},
		{`{"php":"O:8:\"stdClass\":1:{s:5:\"email\";s:99:\"jane@example.org\";}","b":"a:1:{s:1:\"x\";i:1;}"}`, `{"b":"a:1:{s:1:\"x\";i:1;}"}`},
		{`{"body":[{"_type":"block","children":[{"text":"jane@example.org"}]},{"_type":"map","apiKey":"abc"}]}`, `{"body":[{"_type":"block","children":[{"text":"jane@example.org"}]},{"_type":"map"}]}`},
		{`{"Authorization":"abc","header":"Bearer abcdefghijklmnopqrst","x":"Bearer of news","y":"Basic Concepts"}`, `{"x":"Bearer of news","y":"Basic Concepts"}`},
		{`{"kept":{"email":"jane@example.org"}}`, `{"kept":{"email":"jane@example.org"}}`},
	} {
		data, err := jsontree.Parse([]byte(tt.data))
		if err != nil {
			t.Fatal(err)
		}
		(&Job{}).private(&Item{Data: data}, map[string]bool{"kept": true})
		if got := string(data.Append(nil)); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.data, got, tt.want)
		}
	}
}

func TestPrivateMembersOfItems(t *testing.T) {
	i := &Item{ID: "jane@example.org", ContentID: "Content_1", Name: "jane@example.org", CreatedBy: "Jane, jane@example.org", UpdatedBy: "Jane", Data: jsontree.Object()}
	(&Job{}).private(i, nil)
	if i.ID != "Content_1" || i.Name != "" || i.CreatedBy != "" || i.UpdatedBy != "Jane" {
		t.Errorf("%+v", i)
	}
}
