// Package ratelimit limits what each client may ask of a node: requests, and the work of its searches.
//
// It is the generic cell rate algorithm (GCRA) of ATM networks: for each client and limit it keeps one time, at which
// all that the client has taken is earned back. A request advances the time by its cost. As long as the time is less
// than the burst ahead, the client may send requests.
//
// What a search costs is known only afterwards. So a search begins as long as some of the burst is left, and its cost
// may move the time far ahead: the client waits until it is earned back.
//
// Each network around a client has a limit too, Weight times as high: an IPv6 client has three times.
//
// A table of fixed size holds the times. A client whose times have passed is the same as one that is not in the table,
// so its place is free. When all places of a set are taken, the client that has least to earn back is forgotten, and
// counted: it starts with a full burst, while the clients that owe most stay limited.
package ratelimit

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"time"

	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/serve/clientip"
	"contentedge/edgeserve/serve/clientnet"
)

const (
	maxClients = 1 << 16 // places in the table: 1.6 MB
	perSet     = 8       // places in which a client may be: three cache lines
	sets       = maxClients / perSet

	// defaultBurst is the time whose earnings a client may take at once: pages send requests in flocks.
	defaultBurst = 10 * time.Second
	// maxDebt bounds how long a client waits for what its searches took beyond the burst: others may get
	// its address.
	maxDebt = 10 * time.Minute
	// stepTime is the nominal time of a step of a search: the same search costs the same on every machine.
	stepTime = 10 * time.Nanosecond
)

// Config configures a Limiter. Its zero value limits nothing.
type Config struct {
	Requests Rate
	Burst    int // requests at once; 0 means the requests of defaultBurst, at least one

	Work      WorkRate
	WorkBurst time.Duration // working time of searches at once; 0 means the time of defaultBurst

	Exempt clientip.Networks // clients without limits
}

// Limiter limits clients, and the networks around them by a multiple. A nil Limiter limits nothing. It is safe for
// concurrent use.
type Limiter struct {
	exempt   clientip.Networks
	interval time.Duration // of one request; 0 means that requests are not limited
	burst    time.Duration // that requests may lie ahead
	work     WorkRate
	workEach time.Duration // that searches may lie ahead
	now      func() time.Duration
	seed     maphash.Seed
	table    []set

	requests, searches prometheus.Counter // refused ones
	forgotten          prometheus.Counter // clients
}

// entry is what a client or a network has to earn back, as times since the Limiter began. Times that have passed count
// as zero.
type entry struct {
	key            uint64 // keyOf a client, or of a network of clients
	requests, work time.Duration
}

type set struct {
	mu      sync.Mutex
	entries [perSet]entry
}

// New returns a Limiter, or nil if nothing is limited.
func New(c Config) *Limiter {
	if c.Requests.IsZero() && c.Work.IsZero() {
		return nil
	}
	began := time.Now()
	l := &Limiter{exempt: c.Exempt, work: c.Work, seed: maphash.MakeSeed(), table: make([]set, sets), now: func() time.Duration { return time.Since(began) }}
	if !c.Requests.IsZero() {
		l.interval = c.Requests.interval()
		l.burst = max(defaultBurst, l.interval)
		if c.Burst > 0 {
			l.burst = time.Duration(c.Burst) * l.interval
		}
	}
	if !c.Work.IsZero() {
		l.workEach = defaultBurst
		if c.WorkBurst > 0 {
			l.workEach = c.Work.worth(c.WorkBurst)
		}
	}
	return l
}

// IsExempt reports whether an address, not only its network, has no limits.
func (l *Limiter) IsExempt(addr netip.Addr) bool { return l == nil || l.exempt.Contains(addr) }

// TakeRequest takes a request of a client, and of the networks around it. If it returns false, nothing is taken, and the
// client may try again after a time.
func (l *Limiter) TakeRequest(client clientnet.Client) (retry time.Duration, ok bool) {
	if l == nil || l.interval == 0 {
		return 0, true
	}
	now := l.now()
	for level := client.Levels() - 1; level >= 0; level-- { // a network first: beyond its limit its clients take no places
		if wait := l.takeRequest(client.Network(level), now); wait > 0 {
			for level++; level < client.Levels(); level++ {
				l.returnRequest(client.Network(level))
			}
			l.requests.Inc()
			return wait, false
		}
	}
	return 0, true
}

