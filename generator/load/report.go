// This file says what a load did, and how far it is.

package load

// Report is the result of a load or a check.
type Report struct {
	Build        string      `json:"build"`
	Environments []EnvReport `json:"environments"`
	Cluster      string      `json:"cluster"` // engine and version
}

// EnvReport is the result for an environment.
type EnvReport struct {
	Environment string   `json:"environment"`
	Index       string   `json:"index"`
	Action      string   `json:"action,omitempty"` // what the load did, or would do
	Items       int      `json:"items"`
	Sent        int      `json:"sent"`    // documents that nodes have taken
	Kept        int      `json:"kept"`    // documents that were there before
	Refused     int      `json:"refused"` // lines that nodes refused for a while
	Shards      int      `json:"shards,omitempty"`
	Replicas    int      `json:"replicas"`
	Bytes       int64    `json:"bytes"`            // of the index without replicas
	Health      string   `json:"health,omitempty"` // green, yellow
	Complete    bool     `json:"complete"`
	Problem     string   `json:"problem,omitempty"` // why it is not complete; of --check
	Alias       string   `json:"alias,omitempty"`   // that names the index now
	AliasFrom   []string `json:"aliasFrom,omitempty"`
	SendSeconds float64  `json:"sendSeconds"`
	Seconds     float64  `json:"seconds"`
}

// Kept is the Action of an index that was complete already.
const Kept = "keep"

// Stage is a part of a load.
type Stage string

// The stages that take long.
const (
	Sending   Stage = "sending"
	Merging   Stage = "merging"
	Comparing Stage = "comparing"
	Copying   Stage = "copying to replicas"
)

// Progress is how far the load of an environment is.
type Progress struct {
	Environment  string
	Stage        Stage
	Items, Total int
}

func (l *load) report() *Report {
	return &Report{Build: l.manifest.Build, Cluster: l.cluster.engine, Environments: make([]EnvReport, len(l.envs))}
}
