// Package pull mirrors an environment of an origin: it writes all its items into one file of a content folder, which
// builds and previews read. The origin has the interface that edge servers serve.
//
//	content/ENV/pulled.ndjson   the items, one a line, in the order of their ids
//	content/ENV/_pull.json      where they are from, when, and what the next pull need not ask again
//
// A mirror is one state that the origin had, or the mirror of the last pull. Pages are requested one
// after the other, while editors work, so that equal totals prove nothing: an item may leave a page
// that was read, and another may come at the end. A whole walk over the pages is accepted if
//
//   - one page had all items, or
//   - one release answered all pages (X-Release), and the origin refuses other releases when asked
//     for them, or
//   - an index of all ids with their times, read by one search before the walk and by one after it, is
//     twice the same and fits the items, or
//   - two walks, one after the other, read the same bytes.
//
// Between whole walks a pull asks only for what changed, if the origin has such an index, and for
// nothing if it serves the same release.
//
// Nothing that an origin sends is trusted: sizes, times, redirects and retries have bounds, the reader
// of builds checks all items before the file is replaced, and a pull that would remove too much is
// refused.
package pull

import (
	"context"
	"net/http"
	"time"

	"contentedge/edgeserve/wire/httpfield"
	"contentedge/generator/removal"
)

// KeyVariable is the variable of the environment with the key of an origin.
const KeyVariable = "CONTENTEDGE_PULL_KEY"

// Names of the files in the folder of an environment.
const (
	FileName  = "pulled.ndjson"
	StateName = "_pull.json"
)

// The defaults of a Config.
const (
	DefaultPageSize = 500
	// DefaultRate is in requests a second: below the limits of hosted systems, which are 7 to 10 for
	// each key, with room for others.
	DefaultRate = 5
	// DefaultMaxWait allows a restart of an origin, and is below the time limits of CI jobs.
	DefaultMaxWait = 5 * time.Minute
	// DefaultFullEvery bounds how long a change that shows in no index stays unseen.
	DefaultFullEvery = 10 * time.Minute
	// DefaultKeyHeader is the field that has the key, with the scheme Bearer.
	DefaultKeyHeader = httpfield.Authorization
)

// Config says what to mirror, and where. A zero value has its default, except URL, Env and Content, which are required.
type Config struct {
	URL     string // of the origin: the part before /cda/ of its addresses
	Env     string // the environment of the origin
	As      string // the environment of the content folder; "": Env
	Content string // the content folder, which is made if it is missing

	Statuses []string // keep only items with one of them; empty keeps all
	Media    bool     // fetch the media files that references name

	Key       string // sent with each request; may be ""
	KeyHeader string // the field that has the key as it is; "": DefaultKeyHeader with Bearer

	PageSize  int           // items a page, at most
	Rate      float64       // requests a second, at most
	MaxWait   time.Duration // for all retries of a run together
	FullEvery time.Duration // how often all items are read again
	Full      bool          // read all items
	DryRun    bool          // write nothing

	Removal removal.Limit // what a pull may remove of the mirror

	Progress func(Progress)    // called now and then; may be nil
	Client   http.RoundTripper // sends the requests; nil: an own one. Tests replace it
	Now      func() time.Time  // the time; nil takes the clock of the machine
}

// Progress is how far a pull is.
type Progress struct {
	Items, Total int   // of the current walk; Total is 0 while it is unknown
	Bytes        int64 // received, decoded
}

// Report describes a pull.
type Report struct {
	URL  string `json:"url"`
	Env  string `json:"env"`
	File string `json:"file"` // the mirror

	Items    int            `json:"items"` // of the mirror
	Bytes    int64          `json:"bytes"` // of the mirror
	Statuses map[string]int `json:"statuses"`
	LeftOut  map[string]int `json:"leftOut,omitempty"` // by Config.Statuses

	Added   int      `json:"added"`
	Changed int      `json:"changed"`
	Removed []string `json:"removed,omitempty"` // ids, in their order

	Media   int `json:"media,omitempty"`   // files that the mirror names, if it was written or all items were read
	Fetched int `json:"fetched,omitempty"` // by this pull

	Whole     bool  `json:"whole"`     // all items were read
	Proof     Proof `json:"proof"`     // of the items that the mirror has
	Unchanged bool  `json:"unchanged"` // the mirror was so already: its file was not written

	Release  string        `json:"release,omitempty"` // of the origin, if one answered everything
	Requests int           `json:"requests"`
	Received int64         `json:"received"` // bytes of responses, decoded
	Restarts int           `json:"restarts,omitempty"`
	Waited   time.Duration `json:"waited,omitempty"` // for retries, in nanoseconds

	Warnings []string `json:"warnings,omitempty"`
}

// Proof is why the items of a mirror belong to one moment.
type Proof string

// The proofs of a mirror.
const (
	OnePage  Proof = "one page"
	Pinned   Proof = "one release"
	Indexed  Proof = "equal indexes"
	TwoWalks Proof = "two equal walks"
)

// Run pulls once. After an error the mirror is the old one. Errors are a *UsageError, a *RefusedError,
// a *removal.Error, an *OriginError, a *LockedError, or the system's.
func Run(ctx context.Context, c Config) (*Report, error) {
	p, err := New(c)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return p.Run(ctx)
}
