// This file tests that a watch follows the times of items.

package pipeline

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"contentedge/generator/pull/pulltest"
	"contentedge/generator/pull/schedule"
)

// timed returns a file of an item that is visible between two times.
func timed(from, until time.Time) map[string]string {
	return map[string]string{pulltest.Env + "/timed.json": fmt.Sprintf(`{"ContentID":"Content_timed","Name":"n","TemplateName":"Page","CreatedAt":"1999-01-01T00:00:00Z","PublishedAt":%q,"ExpiresAt":%q}`,
		from.Format(time.RFC3339Nano), until.Format(time.RFC3339Nano))}
}

// TestWatchFollowsTime watches an origin once an hour: a run is due when an item appears or expires. A build that fails
// then is not tried again and again.
func TestWatchFollowsTime(t *testing.T) {
	for _, broken := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := open(t, nil)
			defer s.close()
			began := time.Now()
			file := timed(began.Add(10*time.Minute), began.Add(20*time.Minute))
			for name, text := range file {
				write(t, filepath.Join(s.c.Pull.Content, name), text)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 90*time.Minute)
			defer cancel()
			runs := schedule.New(schedule.Config{Every: time.Hour, Due: s.p.NextChange, Run: func(ctx context.Context) error {
				_, err := s.p.Run(ctx)
				s.note(time.Since(began).Round(time.Minute), " ", steps(err), " ", s.release() == s.expected(file))
				if broken {
					write(t, filepath.Join(s.c.Pull.Content, pulltest.Env, "own.json"), "{")
				}
				return err
			}})
			if err := runs.Run(ctx); err != context.DeadlineExceeded {
				t.Error(err)
			}
			want := "0s [] true\n10m0s [] true\n20m0s [] true\n1h20m0s [] true"
			if broken {
				want = "0s [] true\n10m0s [build] false\n1h10m0s [build] false"
			}
			if got := s.logged(); got != want {
				t.Errorf("broken %t: got\n%s\nwant\n%s", broken, got, want)
			}
		})
	}
}
