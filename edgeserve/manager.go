// This file keeps the service manager informed.

package edgeserve

import (
	"context"
	"time"
)

// tellManager logs that a notice did not arrive.
func (s *Server) tellManager(err error) {
	if err != nil {
		s.log.Warn("the service manager was not notified", "error", err)
	}
}

// status is the text that the manager shows.
func (s *Server) status() string {
	if build := s.servedBuild(); build != noBuild {
		return "serving release " + build
	}
	return "no release is served"
}

// keepManager resets the manager's watchdog until ctx ends. It shows that goroutines run.
func (s *Server) keepManager(ctx context.Context) {
	if s.cfg.Manager == nil || s.cfg.Manager.Watchdog == 0 {
		return
	}
	ticker := time.NewTicker(s.cfg.Manager.Watchdog)
	defer ticker.Stop()
	for {
		s.tellManager(s.cfg.Manager.Alive())
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// ReloadForManager is Reload for a signal of the service manager, which is told of its begin and end:
// not before the server is ready, as the end says that it is.
func (s *Server) ReloadForManager(ctx context.Context) error {
	if !s.life.ready.Load() {
		return s.Reload(ctx)
	}
	s.tellManager(s.cfg.Manager.Reloading())
	err := s.Reload(ctx)
	s.tellManager(s.cfg.Manager.Ready(s.status()))
	return err
}
