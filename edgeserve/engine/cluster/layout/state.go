// This file reads what a cluster says about indices.

package layout

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// StateFields is the filter_path of GET /INDEX that leaves what ReadStates reads.
const StateFields = "*.aliases,*.mappings._meta,*.settings.index.blocks.write,*.settings.index.uuid,*.settings.index.creation_date"

// MaxState bounds the state of an index, in bytes: its name, _meta, and some names of aliases.
const MaxState = 64 << 10

// State is what a cluster says about an index.
type State struct {
	Name    string
	Meta    *Meta // nil if the index was not made by generator load
	Blocked bool  // it refuses writes
	UUID    string
	Made    time.Time
	Aliases []string // in byte order
}

// Complete reports whether the index has its whole release, and cannot be changed.
func (s *State) Complete() bool { return s.Meta != nil && s.Meta.Complete && s.Blocked }

// ReadStates reads a response to GET /INDEX with StateFields. The states are ordered by name.
func ReadStates(response []byte) ([]State, error) {
	var all map[string]struct {
		Aliases  map[string]json.RawMessage
		Mappings struct {
			Meta json.RawMessage `json:"_meta"`
		}
		Settings struct {
			Index struct {
				UUID   string
				Made   string `json:"creation_date"` // milliseconds
				Blocks struct{ Write string }
			}
		}
	}
	if err := json.Unmarshal(response, &all); err != nil {
		return nil, fmt.Errorf("the states of indices: %w", err)
	}
	states := make([]State, 0, len(all))
	for name, is := range all {
		s := State{Name: name, Meta: readMeta(is.Mappings.Meta), UUID: is.Settings.Index.UUID, Blocked: is.Settings.Index.Blocks.Write == "true"}
		if ms, err := strconv.ParseInt(is.Settings.Index.Made, 10, 64); err == nil {
			s.Made = time.UnixMilli(ms)
		}
		for alias := range is.Aliases {
			s.Aliases = append(s.Aliases, alias)
		}
		slices.Sort(s.Aliases)
		states = append(states, s)
	}
	slices.SortFunc(states, func(a, b State) int { return strings.Compare(a.Name, b.Name) })
	return states, nil
}

// readMeta reads the _meta of an index; nil if no load wrote it.
func readMeta(text json.RawMessage) *Meta {
	var m Meta
	if len(text) == 0 || json.Unmarshal(text, &m) != nil || m.Format == 0 || m.Environment == "" || m.Build == "" {
		return nil
	}
	return &m
}
