// Package pulltest is an origin of content for tests. It speaks the interface over HTTP, on connections
// in memory or on TCP. It moves through states of its content, and plays a script of faults with a seed.
package pulltest

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"contentedge/edgeserve/wire/address"
)

// Env is the only environment of an origin.
const Env = "site"

// Item is an item of an origin.
type Item struct {
	ID, Name, Status     string
	CreatedAt, UpdatedAt time.Time
	Raw                  string // its JSON as the origin sends it
}

// NewItem returns an item whose bytes are made from its members and a text in its Data.
func NewItem(id string, created, updated time.Time, text string) Item {
	i := Item{ID: id, Name: "name of " + id, Status: "Published", CreatedAt: created, UpdatedAt: updated}
	i.Raw = fmt.Sprintf(`{"Status":%q,"CreatedBy":"a person","CreatedAt":%q,"Data":{"text":%q},"UpdatedAt":%q,"Name":%q,"PublishedAt":%q,"TemplateName":"Article","ContentID":%q}`,
		i.Status, stamp(created), text, stamp(updated), i.Name, stamp(created), id)
	return i
}

// WithStatus returns the item with another status.
func (i Item) WithStatus(status string) Item {
	i.Raw = strings.Replace(i.Raw, fmt.Sprintf(`"Status":%q`, i.Status), fmt.Sprintf(`"Status":%q`, status), 1)
	i.Status = status
	return i
}

// WithData returns the item with the JSON of its Data replaced.
func (i Item) WithData(json string) Item {
	head, rest, _ := strings.Cut(i.Raw, `"Data":`)
	_, tail, _ := strings.Cut(rest, `,"UpdatedAt":`)
	i.Raw = head + `"Data":` + json + `,"UpdatedAt":` + tail
	return i
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// State is the content of an origin between two changes.
type State struct {
	Items   []Item // by id
	Release string // the value of X-Release
}

// Mirror is the text of a mirror of the state: a line an item, in the order of ids.
func (s *State) Mirror() string {
	var b strings.Builder
	for _, i := range s.Items {
		b.WriteString(i.Raw + "\n")
	}
	return b.String()
}

// Origin is an origin of content. The zero value has no content and sends neither releases nor indexes.
type Origin struct {
	Releases bool   // every response names its release in X-Release, and a request may require one
	Version  string // sent as X-Release by an origin that means something else by it, and never compared
	Index    bool   // searches are answered; an index of ids comes from one
	MaxSize  int    // a silent limit of page sizes; 0 means unlimited

	Files map[string]string // media files by address; set before Start

	mu      sync.Mutex
	states  []*State // the last one is the newest
	script  []Step
	count   int      // requests since Play
	log     []string // requests and the faults in them
	foreign []string // requests of other hosts, with the key that came along
	closing []func()
	closed  chan struct{}
	network network
}

// New returns an origin that sends releases and indexes, with n items.
func New(n int) *Origin {
	o := &Origin{Releases: true, Index: true}
	items := make([]Item, n)
	for k := range items {
		items[k] = Sample(k)
	}
	o.Set(items...)
	return o
}

// Sample is the item of a number. Each has a day of its own, before the time at which a bubble of
// testing/synctest begins.
func Sample(k int) Item {
	created := time.Date(1997, 1, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, k)
	return NewItem(fmt.Sprintf("Content_%04d", k), created, created, "first")
}

// Set replaces the content, which is a new state.
func (o *Origin) Set(items ...Item) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.set(slices.Clone(items))
}

func (o *Origin) set(items []Item) {
	slices.SortFunc(items, func(a, b Item) int { return cmp.Compare(a.ID, b.ID) })
	s := &State{Items: items}
	sum := sha256.Sum256([]byte(s.Mirror()))
	s.Release = hex.EncodeToString(sum[:8])
	o.states = append(o.states, s)
}

// Change makes a new state of the newest one.
func (o *Origin) Change(change func(items []Item) []Item) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.set(change(slices.Clone(o.newest().Items)))
}

// Put adds items, and replaces items with the same ids.
func (o *Origin) Put(items ...Item) {
	o.Change(func(now []Item) []Item {
		for _, i := range items {
			if k := slices.IndexFunc(now, func(old Item) bool { return old.ID == i.ID }); k >= 0 {
				now[k] = i
			} else {
				now = append(now, i)
			}
		}
		return now
	})
}

// Remove removes items.
func (o *Origin) Remove(ids ...string) {
	o.Change(func(now []Item) []Item {
		return slices.DeleteFunc(now, func(i Item) bool { return slices.Contains(ids, i.ID) })
	})
}

// Newest is the newest state.
func (o *Origin) Newest() *State {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.newest()
}

func (o *Origin) newest() *State {
	if len(o.states) == 0 {
		o.set(nil)
	}
	return o.states[len(o.states)-1]
}

// Had returns the number of the newest state whose mirror is this text, or -1.
func (o *Origin) Had(mirror string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	for n := len(o.states) - 1; n >= 0; n-- {
		if o.states[n].Mirror() == mirror {
			return n
		}
	}
	return -1
}

// Requests is the number of requests since Play.
func (o *Origin) Requests() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.count
}

// Log lists the requests since Play, with the faults in them.
func (o *Origin) Log() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.log, "\n")
}

// Foreign lists the requests that reached another host, with the header fields that came along.
func (o *Origin) Foreign() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.foreign)
}

// ServeHTTP answers a request as the script says.
func (o *Origin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	o.count++
	n := o.count
	var now []Fault
	names := ""
	for _, s := range o.script {
		if s.From <= n && n <= s.To {
			now = append(now, s.Fault)
			names += "  <- " + s.Fault.Name
		}
	}
	o.log = append(o.log, fmt.Sprintf("%d: %s %s%s", n, r.Method, r.URL, names))
	o.mu.Unlock()
	for _, f := range now {
		if f.Before != nil {
			f.Before(o)
		}
	}
	x := &Exchange{Origin: o, Request: r, N: n, Kind: kindOf(r)}
	x.read()
	x.AnswerFrom(o.Newest())
	for _, f := range now {
		if f.Do != nil {
			f.Do(x)
		}
	}
	x.send(w)
	for _, f := range now {
		if f.After != nil {
			f.After(o)
		}
	}
}

func kindOf(r *http.Request) Kind {
	route, ok := address.ParsePath(r.URL.Path)
	switch {
	case !ok || route.Env != Env:
		return Other
	case route.Kind == address.Contents:
		return Page
	case route.Kind == address.Search, route.Kind == address.ElasticSearch:
		return Index
	case route.Kind == address.Item:
		return OneItem
	case route.Kind == address.Media:
		return File
	}
	return Other
}
