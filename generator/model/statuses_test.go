// These tests hold which items are visible, and what is said of statuses: what would be delivered or left out by a
// slip.

package model

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"contentedge/generator/visibility"
)

// withStatuses is a file of lines with an item for each status given.
func withStatuses(statuses ...string) string {
	var b strings.Builder
	for i, s := range statuses {
		fmt.Fprintln(&b, item(fmt.Sprintf("Content_00000000-0000-4000-8000-%012d", i), fmt.Sprintf(`,"Status":%q`, s)))
	}
	return b.String()
}

func TestMisspeltStatuses(t *testing.T) {
	tests := []struct {
		name, want string // without the place of the first line
		statuses   []string
		wanted     []string
	}{
		{"different words", "", []string{"Published", "Published", "Draft", "Archived", "Unpublished", "Review", "Live", "New"}, nil},
		{"a letter less", "e/x.ndjson:2:14: warning: the Status \"Publishd\" is nearly \"Published\"\n  hint: did you mean \"Published\"?", []string{"Published", "Publishd", "Published"}, nil},
		{"several of them", "warning: 3 items have the Status \"Publishd\", which is nearly \"Published\" (first: e/x.ndjson:1:14)\n  hint: did you mean \"Published\"?", []string{"Publishd", "Published", "Publishd", "Publishd"}, nil},
		{"another case", "e/x.ndjson:2:14: warning: the Status \"published\" is nearly \"Published\"\n  hint: did you mean \"Published\"?", []string{"Published", "published"}, nil},
		{"of another status", "e/x.ndjson:3:14: warning: the Status \"Drfat\" is nearly \"Draft\"\n  hint: did you mean \"Draft\"?", []string{"Draft", "Draft", "Drfat"}, nil},
		{"neither is commoner", "", []string{"Draft", "Drafts"}, nil},
		{"left out by the slip", "e/x.ndjson:2:14: warning: the Status \"Publishd\" is nearly \"Published\"\n  hint: did you mean \"Published\"?", []string{"Published", "Publishd"}, []string{"Published"}},
		{"a percent sign", "warning: 2 items have the Status \"Draft%d\", which is nearly \"Draft%\" (first: e/x.ndjson:4:14)\n  hint: did you mean \"Draft%\"?", []string{"Draft%", "Draft%", "Draft%", "Draft%d", "Draft%d"}, nil},
		{"a wanted one that nobody has", "warning: no item has the status \"Archive\"\n  hint: did you mean \"Archived\"? the statuses of the content are \"Archived\", \"Published\"", []string{"Published", "Archived"}, []string{"Published", "Archive"}},
		{"a wanted one like none", "warning: no item has the status \"Old\"\n  hint: the statuses of the content are \"Archived\", \"Published\"", []string{"Published", "Archived"}, []string{"Published", "Old"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			site, diagnostics := load(t, map[string]string{"e/x.ndjson": withStatuses(tt.statuses...)}, Options{Rules: visibility.Rules{Statuses: tt.wanted}})
			if got := said(diagnostics); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
			if got := site.Envs[0].Statuses[tt.statuses[0]]; got == 0 {
				t.Errorf("counted %v", site.Envs[0].Statuses)
			}
			if site, _ := load(t, map[string]string{"e/x.ndjson": withStatuses(tt.statuses...)}, Options{Rules: visibility.Rules{Statuses: tt.wanted}, Strict: true}); (site == nil) != (tt.want != "") {
				t.Errorf("strictly, there is a site: %v", site != nil)
			}
		})
	}
}

// TestManyMisspeltStatuses: one line for each would bury everything else.
func TestManyMisspeltStatuses(t *testing.T) {
	statuses := []string{"Published", "Published"}
	for c := 'a'; c <= 'z'; c++ {
		statuses = append(statuses, "Published"+string(c))
	}
	_, diagnostics := load(t, map[string]string{"e/x.ndjson": withStatuses(statuses...)}, Options{})
	if len(diagnostics) != maxMisspelt+1 || diagnostics[maxMisspelt].String() != "warning: and 16 more such statuses" {
		t.Error(said(diagnostics))
	}
}

func TestNear(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"Published", "Publishd"}: true, {"Published", "Publishhed"}: true, {"Published", "Pubilshed"}: true, {"Published", "PUBLISHD"}: true, {"Published", "Publsihde"}: true,
		{"Published", " Published "}: true, {"Published", "Publishing"}: false, {"published", "unpublished"}: false, {"active", "inactive"}: false,
		{"Draft", "Drat"}: true, {"Draft", "Drifts"}: false, {"Live", "Line"}: true, {"Live", "Lone"}: false, {"A", "B"}: false, {"ok", "no"}: false,
		{"Stage 1", "Stage 2"}: false, {"Stage 1", "Stge 1"}: true, {"veröffentlicht", "veroffentlicht"}: true, {"", "ab"}: false,
		{strings.Repeat("x", 1000), strings.Repeat("x", 999)}: false,
	} {
		if near(pair[0], pair[1]) != want || near(pair[1], pair[0]) != want {
			t.Errorf("%q: want %v", pair, want)
		}
	}
}

