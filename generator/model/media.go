// This file resolves the media that items name: references in Data, and images and links of texts that a
// format reads. A reference that leads to a file gets the file's address, and members about it.

package model

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/mapping"
	"contentedge/generator/source/documents"
	"contentedge/generator/source/media"

	"github.com/goccy/go-json/jsontext"
)

// The members of a reference that the file fills in, unless the reference has them.
const (
	memberType   = "ContentType"
	memberSize   = "Size"
	memberWidth  = "Width"
	memberHeight = "Height"
)

var mediaMembers = [...]string{memberType, memberSize, memberWidth, memberHeight}

var damagedImage = &documents.Kind{
	One: "the head of the image %s is damaged, so its reference has no Width and Height", Many: "the heads of %d images are damaged, so their references have no Width and Height",
	Hint: "open the image and save it again",
}

// named is a media file that an item names, or a broken link of its text.
type named struct {
	file  *media.File
	at    int64        // offset of the URL in its part, then in its file
	url   string       // if the file is missing
	fault *media.Fault // why the file is missing; nil for a link
	link  bool
	item  string // the id of the item that a link leads to, or ""
}

// Link takes a broken link of the text of the next document.
func (p *parser) Link(at int, url string, to documents.Target) {
	p.media = append(p.media, named{at: int64(at), url: url, link: true, item: to.ID})
}

// Media resolves a URL that the next document names at an offset. A format asks for the address earlier,
// by documents.AskMedia.
func (p *parser) Media(at int, url string) {
	if p.opts.Media != nil {
		p.resolve(at, url)
	}
}

// resolve finds the file of a URL. The item and the cached text depend on it.
func (p *parser) resolve(at int, url string) (f *media.File, target string) {
	path := p.file.Path[len(p.file.Env)+1:]
	p.answers.ask(documents.Question{Kind: documents.MediaQuestion, Env: p.file.Env, Path: path, Key: url})
	f, target, err := p.opts.Media.Resolve(p.ctx, p.file.Env, p.file.Path, url)
	n := named{file: f, at: int64(at)}
	switch {
	case errors.As(err, &n.fault):
		n.url = url
	case err != nil:
		p.err = cmp.Or(p.err, err)
		return nil, ""
	case f.Damaged:
		p.Repeat(at, damagedImage, f.Path)
	}
	p.media = append(p.media, n)
	return f, target
}

// mediaRef is a reference to a media file in the text of an item.
type mediaRef struct {
	at     int // offset of the reference
	end    int // of its closing bracket
	url    int // offset of its MediaUrl
	urlEnd int
	has    [len(mediaMembers)]bool // members that it has
}

// relative reports whether the URL at an offset names a file relative to the item.
func relative(text []byte, at, end int) bool {
	if end-at < 4 || text[at] != '"' || text[at+1] != '.' && text[at+1] != '\\' {
		return false
	}
	url := string(jsoncursor.Unquote(text[at:end]))
	return strings.HasPrefix(url, "./") || strings.HasPrefix(url, "../")
}

// edit replaces a piece of a text.
type edit struct {
	at, end int
	text    []byte
}

// fillIn returns an item's Data with the addresses of the files that its references lead to, and with facts about these
// files. begin is the offset of data.
func (p *parser) fillIn(data []byte, begin int, refs []mediaRef) []byte {
	var edits []edit
	for i := range refs {
		ref := &refs[i]
		f, target := p.resolve(ref.url, string(jsoncursor.StringAt(p.text, ref.url)))
		if f == nil {
			continue
		}
		quoted, err := jsontext.AppendQuote(nil, target)
		if err != nil { // the fragment is no UTF-8, which no valid text has
			continue
		}
		added := appendAbout(nil, f, ref)
		edits = append(edits, edit{ref.url - begin, ref.urlEnd - begin, quoted}, edit{ref.end - begin, ref.end - begin, added})
		if len(added) > 0 {
			p.added = append(p.added, mapping.Added{At: ref.at, Members: slices.Concat([]byte("{"), added[1:], []byte("}"))})
		}
	}
	if len(edits) == 0 {
		return data
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.at, b.at) })
	out, at := p.edited[:0], 0
	for _, e := range edits {
		out = append(append(out, data[at:e.at]...), e.text...)
		at = e.end
	}
	p.edited = append(out, data[at:]...)
	return p.edited
}

// appendAbout appends the members about a file that a reference lacks, each after a comma.
func appendAbout(b []byte, f *media.File, ref *mediaRef) []byte {
	values := [...]string{strconv.Quote(f.Type), strconv.FormatInt(f.Size, 10), strconv.Itoa(f.Width), strconv.Itoa(f.Height)}
	for i, name := range mediaMembers {
		if !ref.has[i] && values[i] != "0" {
			b = fmt.Appendf(b, ",%q:%s", name, values[i])
		}
	}
	return b
}

// namedFiles returns the paths of the media files that items of an environment name, delivered or not.
func (l *loader) namedFiles(env string) (paths []string) {
	if env == "" {
		return nil
	}
	for i := range l.results {
		if l.files[i].Env != env {
			continue
		}
		for _, n := range l.results[i].media {
			if n.file != nil {
				paths = append(paths, n.file.Path)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// media collects the files that the delivered items of each environment name, by address.
func (l *loader) media(site *Site) {
	for i := range l.results {
		from := &l.results[i]
		env := site.env(l.files[i].Env)
		if env == nil || len(from.media) == 0 {
			continue
		}
		next := 0
		for j := int(from.first); j < int(from.first+from.count); j++ {
			list := from.media[next : next+int(env.Items[j].media)]
			next += len(list)
			if !l.delivers(&env.Items[j]) {
				continue
			}
			for _, n := range list {
				if n.file != nil {
					env.Media = append(env.Media, n.file)
				}
			}
		}
	}
	for i := range site.Envs {
		env := &site.Envs[i]
		slices.SortFunc(env.Media, func(a, b *media.File) int {
			return cmp.Or(strings.Compare(a.Address, b.Address), strings.Compare(a.Path, b.Path))
		})
		env.Media = slices.CompactFunc(env.Media, func(a, b *media.File) bool { return a.Address == b.Address })
	}
}
