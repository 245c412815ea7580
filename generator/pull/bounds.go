// This file has the limits of what a pull takes from an origin.

package pull

import (
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/transfer"
)

const (
	// maxResponse bounds a decoded response in bytes: it is held in memory. The largest list of an
	// edge server is smaller.
	maxResponse = 256 << 20
	// chunkSize is the piece of memory in which responses are read, in bytes.
	chunkSize = 1 << 20
	// stall is how long an origin may send nothing.
	stall = transfer.DefaultStall
	// responseTime bounds a response as a whole, for origins that send a byte now and then.
	responseTime = 2 * time.Minute
	// fileTime bounds a media file as a whole: 1 GiB at 600 KiB a second.
	fileTime = 30 * time.Minute
	// connectTime bounds the search for an address and the connection, and the TLS handshake.
	connectTime = 10 * time.Second
	// maxHead bounds the header of a response in bytes.
	maxHead = 64 << 10
	// attempts is how often a request that fails temporarily is sent. All pauses together are about 20 s,
	// unless the origin asks for longer ones.
	attempts = 8
	// maxRate allows a pause of a millisecond, far below what a single connection can do.
	maxRate = 1000
	// maxRestarts is how often a walk begins again that another state of the origin came into.
	maxRestarts = 3
	// maxItems bounds the memory: a pull takes up to 900 bytes for each item, with its check.
	maxItems = 5_000_000
	// maxPage is how many items a page may have: origins that know no pages send all they have. A page is
	// held in memory, with some 100 bytes for each item.
	maxPage = 100_000
	// maxIndex is how many items an index can have: no search returns more hits.
	maxIndex = address.MaxSize
	// maxChanged is how many items are requested one by one. More come faster by a whole walk.
	maxChanged = 50
	// excerpt is how many bytes of a wrong response an error quotes.
	excerpt = 80
	// maxExcerpt is how many bytes of a wrong response are read.
	maxExcerpt = 4 << 10
	// maxAge is the age of a response above which a cache is not fresh enough to go unmentioned.
	maxAge = time.Minute
	// maxFaults is how many wrong items an error lists.
	maxFaults = 20
)
