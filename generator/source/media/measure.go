// This file reads the sizes of images from the first bytes of their files.

package media

import (
	"bufio"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"
)

// decoders read the heads of images. AVIF and SVG need not say how large they are displayed, and get no
// size.
var decoders = map[string]func(io.Reader) (image.Config, error){
	"image/png": png.DecodeConfig, "image/jpeg": jpeg.DecodeConfig, "image/gif": gif.DecodeConfig, "image/webp": webp.DecodeConfig,
}

// measure fills in the size of an image.
func (f *File) measure(r io.Reader) {
	decode := decoders[f.Type]
	if decode == nil {
		return
	}
	size, err := decode(bufio.NewReaderSize(r, 32<<10))
	if err != nil || size.Width < 1 || size.Height < 1 {
		f.Damaged = true
		return
	}
	f.Width, f.Height = size.Width, size.Height
}
