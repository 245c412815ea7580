// This file serves the files of the page. They are embedded in the binary, apart from interface.js.

package page

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"path"
	"strings"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/wire/httpfield"
)

//go:embed assets
var assets embed.FS

// mediaTypes are by extension. The system's table could differ.
var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".png":  "image/png",
	".ico":  "image/x-icon",
	".json": "application/json; charset=utf-8",
}

type file struct {
	body            []byte
	mediaType, etag string
}

func embedded() map[string]file {
	files := map[string]file{}
	err := fs.WalkDir(assets, "assets", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := assets.ReadFile(name)
		files[strings.TrimPrefix(name, "assets/")] = newFile(name, body)
		return err
	})
	if err != nil {
		panic(err) // they are part of the binary
	}
	files[interfaceName] = newFile(interfaceName, interfaceScript())
	return files
}

func newFile(name string, body []byte) file {
	sum := sha256.Sum256(body)
	return file{body, mediaTypes[path.Ext(name)], `"` + hex.EncodeToString(sum[:8]) + `"`}
}

// index sends the page. It is no-store: browsers may show again what they stored, without asking.
func (p *Page) index(r *request) *apiError { return p.sendFile(r, "index.html") }

func (p *Page) asset(r *request, name string) *apiError {
	r.Response.Header.Set(httpfield.CacheControl, "no-cache")
	return p.sendFile(r, name)
}

func (p *Page) liveScript(r *request) *apiError {
	r.Response.Header.Set(httpfield.CrossOriginResourcePolicy, "cross-origin")
	return p.sendFile(r, "live.js")
}

func (p *Page) sendFile(r *request, name string) *apiError {
	f, ok := p.files[name]
	if !ok {
		r.Response.Header.Set(httpfield.CacheControl, "no-store")
		return errAsset
	}
	r.Response.Header.Set(httpfield.ETag, f.etag)
	if string(r.Request.Header.Peek(httpfield.IfNoneMatch)) == f.etag {
		r.SetStatusCode(fasthttp.StatusNotModified)
		return nil
	}
	r.SetContentType(f.mediaType)
	r.Response.SetBodyRaw(f.body)
	return nil
}
