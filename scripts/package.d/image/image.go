// Package image writes container images as an OCI image layout in one tar file: an image index with
// an image of one layer for each platform. It follows version 1.1 of the image specification.
package image

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"packaging/tree"
)

// Media types of the specification.
const (
	typeIndex    = "application/vnd.oci.image.index.v1+json"
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// Image is what all platforms of an image have in common.
type Image struct {
	Name    string // for example contentedge/edgeserve
	Tag     string
	Created time.Time
	Labels  map[string]string
	Config  Config
}

// Config says how a container runs.
type Config struct {
	User         string              `json:",omitempty"`
	ExposedPorts map[string]struct{} `json:",omitempty"`
	Env          []string            `json:",omitempty"`
	Entrypoint   []string            `json:",omitempty"`
	Volumes      map[string]struct{} `json:",omitempty"`
	WorkingDir   string              `json:",omitempty"`
	Labels       map[string]string   `json:",omitempty"`
	StopSignal   string              `json:",omitempty"`
	// Healthcheck is Docker's: the specification has none, and other programs skip it.
	Healthcheck *Healthcheck `json:",omitempty"`
}

// Healthcheck is a command that succeeds while a container is healthy.
type Healthcheck struct {
	Test                           []string
	Interval, Timeout, StartPeriod time.Duration
	Retries                        int
}

// Platform is one of the images.
type Platform struct {
	OS, Arch, Variant string
	Files             []tree.File
}

type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Platform    *platform         `json:"platform,omitempty"`
}

type platform struct {
	Arch    string `json:"architecture"`
	OS      string `json:"os"`
	Variant string `json:"variant,omitempty"`
}

type manifest struct {
	SchemaVersion int               `json:"schemaVersion"`
	MediaType     string            `json:"mediaType"`
	Config        *descriptor       `json:"config,omitempty"`
	Layers        []descriptor      `json:"layers,omitempty"`
	Manifests     []descriptor      `json:"manifests,omitempty"`
	Annotations   map[string]string `json:"annotations,omitempty"`
}

type imageConfig struct {
	Created      string `json:"created"`
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
	Variant      string `json:"variant,omitempty"`
	Config       Config `json:"config"`
	RootFS       struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	} `json:"rootfs"`
	History []history `json:"history"`
}

type history struct {
	Created   string `json:"created"`
	CreatedBy string `json:"created_by"`
}

// writer collects the blobs of a layout.
type writer struct {
	image Image
	blobs map[string][]byte
}

// Write writes the layout. Its index.json names one image index, with the tag.
func Write(to io.Writer, img Image, platforms []Platform) error {
	w := &writer{image: img, blobs: map[string][]byte{}}
	index := manifest{SchemaVersion: 2, MediaType: typeIndex, Annotations: img.Labels}
	for _, p := range platforms {
		d, err := w.platform(p)
		if err != nil {
			return err
		}
		index.Manifests = append(index.Manifests, d)
	}
	d, err := w.add(typeIndex, index)
	if err != nil {
		return err
	}
	d.Annotations = map[string]string{
		"org.opencontainers.image.ref.name": img.Tag,
		"io.containerd.image.name":          "docker.io/" + img.Name + ":" + img.Tag, // docker load and ctr import read it
	}
	top, err := json.Marshal(manifest{SchemaVersion: 2, MediaType: typeIndex, Manifests: []descriptor{d}})
	if err != nil {
		return err
	}
	files := []tree.File{
		tree.New("oci-layout", 0o644, []byte(`{"imageLayoutVersion":"1.0.0"}`)),
		tree.New("index.json", 0o644, top),
	}
	for _, digest := range slices.Sorted(maps.Keys(w.blobs)) {
		files = append(files, tree.New("blobs/sha256/"+digest, 0o644, w.blobs[digest]))
	}
	return tree.Tar(to, files, img.Created)
}

// platform adds the blobs of an image.
func (w *writer) platform(p Platform) (descriptor, error) {
	var plain, packed bytes.Buffer
	if err := tree.Tar(&plain, p.Files, w.image.Created); err != nil {
		return descriptor{}, err
	}
	z := tree.Gzip(&packed)
	if _, err := z.Write(plain.Bytes()); err != nil {
		return descriptor{}, err
	}
	if err := z.Close(); err != nil {
		return descriptor{}, err
	}
	created := w.image.Created.UTC().Format(time.RFC3339)
	c := imageConfig{Created: created, Architecture: p.Arch, OS: p.OS, Variant: p.Variant, Config: w.image.Config}
	c.Config.Labels = w.image.Labels
	c.RootFS.Type, c.RootFS.DiffIDs = "layers", []string{"sha256:" + digest(plain.Bytes())}
	c.History = []history{{created, "scripts/package oci"}}
	config, err := w.add(typeConfig, c)
	if err != nil {
		return descriptor{}, err
	}
	d, err := w.add(typeManifest, manifest{
		SchemaVersion: 2, MediaType: typeManifest, Config: &config, Annotations: w.image.Labels,
		Layers: []descriptor{w.addBytes(typeLayer, packed.Bytes())},
	})
	d.Platform = &platform{p.Arch, p.OS, p.Variant}
	return d, err
}

func (w *writer) add(mediaType string, v any) (descriptor, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return descriptor{}, fmt.Errorf("%s: %w", mediaType, err)
	}
	return w.addBytes(mediaType, text), nil
}

func (w *writer) addBytes(mediaType string, data []byte) descriptor {
	d := digest(data)
	w.blobs[d] = data
	return descriptor{MediaType: mediaType, Digest: "sha256:" + d, Size: len(data)}
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
