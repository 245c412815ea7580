// Package bom writes a software bill of materials as CycloneDX 1.6, from what the programs themselves
// say that they link. Serial number and time depend only on the source.
package bom

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"packaging/licences"
)

// Subject is the program that the bill is about.
type Subject struct {
	Name, Version, Revision string
	Time                    time.Time
	Binaries                []Binary
	Modules                 []licences.Module
	Requires                map[string][]string // by the path of a module: the paths of the modules that it requires
}

// Binary is a program for one platform, as the archives and packages hold it.
type Binary struct {
	Platform string // for example linux/amd64
	SHA256   string
	Modules  []licences.Module
}

type document struct {
	Schema       string       `json:"$schema"`
	Format       string       `json:"bomFormat"`
	Spec         string       `json:"specVersion"`
	Serial       string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string     `json:"timestamp"`
	Component component  `json:"component"`
	Props     []property `json:"properties,omitempty"`
}

type component struct {
	Ref        string      `json:"bom-ref"`
	Type       string      `json:"type"`
	Name       string      `json:"name"`
	Version    string      `json:"version,omitempty"`
	Scope      string      `json:"scope,omitempty"`
	Hashes     []hash      `json:"hashes,omitempty"`
	Licences   []licence   `json:"licenses,omitempty"`
	PURL       string      `json:"purl,omitempty"`
	Components []component `json:"components,omitempty"`
	Props      []property  `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type licence struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn,omitempty"`
}

// Write returns the bill.
func Write(s Subject) ([]byte, error) {
	doc := document{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", Spec: "1.6", Version: 1,
		Metadata: metadata{Timestamp: s.Time.UTC().Format(time.RFC3339), Component: s.component()},
	}
	if s.Revision != "" {
		doc.Metadata.Props = []property{{"contentedge:revision", s.Revision}}
	}
	for _, m := range s.Modules {
		c, err := s.moduleComponent(m)
		if err != nil {
			return nil, err
		}
		doc.Components = append(doc.Components, c)
	}
	doc.Dependencies = s.dependencies()
	text, err := encode(doc)
	if err != nil {
		return nil, err
	}
	doc.Serial = serial(text)
	return encode(doc)
}

func encode(doc document) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(doc)
	return b.Bytes(), err
}

// serial is a UUID of version 8, whose bits come from the rest of the bill.
func serial(text []byte) string {
	sum := sha256.Sum256(text)
	sum[6] = sum[6]&0x0f | 0x80
	sum[8] = sum[8]&0x3f | 0x80
	h := hex.EncodeToString(sum[:16])
	return "urn:uuid:" + strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

func (s Subject) component() component {
	c := component{Ref: s.ref(), Type: "application", Name: s.Name, Version: s.Version, PURL: s.ref()}
	for _, b := range s.Binaries {
		c.Components = append(c.Components, component{
			Ref: s.Name + "/" + b.Platform, Type: "file", Name: s.Name + " for " + b.Platform,
			Hashes: []hash{{"SHA-256", b.SHA256}},
		})
	}
	return c
}

func (s Subject) ref() string { return "pkg:generic/contentedge/" + s.Name + "@" + s.Version }

func (s Subject) moduleComponent(m licences.Module) (component, error) {
	c := component{Ref: purl(m), Type: "library", Name: m.Path, Version: m.Version, Scope: "required", PURL: purl(m)}
	for _, id := range m.IDs {
		var l licence
		l.License.ID = id
		c.Licences = append(c.Licences, l)
	}
	if m.Sum != "" {
		sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
		if err != nil || len(sum) != sha256.Size {
			return c, fmt.Errorf("%s: %q is not a sum of a module", m.Path, m.Sum)
		}
		c.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum)}}
	}
	if linked := s.platforms(m); len(linked) < len(s.Binaries) {
		c.Props = []property{{"contentedge:platforms", strings.Join(linked, " ")}}
	}
	return c, nil
}

// platforms are those whose binary links a module.
func (s Subject) platforms(m licences.Module) (all []string) {
	for _, b := range s.Binaries {
		if slices.ContainsFunc(b.Modules, func(o licences.Module) bool { return o.Path == m.Path }) {
			all = append(all, b.Platform)
		}
	}
	return all
}

func purl(m licences.Module) string {
	if m.Path == licences.Standard {
		return "pkg:golang/std@" + m.Version // as cyclonedx-gomod writes it
	}
	return "pkg:golang/" + m.Path + "@" + m.Version
}

// dependencies is the graph of requirements among the linked modules. Every module uses the standard
// library.
func (s Subject) dependencies() []dependency {
	refs := map[string]string{}
	for _, m := range s.Modules {
		refs[m.Path] = purl(m)
	}
	node := func(ref string, paths []string) dependency {
		d := dependency{Ref: ref}
		for _, p := range paths {
			if to := refs[p]; to != "" && to != ref && !slices.Contains(d.On, to) {
				d.On = append(d.On, to)
			}
		}
		if std := refs[licences.Standard]; std != "" && ref != std {
			d.On = append(d.On, std)
		}
		slices.Sort(d.On)
		return d
	}
	all := []dependency{node(s.ref(), s.Requires[""])}
	for _, m := range s.Modules {
		all = append(all, node(purl(m), s.Requires[m.Path]))
	}
	return all
}
