// This file writes the programs that answer searches without an edge server: of browsers, and of workers with the
// module. They are in script/search/. Programs of pages import each other by names with digests, so that a page never
// mixes two versions.

package hosts

import (
	"embed"
	"errors"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/generator/hosts/searchfiles"
)

//go:embed script/search
var searchScripts embed.FS

// Search has the files with which hosts answer searches.
type Search struct {
	Module searchfiles.File // the parts of contentedge.wasm, for browsers
	Wasm   []byte           // contentedge.wasm, for workers
	Script []byte           // contentedge.mjs
}

// The programs by their names in script/search and in what is written. contentedge.mjs comes with the module.
const (
	moduleScript        = "contentedge.mjs"
	engineScript        = "engine.mjs"
	browserScript       = "browser.mjs"
	threadScript        = "thread.mjs"
	pageScript          = "search.mjs"
	pageTypes           = "search.d.mts"
	serviceWorkerScript = "service-worker.mjs"
	cloudflareScript    = "cloudflare.mjs"
)

// serviceWorkerName is the service worker's name, at the root of the site because that bounds what it answers.
const serviceWorkerName = "contentedge-sw.js"

func searchScript(name string) string {
	b, err := searchScripts.ReadFile("script/search/" + name)
	if err != nil {
		panic("hosts: " + err.Error()) // our program is not embedded
	}
	return string(b)
}

// static writes the programs of browsers.
func static(s *site) ([]File, error) {
	if s.search == nil {
		return nil, errors.New("a CDN serves the files of a release without a configuration: use --search, which adds searches in the browser")
	}
	var files []File
	names := map[string]string{}
	immutable := func(name, text string) {
		hashed := searchfiles.HashedName(strings.TrimSuffix(name, ".mjs"), []byte(text), ".mjs")
		names[name] = hashed
		files = append(files, File{searchfiles.Immutable + "/" + hashed, []byte(text)})
	}
	immutable(moduleScript, string(s.search.Script))
	immutable(engineScript, imports(searchScript(engineScript), "./", names))
	immutable(browserScript, s.searchConstants("MODULE")+imports(searchScript(browserScript), "./", names))
	immutable(threadScript, imports(searchScript(threadScript), "./", names))
	s.programs = names
	page := s.searchConstants("THREAD") + searchScript(pageScript)
	worker := imports(searchScript(serviceWorkerScript), "./contentedge/immutable/", names)
	worker = "// " + s.Title() + "\n" + s.constants("PATTERNS", "NAMES", "DATA", "KEYS", "FIELDS", "LISTS_DIR", "LIMITS", "DEFAULTS", "BODIES", "PREFLIGHT", "DOWN", "PIN", "MEDIA") +
		s.searchConstants("ROOT", "PROGRAMS") + "\n" + coreScript + "\n" + linkedScript + "\n" + worker
	return append(files,
		File{searchfiles.Dir + "/" + pageScript, []byte(page)},
		File{searchfiles.Dir + "/" + pageTypes, []byte(searchScript(pageTypes))},
		File{serviceWorkerName, []byte(worker)}), nil
}

// searchWorker writes a worker of Cloudflare that answers everything without a file by the module.
func searchWorker(s *site) ([]File, error) {
	if s.Edge != nil {
		return nil, errors.New("--search answers without an edge server: leave out --edge or --search")
	}
	text := "// " + s.Title() + "\n" + searchWorkerSetup +
		s.constants("PATTERNS", "NAMES", "DATA", "KEYS", "FIELDS", "LISTS_DIR", "LIMITS", "DEFAULTS", "BODIES", "PREFLIGHT", "DOWN", "FIXED", "CONTENT_TYPE", "PIN", "CACHE", "ITEMS", "TOP", "MEDIA") +
		"\n" + coreScript + "\n" + dressedScript + "\n" + linkedScript + "\n" + searchScript(cloudflareScript)
	return []File{
		{"_worker.js", []byte(text)},
		{engineScript, []byte(searchScript(engineScript))},
		{moduleScript, s.search.Script},
		{"contentedge.wasm", s.search.Wasm},
	}, nil
}

// searchWorkerSetup says how a worker with the module is deployed.
const searchWorkerSetup = `// A Worker with static assets needs the binding ASSETS and run_worker_first, so that every request comes here. The
// assets are cda/ and manifest.json of the release, of a signed release also current.json, and contentedge/, or a bucket
// with contentedge/ has the binding CONTENTEDGE. A paid plan is needed: the first request of an instance takes more than
// the 10 ms of processor time that others have.
`

// imports replaces the names of imported programs by names with digests.
func imports(text, dir string, names map[string]string) string {
	for name, hashed := range names {
		text = strings.ReplaceAll(text, "from '"+dir+name+"'", "from '"+dir+hashed+"'")
	}
	return text
}

// searchConstants declares what programs of searches take from the release and from the module.
func (s *site) searchConstants(names ...string) string {
	programs := make([]string, 0, len(s.programs))
	for _, name := range []string{moduleScript, engineScript, browserScript, threadScript} {
		programs = append(programs, s.programs[name])
	}
	return declare(map[string]any{
		"ROOT":     address.Root,
		"MODULE":   s.search.Module,
		"THREAD":   "./immutable/" + s.programs[threadScript],
		"PROGRAMS": programs,
	}, names)
}
