// This file has the header fields of media, in addition to the fields of their class. No browser runs a media file as a
// page of our origin.

package release

import (
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
)

const (
	// MediaPolicy lets an SVG show itself with its own styles. It runs no scripts and loads nothing: an
	// author may have taken the file from anywhere.
	MediaPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
	// MediaDownload lets browsers save a file.
	MediaDownload = "attachment"
)

// downloads are the types that browsers save instead of showing them. Browsers refuse to show a PDF that
// is sandboxed.
var downloads = []string{"application/pdf", "application/zip"}

// DownloadExtensions are the extensions of media that browsers save, in byte order.
func DownloadExtensions() (extensions []string) {
	for _, e := range address.MediaExtensions() {
		if slices.Contains(downloads, address.MediaType("."+e)) {
			extensions = append(extensions, e)
		}
	}
	return extensions
}

// MediaFields are the fields of a media file that depend only on the extension of its name, in addition to
// Content-Type.
func MediaFields(name string) []httpfield.Field {
	fields := []httpfield.Field{httpfield.New(httpfield.ContentSecurityPolicy, MediaPolicy)}
	if slices.Contains(DownloadExtensions(), name[strings.LastIndexByte(name, '.')+1:]) {
		fields = append(fields, httpfield.New(httpfield.ContentDisposition, MediaDownload))
	}
	return fields
}

// MediaListDir is the directory, in a store, of the lists of media of environments. A release on a disk has these
// lines in its list of checksums.
const MediaListDir = "media-lists"

const mediaListSuffix = ".sha256"

// maxMediaLine limits a line of a list of media, in bytes: a digest and the path of a media file.
const maxMediaLine = 2 << 10

// MediaList is the list of the media of an environment: its lines of the list of checksums.
type MediaList struct {
	Name     string // below the prefix of a store; it depends on the content
	SHA256   string
	MaxBytes int64
}

// MediaList returns the list of an environment's media; false if it has none, or an older version built the release.
func (e *Environment) MediaList() (MediaList, bool) {
	m := &e.Media
	if m.SHA256 == "" {
		return MediaList{}, false
	}
	name := MediaListDir + "/" + e.ID + "-" + m.SHA256[:2*shortDigest] + mediaListSuffix
	return MediaList{name, m.SHA256, int64(m.Files) * maxMediaLine}, true
}