// takeRequest takes a request of a network, unless it has to wait for a time.
func (l *Limiter) takeRequest(n clientnet.Network, now time.Duration) (wait time.Duration) {
	key := l.keyOf(n)
	s := l.lock(key)
	defer s.mu.Unlock()
	e := s.find(key)
	owed, cost := time.Duration(0), l.interval/time.Duration(n.Weight())
	if e != nil {
		owed = max(e.requests-now, 0)
	}
	if wait := owed + cost - l.burst; wait > 0 {
		return wait
	}
	if e == nil {
		e = l.place(s, key, now)
	}
	e.requests = now + owed + cost
	return 0
}

// returnRequest undoes takeRequest.
func (l *Limiter) returnRequest(n clientnet.Network) {
	key := l.keyOf(n)
	s := l.lock(key)
	defer s.mu.Unlock()
	if e := s.find(key); e != nil {
		e.requests -= l.interval / time.Duration(n.Weight())
	}
}

// MaySearch reports whether a client and the networks around it have work left. If not, it may try again after a time.
func (l *Limiter) MaySearch(client clientnet.Client) (retry time.Duration, ok bool) {
	if l == nil || l.work.IsZero() {
		return 0, true
	}
	now := l.now()
	for level := range client.Levels() {
		retry = max(retry, l.owed(client.Network(level))-now-l.workEach+1) // when a nanosecond is left
	}
	if retry > 0 {
		l.searches.Inc()
		return retry, false
	}
	return 0, true
}

// owed returns the time at which a network has earned back its work.
func (l *Limiter) owed(n clientnet.Network) time.Duration {
	key := l.keyOf(n)
	s := l.lock(key)
	defer s.mu.Unlock()
	if e := s.find(key); e != nil {
		return e.work
	}
	return 0
}

// Charge takes the steps of a search that a client has had.
func (l *Limiter) Charge(client clientnet.Client, steps int) {
	if l == nil || l.work.IsZero() || steps <= 0 {
		return
	}
	now, cost := l.now(), l.work.worth(time.Duration(steps)*stepTime)
	for level := range client.Levels() {
		n := client.Network(level)
		l.charge(n, cost/time.Duration(n.Weight()), now)
	}
}

func (l *Limiter) charge(n clientnet.Network, cost, now time.Duration) {
	key := l.keyOf(n)
	s := l.lock(key)
	defer s.mu.Unlock()
	e := s.find(key)
	if e == nil {
		e = l.place(s, key, now)
	}
	e.work = min(max(e.work, now)+cost, now+l.workEach+maxDebt)
}

// keyOf returns a hash of a network. The seed is secret, so a client cannot choose networks of one set or of one key.
func (l *Limiter) keyOf(n clientnet.Network) uint64 { return maphash.Comparable(l.seed, n) }

// lock returns the set of a key, locked.
func (l *Limiter) lock(key uint64) *set {
	s := &l.table[key%sets]
	s.mu.Lock()
	return s
}

// find returns the entry of a key, or nil. The set is locked.
func (s *set) find(key uint64) *entry {
	for i := range s.entries {
		if s.entries[i].key == key {
			return &s.entries[i]
		}
	}
	return nil
}

// place gives a key a place: the place of the client that has least to earn back. The set is locked.
func (l *Limiter) place(s *set, key uint64, now time.Duration) *entry {
	least := &s.entries[0]
	for i := range s.entries {
		if e := &s.entries[i]; e.end() < least.end() {
			least = e
		}
	}
	if least.end() > now {
		l.forgotten.Inc()
	}
	*least = entry{key: key}
	return least
}

// end is when everything is earned back.
func (e *entry) end() time.Duration { return max(e.requests, e.work) }

// Write writes the metrics. A nil Limiter has none.
func (l *Limiter) Write(t *prometheus.Text) {
	if l == nil {
		return
	}
	t.Family("contentedge_rate_limited_total", "counter", "Requests and searches refused because their client had too many, by limit.")
	t.Uint(l.requests.Value(), "limit", "requests")
	t.Uint(l.searches.Value(), "limit", "searches")
	t.Family("contentedge_rate_limit_clients", "gauge", "Clients and IPv6 networks that have something to earn back.")
	t.Uint(l.count())
	l.forgotten.Write(t, "contentedge_rate_limit_forgotten_total", "Clients and IPv6 networks forgotten because the table of clients was full.")
}

func (l *Limiter) count() (n uint64) {
	now := l.now()
	for i := range l.table {
		s := &l.table[i]
		s.mu.Lock()
		for k := range s.entries {
			if s.entries[k].end() > now {
				n++
			}
		}
		s.mu.Unlock()
	}
	return n
}
