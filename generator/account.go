// This file accounts for a release that was made: what lies on the disk, and which items
// are delivered.

package generator

import (
	"path"
	"slices"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/release"
	"contentedge/generator/output"
	"contentedge/generator/plan"
)

// report is the caller's account of the release under way, of which all is written.
func (w *releaseWriter) report() (*Report, error) {
	r, err := w.reportOf(w.manifest, w.tx.Dir())
	if err != nil {
		return nil, err
	}
	r.Written = w.tracker.p.Written
	return r, nil
}

// reportOf is that of a release by its manifest and its directory.
func (w *releaseWriter) reportOf(m *release.Manifest, dir string) (*Report, error) {
	r := &Report{Build: m.Build, Warnings: w.warnings}
	for i, e := range m.Environments {
		env := reportEnv(e, &w.sums[i])
		env.Statuses, env.LeftOut = delivered(w.site.Envs[i].Statuses, w.config.Statuses)
		r.Environments = append(r.Environments, env)
	}
	return r, r.measure(dir)
}

// reportEnv is the caller's account of an environment, of which its directory is not
// measured yet.
func reportEnv(env release.Environment, s *plan.Summary) EnvReport {
	r := EnvReport{ID: env.ID, Items: env.Items, SnapshotBytes: env.Snapshot.Bytes, Files: 1, Bytes: env.Snapshot.Bytes}
	for _, f := range s.Families {
		r.Lists += f.Lists
		r.Pages += f.Files
	}
	return r
}

// measure adds up the files of a release.
func (r *Report) measure(dir string) error {
	envs := make(map[string]*EnvReport, len(r.Environments))
	for i := range r.Environments {
		e := &r.Environments[i]
		envs[path.Dir(path.Dir(address.ItemFile(e.ID, "any")))] = e
	}
	return output.Measure(dir, func(name string, files int, bytes int64) {
		r.Files += files
		r.Bytes += bytes
		for ; name != "."; name = path.Dir(name) {
			if e := envs[name]; e != nil {
				e.Files += files
				e.Bytes += bytes
			}
		}
	})
}

// delivered parts the items of an environment, counted by status, into those that are
// delivered and those that are not.
func delivered(statuses map[string]int, wanted []string) (in, out map[string]int) {
	in, out = map[string]int{}, map[string]int{}
	for status, n := range statuses {
		if len(wanted) == 0 || slices.Contains(wanted, status) {
			in[status] = n
		} else {
			out[status] = n
		}
	}
	return in, out
}
