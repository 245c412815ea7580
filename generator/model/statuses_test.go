// These tests hold what is said of statuses and of the time of publication: what would
// be delivered or left out by a slip.

package model

import (
	"fmt"
	"strings"
	"testing"
	"time"
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
			site, diagnostics := load(t, map[string]string{"e/x.ndjson": withStatuses(tt.statuses...)}, Options{Statuses: tt.wanted})
			if got := said(diagnostics); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
			if got := site.Envs[0].Statuses[tt.statuses[0]]; got == 0 {
				t.Errorf("counted %v", site.Envs[0].Statuses)
			}
			if site, _ := load(t, map[string]string{"e/x.ndjson": withStatuses(tt.statuses...)}, Options{Statuses: tt.wanted, Strict: true}); (site == nil) != (tt.want != "") {
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

func TestPublishedInTheFuture(t *testing.T) {
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(time string) string { return `,"PublishedAt":"` + time + `"` }
	tests := []struct {
		name, in, want string
		statuses       []string
	}{
		{"past and now", item(id1, at("2029-12-31T23:59:59.999Z")) + "\n" + item(id2, at("2030-01-01T00:00:00Z")), "", nil},
		{"one", item(id1, "") + "\n" + item(id2, at("2030-01-01T01:00:00.001+01:00")), "e/x.ndjson:2:14: warning: PublishedAt is in the future, 2030-01-01T00:00:00.001Z, and the item is delivered", nil},
		{"two", item(id1, at("2031-01-01T00:00:00Z")) + "\n" + item(id2, at("9999-01-01T00:00:00Z")), "warning: 2 items have a PublishedAt in the future and are delivered (first: e/x.ndjson:1:14)", nil},
		{"one is left out", item(id1, at("2031-01-01T00:00:00Z")+`,"Status":"Draft"`) + "\n" + item(id2, ""), "", []string{"Published"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			site, diagnostics := load(t, map[string]string{"e/x.ndjson": tt.in}, Options{Now: now, Statuses: tt.statuses})
			if got := said(diagnostics); site == nil || got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}
