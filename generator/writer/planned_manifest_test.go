package writer

import (
	"errors"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/mapping"
	"contentedge/generator/plan"
)

// Environments that together or one by one are too much for a manifest are refused before anything is written.
func TestCheckManifest(t *testing.T) {
	const most = 64 << 10 // bytes
	half := mapping.Field{Path: strings.Repeat("x", most/2), Type: snapshot.Text}
	envs := func(n int, fields ...mapping.Field) []Env {
		list := make([]Env, n)
		for i := range list {
			list[i] = Env{Plan: &plan.Env{ID: "demo"}, Summary: &plan.Summary{}}
		}
		list[0].Fields = fields
		return list
	}
	for _, tt := range []struct {
		name string
		envs []Env
		want string // of the error
	}{
		{"one environment", envs(1), ""},
		{"more environments", envs(release.MaxEnvironments + 1), "REFUSED: a release has at most 262144 environments, and this one would have 262145: build fewer environments with --env"},
		{"paths that fit", envs(1, half), ""},
		{"paths that are too many", envs(1, half, half), "REFUSED: the manifest would have 66"},
		{"a part that is too large", envs(release.MaxWhole+1, half, half), `REFUSED: the description of environment "demo" would have 66`},
		{"parts that fit", envs(release.MaxWhole+1, half), ""},
	} {
		err := checkManifest(address.Standard, true, tt.envs, most)
		var limit *plan.LimitError
		if tt.want == "" && err != nil || tt.want != "" && (!errors.As(err, &limit) || !strings.HasPrefix(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
