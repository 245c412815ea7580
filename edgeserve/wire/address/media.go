// This file names media: images, sounds, films and documents that items name. The address of a media file has a digest
// of its bytes, so its response never changes. The name after the digest is for people and for programs that look at
// extensions.

package address

import (
	"encoding/hex"
	"maps"
	"slices"
	"strings"
)

const (
	mediaRoot = Root + "media/"
	// mediaDigest is how many bytes of the SHA-256 are in an address: two files of one address cannot be found by
	// trying (2^64 attempts), and a follower needs only the address to verify a file.
	mediaDigest = 16
	// maxMediaStem keeps addresses short. Together with environment and digest a name stays far below the
	// 255 bytes of a path component and the 1,024 bytes of a key.
	maxMediaStem = 64
	// maxMediaName is the longest name without its extension: defaultStem and - may precede the stem.
	maxMediaName = maxMediaStem + len(defaultStem) + 1
	// defaultStem names files of whose name nothing is left.
	defaultStem = "file"
)

// mediaTypes are the extensions of media with their content types. A browser runs none as a page of the origin: no
// HTML, no XML except SVG, no script. No extension marks a precompressed file.
var mediaTypes = map[string]string{
	"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp", "avif": "image/avif",
	"svg": "image/svg+xml", "ico": "image/vnd.microsoft.icon",
	"pdf": "application/pdf", "zip": "application/zip",
	"mp3": "audio/mpeg", "m4a": "audio/mp4", "aac": "audio/aac", "ogg": "audio/ogg", "oga": "audio/ogg", "opus": "audio/ogg", "wav": "audio/wav", "flac": "audio/flac",
	"mp4": "video/mp4", "m4v": "video/mp4", "webm": "video/webm", "ogv": "video/ogg", "mov": "video/quicktime", "vtt": "text/vtt; charset=utf-8",
	"woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
}

// reservedStems are names that Windows keeps for devices, whatever the extension.
var reservedStems = []string{"con", "prn", "aux", "nul", "com0", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
	"lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9"}

// MediaExtensions are the extensions of media in byte order, without dots.
func MediaExtensions() []string { return slices.Sorted(maps.Keys(mediaTypes)) }

// MediaType is the content type of a file by the extension of its name, in whatever case. It is empty if the extension
// is not a media type.
func MediaType(name string) string {
	return mediaTypes[strings.ToLower(extensionOf(name))]
}

func extensionOf(name string) string {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return ""
	}
	return name[dot+1:]
}

// MediaFile is the path of a media file below the release's root, from the SHA-256 of its bytes and the name of its
// file in the content. Only the name's extension has to be a media type: the rest becomes lower-case letters, digits, -
// and _, so that names that differ only by case are one file everywhere.
func MediaFile(env string, sum [32]byte, name string) string {
	return mediaRoot[1:] + env + "/" + hex.EncodeToString(sum[:mediaDigest]) + "/" + mediaName(name)
}

// MediaDigest reports whether the path or address of a media file has the digest of a SHA-256.
func MediaDigest(file string, sum [32]byte) bool {
	parts := strings.Split(strings.TrimPrefix(file, "/"), "/")
	return len(parts) == 5 && parts[3] == hex.EncodeToString(sum[:mediaDigest])
}

// mediaName is the last component of MediaFile.
func mediaName(name string) string {
	extension := extensionOf(name)
	var stem []byte
	for _, c := range []byte(strings.ToLower(name[:len(name)-len(extension)])) {
		safe := isNameByte(c)
		if !safe {
			c = '-'
		}
		if n := len(stem); c == '-' && (n == 0 || stem[n-1] == '-') || n == 0 && c == '_' || n == maxMediaStem {
			continue
		}
		stem = append(stem, c)
	}
	text := strings.TrimRight(string(stem), "-_")
	switch {
	case text == "":
		text = defaultStem
	case slices.Contains(reservedStems, text):
		text = defaultStem + "-" + text
	}
	return text + "." + strings.ToLower(extension)
}

// MediaPath is the path of the file of a route to media, below the release's root.
func MediaPath(r Route) string { return mediaRoot[1:] + r.Env + "/" + r.ID }

// MediaTag is the strong entity tag of a route to media. It follows from the address, so that no node
// reads the file for it.
func MediaTag(r Route) string { return `"` + r.ID[:2*mediaDigest] + `"` }

// validMedia reports whether s is DIGEST/NAME of MediaFile.
func validMedia(s string) bool {
	digest, name, ok := strings.Cut(s, "/")
	if !ok || len(digest) != 2*mediaDigest || strings.Trim(digest, lowerHex) != "" {
		return false
	}
	stem, extension, ok := strings.Cut(name, ".")
	return ok && mediaTypes[extension] != "" && validName(stem, maxMediaName) && strings.ToLower(stem) == stem
}
