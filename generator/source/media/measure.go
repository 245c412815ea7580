// This file reads the sizes of images from the first bytes of their files.

package media

import (
	"bufio"
	"bytes"
	"encoding/binary"
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

// maxHead bounds the bytes in which the orientation of a photograph is sought: a camera writes it into the
// first segment, which has 64 KiB at most.
const maxHead = 66 << 10

// measure fills in the size of an image, as browsers display it.
func (f *File) measure(r io.Reader) {
	decode := decoders[f.Type]
	if decode == nil {
		return
	}
	var first head
	size, err := decode(bufio.NewReaderSize(io.TeeReader(r, &first), 32<<10))
	if err != nil || size.Width < 1 || size.Height < 1 {
		f.Damaged = true
		return
	}
	f.Width, f.Height = size.Width, size.Height
	if f.Type == "image/jpeg" && isTurned(first.Bytes()) {
		f.Width, f.Height = f.Height, f.Width
	}
}

// head keeps the first bytes of what is written to it.
type head struct{ bytes.Buffer }

func (h *head) Write(b []byte) (int, error) {
	h.Buffer.Write(b[:min(len(b), max(maxHead-h.Len(), 0))])
	return len(b), nil
}

// isTurned reports whether a photograph is turned by 90 degrees when it is displayed, by the orientation in
// its EXIF segment.
func isTurned(jpeg []byte) bool {
	const exif = "Exif\x00\x00"
	for at := 2; at+4 <= len(jpeg) && jpeg[at] == 0xff; {
		marker, size := jpeg[at+1], int(binary.BigEndian.Uint16(jpeg[at+2:]))
		end := at + 2 + size
		if size < 2 || end > len(jpeg) || marker == 0xda { // the pixels begin
			return false
		}
		if segment := jpeg[at+4 : end]; marker == 0xe1 && bytes.HasPrefix(segment, []byte(exif)) {
			return orientation(segment[len(exif):]) >= 5
		}
		at = end
	}
	return false
}

// orientation reads the orientation from a TIFF head: 1 to 8, or 0 if unknown.
func orientation(tiff []byte) uint16 {
	const tag, entryBytes = 0x0112, 12
	if len(tiff) < 8 {
		return 0
	}
	var order binary.ByteOrder = binary.BigEndian
	if tiff[0] == 'I' {
		order = binary.LittleEndian
	}
	at := uint64(order.Uint32(tiff[4:]))
	if at+2 > uint64(len(tiff)) {
		return 0
	}
	entries := tiff[at+2:]
	for n := order.Uint16(tiff[at:]); n > 0 && len(entries) >= entryBytes; n-- {
		if order.Uint16(entries) == tag {
			if o := order.Uint16(entries[8:]); o <= 8 {
				return o
			}
			return 0
		}
		entries = entries[entryBytes:]
	}
	return 0
}
