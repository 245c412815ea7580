// This file writes the mapping as programs in ECMAScript 5.1, for hosts that run a program for each
// request. The programs are in script/; constants of the release precede them.

package hosts

import (
	_ "embed" // the programs
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
)

//go:embed script/core.js
var coreScript string

//go:embed script/cloudfront-request.js
var requestScript string

//go:embed script/cloudfront-response.js
var responseScript string

//go:embed script/worker.js
var workerScript string

//go:embed script/dressed.js
var dressedScript string

//go:embed script/linked.js
var linkedScript string

// maxFunction is CloudFront's limit on a function's bytes.
const maxFunction = 10 << 10

func cloudfront(s *site) ([]File, error) {
	head := "// " + s.Title() + "\n"
	request := head + cloudfrontSetup + s.constants("PATTERNS", "NAMES", "DATA", "KEYS", "FIELDS", "LISTS_DIR", "LIMITS", "DEFAULTS", "EDGE", "BODIES", "PREFLIGHT", "REFUSED", "NOT_FOUND", "PIN") + "\n" + withoutComments(coreScript+requestScript)
	response := head + s.constants("DATA", "FIXED", "CACHE", "ITEMS", "TOP", "MEDIA") + "\n" + responseScript
	for _, text := range []string{request, response} {
		if len(text) > maxFunction {
			return nil, fmt.Errorf("a CloudFront function may have %d bytes, this one would have %d: use a shorter URL of the edge server", maxFunction, len(text))
		}
	}
	return []File{{"cloudfront-request.js", []byte(request)}, {"cloudfront-response.js", []byte(response)}}, nil
}

// withoutComments leaves out the lines of a script that are comments: they count among the bytes of a function.
func withoutComments(script string) string {
	var b strings.Builder
	for line := range strings.Lines(script) {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// cloudfrontSetup says how CloudFront has to be configured, which a function cannot do.
const cloudfrontSetup = `// Runtime 2.0. Origin: a bucket with cda/, manifest.json and, of a signed release, current.json, its objects with
// Content-Type and Cache-Control. Of a store that generator publish --in-place writes, the origin path is /PREFIX/` + release.LiveDir + `. Compressed
// variants and snapshots may be there; no request leads to them. With an edge server: an origin group that falls
// back to it on 403 and 404 with the query string, a cache key with X-Release and the query string, and a behavior ` + address.SearchRoot + `* that leads to it for all
// methods, with the viewer's headers. X-Release does not count for lists by the names of their files, which the bucket has. Without an edge
// server: a custom error response for 403 and 404. This file is the viewer request's function, the other one the viewer response's.
`

// worker writes the module of a Worker, also for the advanced mode of Pages.
func worker(s *site) ([]File, error) {
	if s.search != nil {
		return searchWorker(s)
	}
	head := "// " + s.Title() + "\n// A Worker with static assets needs the binding ASSETS and run_worker_first, so that every request comes here;\n" +
		"// in a Pages project the file is at the top of the assets. The assets are cda/, manifest.json and, of a signed release, current.json.\n"
	text := head + s.constants("PATTERNS", "NAMES", "DATA", "KEYS", "FIELDS", "LISTS_DIR", "LIMITS", "DEFAULTS", "EDGE", "BODIES", "PREFLIGHT", "REFUSED", "NOT_FOUND", "DOWN", "FIXED", "CACHE", "ITEMS", "TOP", "MEDIA", "CONTENT_TYPE", "PIN") + "\n" + coreScript + "\n" + dressedScript + "\n" + linkedScript + "\n" + workerScript
	return []File{{"_worker.js", []byte(text)}}, nil
}

// constants declares what programs take from a release.
func (s *site) constants(names ...string) string {
	d := s.manifest.Defaults
	edge := ""
	if s.Edge != nil {
		edge = s.Edge.String()
	}
	typed := header{httpfield.ContentType, release.ContentType}
	values := map[string]any{
		"PATTERNS":     patterns(),
		"NAMES":        listNames,
		"DATA":         address.DataPrefix,
		"KEYS":         address.Filters,
		"FIELDS":       address.ScalarFields(),
		"LISTS_DIR":    address.ListsDir,
		"LIMITS":       map[string]int{"size": address.MaxSize, "token": address.MaxToken, "asked": release.MaxRequestHeaders},
		"ITEMS":        "^" + itemsPath,
		"TOP":          []string{"/" + release.ManifestName, "/" + release.PointerName},
		"MEDIA":        mediaConstants(),
		"DEFAULTS":     map[string]string{"size": strconv.Itoa(d.PageSize), "sort": d.Sort, "asc": strconv.FormatBool(d.Asc)},
		"EDGE":         edge,
		"BODIES":       map[string]string{"noFile": s.NoFile.Body, "method": s.Method.Body, "route": s.Route.Body, "down": s.Down.Body},
		"PREFLIGHT":    members(preflight("").Headers),
		"REFUSED":      members(s.Method.Headers, typed),
		"NOT_FOUND":    members(s.NoFile.Headers, typed),
		"DOWN":         members(s.Down.Headers, typed),
		"FIXED":        members(fixedHeaders()),
		"CONTENT_TYPE": release.ContentType,
		"PIN":          strings.ToLower(httpfield.Release),
		"CACHE":        s.Cache,
	}
	return declare(values, names)
}

// declare declares variables with values.
func declare(values map[string]any, names []string) string {
	var b strings.Builder
	for _, name := range names {
		text, err := json.Marshal(values[name])
		if err != nil {
			panic("hosts: texts cannot be written: " + err.Error())
		}
		fmt.Fprintf(&b, "var %s = %s;\n", name, text)
	}
	return b.String()
}

// mediaConstants are what programs know of media: the beginning of their paths, their fields, and their
// content types by extension.
func mediaConstants() map[string]any {
	types := map[string]string{}
	for _, e := range address.MediaExtensions() {
		types[e] = address.MediaType("." + e)
	}
	return map[string]any{"root": "^" + mediaRoot, "policy": release.MediaPolicy, "downloads": release.DownloadExtensions(), "download": release.MediaDownload, "types": types}
}

// patterns are the regular expressions that programs match whole paths and values with.
func patterns() map[string]string {
	return map[string]string{
		"item":   itemPath,
		"file":   filePath + `|` + mediaPath,
		"lists":  listsPath,
		"search": address.Search.Path(address.EnvPattern),
		"pinned": listsPath + "|" + itemPath + `(?:\.json)?`, // only the edge server knows whether it has the release of a header
		// unmapped are names of parameters of lists, part the queries of items, that only the edge server answers. A
		// single % is a query that cannot be read.
		"unmapped": unmapped(address.Contents),
		"part":     `%|(?:[^&]*&)*(?:` + unmappedSpelled(address.Item) + `)(?:[=&].*)?`,
		"page":     address.PagePattern,
		"size":     address.SizePattern,
	}
}

func members(headers []header, more ...header) map[string]string {
	out := map[string]string{}
	for _, h := range slices.Concat(headers, more) {
		out[h.Name] = h.Value
	}
	return out
}
