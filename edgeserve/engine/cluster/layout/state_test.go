package layout

import "testing"

// TestState reads states of indices: complete is one whose _meta says so and that is blocked.
func TestState(t *testing.T) {
	meta := `"mappings":{"_meta":{"format":2,"environment":"site","build":"0123456789abcdef","items":3,"shards":1,"complete":true}}`
	for _, tt := range []struct {
		name, response string
		complete, ours bool
	}{
		{"complete", `{"a":{"aliases":{"y":{},"x":{}},` + meta + `,"settings":{"index":{"uuid":"u","creation_date":"1700000000000","blocks":{"write":"true"}}}}}`, true, true},
		{"not blocked", `{"a":{"aliases":{"y":{},"x":{}},` + meta + `,"settings":{"index":{"uuid":"u","creation_date":"1700000000000"}}}}`, false, true},
		{"of somebody else", `{"a":{"aliases":{"y":{},"x":{}},"mappings":{"_meta":{"complete":true}},"settings":{"index":{"uuid":"u","creation_date":"1700000000000","blocks":{"write":"true"}}}}}`, false, false},
		{"with a foreign _meta", `{"a":{"aliases":{"y":{},"x":{}},"mappings":{"_meta":{"format":"one"}},"settings":{"index":{"uuid":"u","creation_date":"1700000000000"}}}}`, false, false},
	} {
		states, err := ReadStates([]byte(tt.response))
		if err != nil || len(states) != 1 {
			t.Errorf("%s: %v %v", tt.name, states, err)
			continue
		}
		s := states[0]
		if s.Complete() != tt.complete || (s.Meta != nil) != tt.ours || s.Name != "a" || s.UUID != "u" || s.Made.Unix() != 1700000000 || len(s.Aliases) != 2 || s.Aliases[0] != "x" {
			t.Errorf("%s: %+v", tt.name, s)
		}
	}
	for _, response := range []string{``, `[]`, `{"a":[]}`} {
		if states, err := ReadStates([]byte(response)); err == nil {
			t.Errorf("%q: %v", response, states)
		}
	}
}
