// This file finds URLs that name media files, for readers of texts and for who resolves them.

package documents

import (
	"net/url"
	"strings"

	"contentedge/edgeserve/wire/address"
)

// MediaQuestion is the kind of Question that asks where a URL leads. Its key is the URL.
const MediaQuestion = "media"

// AskMedia resolves a URL for a Reader. It returns false if the URL leads to no media file: it stays as it
// is. The Reader names it to Receiver.Media, which reports why.
func AskMedia(in Input, reference string) (target string, ok bool) {
	target = in.Ask(Question{Kind: MediaQuestion, Env: in.Env, Path: in.Path, Key: reference})
	return target, strings.HasPrefix(target, "/")
}

// NamesMedia reports whether a URL of a text names a media file: it is relative, to the file or to the root of the site, and
// has an extension of media. A link without such an extension leads to another page.
func NamesMedia(reference string) bool {
	return (RelativeURL(reference) || RootedURL(reference)) && HasMediaExtension(reference)
}

// RootedURL reports whether a URL is relative to the root of the site: its file may be on the site instead of in the content.
func RootedURL(reference string) bool {
	return strings.HasPrefix(reference, "/") && !strings.HasPrefix(reference, "//")
}

// RelativeURL reports whether a URL is relative to the file that holds it: it has neither scheme nor host,
// and its path is neither absolute nor empty.
func RelativeURL(reference string) bool {
	end := strings.IndexAny(reference, "/?#")
	if end < 0 {
		end = len(reference)
	}
	return end > 0 && !strings.Contains(reference[:end], ":") || strings.HasPrefix(reference, "./") || strings.HasPrefix(reference, "../")
}

// HasMediaExtension reports whether the path of a URL has an extension of media.
func HasMediaExtension(reference string) bool {
	name, _ := SplitURL(reference)
	return address.MediaType(name) != ""
}

// SplitURL cuts a URL into its path, decoded, and its fragment with "#". The address of a media file has
// no query: its digest already tells versions apart.
func SplitURL(reference string) (name, fragment string) {
	name, fragment, found := strings.Cut(reference, "#")
	if found {
		fragment = "#" + fragment
	}
	name, _, _ = strings.Cut(name, "?")
	if decoded, err := url.PathUnescape(name); err == nil {
		name = decoded
	}
	return name, fragment
}
