// This file mirrors media. An origin's items name its media files by addresses without a host, which do not work in a
// mirror: they become addresses of the origin, or paths of files next to the mirror.

package pull

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/output"

	"github.com/goccy/go-json/jsontext"
)

// MediaDir is the folder, next to the mirror, of the media files that the mirror names: DIGEST/NAME as in their
// addresses. Only pulls write there.
const MediaDir = "pulled-media"

// localPrefix begins the URLs of files in MediaDir. Builds find files by such URLs in references.
const localPrefix = "./" + MediaDir + "/"

// mediaName is DIGEST/NAME at the beginning of a text, and some texts that are not.
var mediaName = regexp.MustCompile(`^[0-9a-f]+/[0-9a-z_-]+\.[0-9a-z]+`)

// mediaAddress returns the form of addresses of an environment in JSON, where each slash may be escaped, and of some
// other texts.
func mediaAddress(env string) *regexp.Regexp {
	prefix := strings.ReplaceAll(regexp.QuoteMeta(address.Media.Path(env, "")), "/", `\\?/`)
	return regexp.MustCompile(prefix + `[0-9a-f]+\\?/[0-9a-z_-]+\.[0-9a-z]+`)
}

// beforeURLs are bytes after which an address is a part of a longer URL, or of an escape.
const beforeURLs = `abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~%:@!$&*+;/\`

// line returns an item as a line of the mirror.
func (s *settings) line(it *item) []byte {
	line := it.line()
	references := mediaURLs(line)
	if confined, changed := s.confined(line, references); changed {
		line, references = confined, mediaURLs(confined)
	}
	if !bytes.Contains(line, []byte("/media")) {
		return line
	}
	return s.mirrored(line, references)
}

// mirrored writes addresses of media files as they are in a mirror. references are the URLs of references by their offsets.
func (s *settings) mirrored(line []byte, references map[int]bool) []byte {
	found := s.addresses.FindAllIndex(line, -1)
	if len(found) == 0 {
		return line
	}
	var out []byte
	at := 0
	for _, f := range found {
		path := string(bytes.ReplaceAll(line[f[0]:f[1]], []byte(`\`), nil))
		if strings.IndexByte(beforeURLs, line[f[0]-1]) >= 0 || !isMedia(path) {
			continue
		}
		out = append(out, line[at:f[0]]...)
		at = f[1]
		if s.Media && references[f[0]-1] {
			out = append(out, localPrefix+strings.TrimPrefix(path, address.Media.Path(s.Env, ""))...)
		} else {
			out = append(out, s.URL+path...)
		}
	}
	return append(out, line[at:]...)
}

// confined makes relative URLs of references absolute, unless they name files that a pull fetches: an origin must not
// publish other files of the content folder. references are the URLs of references by their offsets.
func (s *settings) confined(line []byte, references map[int]bool) (out []byte, changed bool) {
	at := 0
	for _, begin := range slices.Sorted(maps.Keys(references)) {
		url := string(jsoncursor.StringAt(line, begin))
		name, local := strings.CutPrefix(url, localPrefix)
		if !strings.HasPrefix(url, "./") && !strings.HasPrefix(url, "../") || local && s.Media && isMedia(address.Media.Path(s.Env, name)) {
			continue
		}
		quoted, err := jsontext.AppendQuote(nil, s.URL+path.Join("/", url))
		if err != nil {
			continue // the URL is not UTF-8, which no build reads
		}
		out = append(append(out, line[at:begin]...), quoted...)
		at = jsoncursor.ScalarEnd(line, begin)
	}
	return append(out, line[at:]...), at > 0
}

func isMedia(path string) bool {
	route, ok := address.ParsePath(path)
	return ok && route.Kind == address.Media
}

// mediaURLs finds the URLs of the references to media in the Data of an item, by the offset of their
// quotes. Only these lead builds to files.
func mediaURLs(line []byte) map[int]bool {
	found := map[int]bool{}
	var value func(at int) int
	value = func(at int) int {
		if line[at] != '{' && line[at] != '[' {
			return jsoncursor.ScalarEnd(line, at)
		}
		isReference, isMedia, url := false, false, -1
		end := jsoncursor.Children(line, at, func(name []byte, at int) int {
			end := value(at)
			switch {
			case jsoncursor.Spells(name, "Type"):
				isReference = jsoncursor.Spells(line[at:end], "Reference")
			case jsoncursor.Spells(name, "ReferenceType"):
				isMedia = jsoncursor.Spells(line[at:end], "Media")
			case jsoncursor.Spells(name, "MediaUrl") && line[at] == '"':
				url = at
			}
			return end
		})
		if isReference && isMedia && url >= 0 {
			found[url] = true
		}
		return end
	}
	jsoncursor.Children(line, 0, func(name []byte, at int) int {
		if jsoncursor.Spells(name, address.FieldData) {
			return value(at)
		}
		return jsoncursor.ValueEnd(line, at)
	})
	return found
}

// noteMedia adds the files that a line of the mirror names.
func (s *settings) noteMedia(line []byte, names map[string]bool) {
	for s.Media {
		at := bytes.Index(line, []byte(`"`+localPrefix))
		if at < 0 {
			return
		}
		line = line[at+1+len(localPrefix):]
		if name := string(mediaName.Find(line)); isMedia(address.Media.Path(s.Env, name)) {
			names[name] = true
		}
	}
}

