// This file holds what requests share: the release with its cache, and the server's resources.

package delivery

import (
	"errors"
	"log/slog"
	"slices"
	"sync"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/serve/admission"
	"contentedge/edgeserve/serve/bodies"
	"contentedge/edgeserve/serve/generation"
	"contentedge/edgeserve/serve/ratelimit"
	"contentedge/edgeserve/serve/respcache"
	"contentedge/edgeserve/serve/slowlog"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
)

// Resources holds what all requests of a server share, whichever release answers them.
type Resources struct {
	Memory    *bodies.Budget // the memory of large responses that are being sent
	Searches  *admission.Controller
	Limits    *ratelimit.Limiter // of clients; nil means no limits
	BodyLimit int                // limits a decompressed search body, in bytes
	// StrictParameters refuses all unknown parameters of lists and searches.
	StrictParameters bool
	// ListEnvironments lets the document of OpenAPI name environments, templates and fields.
	ListEnvironments bool
	// FetchMedia opens media that the release's directory lacks; nil if they are nowhere else.
	FetchMedia func(name string) (bodies.File, int64, error)
	// SlowSearches is how many of the slowest searches of a release are remembered.
	SlowSearches int
	Counters     *Counters
	Log          *slog.Logger
}

// Served is a release that answers requests, with the cache of responses. The release after it takes the cache over,
// with the responses of what did not change.
type Served struct {
	Generation *generation.Generation
	Cache      *respcache.Cache
	// ReleaseLine is the header line that names the release. Cached responses have none.
	ReleaseLine []byte
	Slow        *slowlog.Log // the slowest searches of the release; nil means that they are not remembered

	content   *answer.Release
	absent    [contentcoding.Count]bool // codings that no file of the release has
	count     func(kind string)         // counts an evaluated search
	fields    *respond.ContentFields
	resources *Resources

	groups map[string]*respcache.Group // by environment
	whole  *respcache.Group            // of responses that depend on the whole release, or on its files

	// Each logs the first file of its kind.
	missing, unreadable sync.Once
}

// NewServed returns a generation with an empty cache. It takes over the caller's reference to the generation.
func NewServed(g *generation.Generation, cacheBytes int64, common *respond.Fields, resources *Resources) *Served {
	content := g.Content
	if content == nil {
		content = answer.FromSnapshots(g.Dir.Manifest, g.Dir.Readers)
	}
	content.StrictParameters, content.ListEnvironments = resources.StrictParameters, resources.ListEnvironments
	v := &Served{
		Generation: g, Cache: respcache.New(cacheBytes), Slow: slowlog.New(resources.SlowSearches), content: content, count: resources.Counters.Searches.Inc,
		fields: common.ForContent(), resources: resources, groups: make(map[string]*respcache.Group, len(g.Dir.Readers)), whole: respcache.NewGroup(),
	}
	for env := range g.Dir.Readers {
		v.groups[env] = respcache.NewGroup()
	}
	var line httpfield.Lines
	httpfield.New(httpfield.Release, g.Dir.Build()).Set(&line)
	v.ReleaseLine = line
	for _, coding := range contentcoding.Codings {
		v.absent[coding] = coding != contentcoding.Identity && !slices.ContainsFunc(g.Dir.Manifest.Compression, func(c release.Compression) bool { return c.Coding == coding.String() })
	}
	return v
}

// isFar reports whether other machines evaluate.
func (v *Served) isFar() bool { return v.content != nil && v.content.HasFile != nil }

// Retire ends new uses of a release: it drops its responses from the cache, and the server's reference.
func (v *Served) Retire() {
	v.Cache.End(v.allGroups()...)
	v.Generation.Release()
}

// reportMissing counts a missing file of a release that came with files. It logs the first one.
func (v *Served) reportMissing(name string) {
	if v.Generation.Dir.SnapshotOnly {
		return
	}
	v.resources.Counters.Missing.Inc()
	instead := "its snapshot answers instead"
	if v.isFar() {
		instead = "the cluster answers instead"
	}
	v.missing.Do(func() {
		if errors.Is(v.Generation.Dir.CheckCurrent(), releasedir.ErrRemoved) {
			v.resources.Log.Warn("the release was removed, and one of its files is missing; "+instead, "file", name)
			return
		}
		v.resources.Log.Warn("a file of the release is missing; "+instead, "file", name)
	})
}

func (v *Served) reportUnreadable(err error) {
	v.resources.Counters.Unreadable.Inc()
	v.unreadable.Do(func() {
		v.resources.Log.Error("a file of the release is unreadable; where another form of it or a snapshot has its content, that answers instead", "error", err)
	})
}
