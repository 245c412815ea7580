// This file holds the limits of hosts that search without an edge server.

package plan

// SearchFigures are the sizes of what a program loads to search an environment.
type SearchFigures struct {
	ID     string `json:"id"`
	Parts  int    `json:"parts"`
	Bytes  int64  `json:"bytes"` // of the search-only snapshot
	Gzip   int64  `json:"gzip"`
	Brotli int64  `json:"br"`
}

// programMemory is what a program needs in addition to snapshots, in bytes: the module 24 MiB, JavaScript and two parts
// on their way 16 MiB.
const programMemory = 40 << 20

// SearchMemory is the memory of a program that has loaded the snapshots of all environments, in bytes.
func SearchMemory(envs []SearchFigures) int64 {
	sum := int64(programMemory)
	for i := range envs {
		sum += envs[i].Bytes
	}
	return sum
}

// Searches reports whether the host can search without an edge server. A nil Target cannot.
func (t *Target) Searches() bool { return t != nil && t.Memory > 0 }

// CheckSearch returns a *LimitError if a program on the host cannot hold the snapshots.
func (t *Target) CheckSearch(envs []SearchFigures) error {
	return t.refuse(t.Memory, SearchMemory(envs), "bytes of memory", "a program with the snapshots of all environments",
		"Leave paths out of the index, publish fewer environments for searches with generator hosts --env, or let an edge server search.")
}