// fetchMedia fetches the files that are not there.
func (p *Puller) fetchMedia(ctx context.Context, names map[string]bool) error {
	p.report.Media = len(names)
	var missing []string
	for i, name := range slices.Sorted(maps.Keys(names)) {
		path := filepath.Join(p.set.dir, MediaDir, filepath.FromSlash(name))
		if p.hasMedia(path, name) {
			continue
		}
		p.report.Fetched++
		if p.set.DryRun {
			continue
		}
		switch err := p.fetchOne(ctx, name, path); {
		case statusOf(err) == http.StatusNotFound:
			missing = append(missing, name)
		case err != nil:
			return err
		}
		p.progress(i+1, len(names))
	}
	if p.report.Fetched -= len(missing); len(missing) > 0 {
		p.warn("the origin lacks %s that its items name, the first is %s: a build reports the items", count(len(missing), "media file"), missing[0])
	}
	return nil
}

// hasMedia reports whether a file exists. A pull of everything reads it too.
func (p *Puller) hasMedia(path, name string) bool {
	if !p.set.Full {
		info, err := os.Lstat(path)
		return err == nil && info.Mode().IsRegular()
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, f)
	return err == nil && address.MediaDigest(address.Media.Path(p.set.Env, name), [sha256.Size]byte(hash.Sum(nil)))
}

// fetchOne fetches a file. Its address says what its bytes are.
func (p *Puller) fetchOne(ctx context.Context, name, path string) error {
	at := address.Media.Path(p.set.Env, name)
	temp, err := os.OpenFile(filepath.Join(p.set.dir, tempPrefix+"media"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	sum, err := p.origin.download(ctx, request{path: at}, temp)
	if err == nil && !address.MediaDigest(at, sum) {
		err = &OriginError{Address: p.set.URL + at, Message: "the file has other bytes than its address says", Hint: "a proxy before the origin may change images"}
	}
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return errors.Join(os.Rename(temp.Name(), path), output.Sync(filepath.Dir(path)))
}

// sweepMedia removes the files that the mirror does not name.
func (p *Puller) sweepMedia(names map[string]bool) error {
	dir := filepath.Join(p.set.dir, MediaDir)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if name = filepath.ToSlash(name); err != nil || names[name] || !isMedia(address.Media.Path(p.set.Env, name)) {
			return err
		}
		return errors.Join(os.Remove(path), removeEmpty(filepath.Dir(path)))
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, removeEmpty(dir))
}

// removeEmpty removes a folder in which nothing is left.
func removeEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 0 {
		return err
	}
	return os.Remove(dir)
}