// TestVisible shows which items a load keeps at a time, and how it counts the others.
func TestVisible(t *testing.T) {
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	published := func(time string) string { return `,"PublishedAt":"` + time + `"` }
	expires := func(time string) string { return `,"ExpiresAt":"` + time + `"` }
	draft := `,"Status":"Draft"`
	tests := []struct {
		name, members string
		rules         visibility.Rules
		want          string // "kept", or what is counted
		from, until   string // of the interval
	}{
		{"published now", published("2030-01-01T01:00:00+01:00"), visibility.Rules{}, "kept", "2030-01-01T00:00:00.000Z", ""},
		{"published a millisecond later", published("2030-01-01T00:00:00.001Z"), visibility.Rules{}, "0 1 0", "", "2030-01-01T00:00:00.001Z"},
		{"scheduled, asked for", published("9999-01-01T00:00:00Z"), visibility.Rules{Scheduled: true}, "kept", "", ""},
		{"a time that was copied hides nothing", `,"CreatedAt":"2031-01-01T00:00:00Z"`, visibility.Rules{}, "kept", "", ""},
		{"expires now", expires("2030-01-01T00:00:00Z"), visibility.Rules{}, "0 0 1", "2030-01-01T00:00:00.000Z", ""},
		{"expires later", expires("2030-01-01T00:00:00.001Z"), visibility.Rules{}, "kept", "", "2030-01-01T00:00:00.001Z"},
		{"expired, asked for", expires("2029-01-01T00:00:00Z"), visibility.Rules{Expired: true}, "kept", "", ""},
		{"never expires", `,"ExpiresAt":null`, visibility.Rules{}, "kept", "", ""},
		{"a draft", draft + expires("2031-01-01T00:00:00Z"), visibility.Rules{}, "1 0 0", "", ""},
		{"a slip", `,"Status":"Publishd"`, visibility.Rules{}, "1 0 0", "", ""},
		{"a draft, asked for", draft, visibility.Rules{Statuses: []string{"Draft"}}, "kept", "", ""},
		{"all statuses", draft, visibility.Rules{Statuses: []string{"all"}}, "kept", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := `{"ContentID":"` + id1 + `","Name":"n","TemplateName":"t"` + tt.members
			if !strings.Contains(tt.members, "CreatedAt") {
				in += `,"UpdatedAt":"2020-01-01T00:00:00Z"`
			}
			site, said := load(t, map[string]string{"e/x.json": in + "}"}, Options{At: at, Rules: tt.rules})
			if site == nil {
				t.Fatal(said)
			}
			env := &site.Envs[0]
			got := "kept"
			if len(env.Items) == 0 {
				n := 0
				for _, of := range env.Hidden.Statuses {
					n += of
				}
				got = fmt.Sprint(n, env.Hidden.Scheduled, env.Hidden.Expired)
			}
			end := func(moment int64) string {
				if moment == visibility.Always || moment == visibility.Never {
					return ""
				}
				return formatMilli(moment)
			}
			if i := env.Hidden.Interval; got != tt.want || end(i.From) != tt.from || end(i.Until) != tt.until || site.Interval() != i {
				t.Errorf("%s, from %q until %q", got, end(i.From), end(i.Until))
			}
		})
	}
}

// TestExpiresAt: an ExpiresAt that cannot be read would keep an item visible for ever.
func TestExpiresAt(t *testing.T) {
	for value, want := range map[string]string{
		`"2030-01-01"`: "e/x.json:1:15: ExpiresAt is \"2030-01-01\", which is not an RFC 3339 timestamp\n  hint: a time of day and a zone are missing; write it like 2025-01-31T09:00:00Z",
		`1893456000`:   "e/x.json:1:15: ExpiresAt is a number, which is not an RFC 3339 timestamp\n  hint: write it like 2025-01-31T09:00:00Z",
		`{}`:           "e/x.json:1:15: ExpiresAt is an object, which is not an RFC 3339 timestamp\n  hint: write it like 2025-01-31T09:00:00Z",
		`null,"expiresAt":"2030-01-01T00:00:00Z"`: "e/x.json:1:20: the key \"expiresAt\" is not a field, but ExpiresAt is\n  hint: write ExpiresAt; keys are case-sensitive",
	} {
		in := `{ "ExpiresAt":` + value + `,` + strings.TrimPrefix(item(id1, ""), "{")
		if site, found := load(t, map[string]string{"e/x.json": in}, Options{}); site != nil || said(found) != want {
			t.Errorf("%s:\n got %s\nwant %s", value, said(found), want)
		}
	}
}
