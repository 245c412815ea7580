// This file measures where the time of a request goes, for requests that ask for it.

package delivery

import "time"

// Timing is where the time of a request went.
type Timing struct {
	Queue  time.Duration // waiting for turns to search
	Search time.Duration // evaluating searches
	Render time.Duration // writing and compressing a body
}

// laps is the state of Request.lap.
type laps struct {
	at     time.Time
	waited time.Duration
}

// lap returns the time since the last lap of a measured request, without waits for turns.
func (r *Request) lap() (worked time.Duration) {
	if !r.Measure {
		return 0
	}
	now := laps{time.Now(), r.Timing.Queue + r.permit.Waited()}
	worked = now.at.Sub(r.laps.at) - (now.waited - r.laps.waited)
	r.laps = now
	return worked
}
