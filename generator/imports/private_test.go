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
