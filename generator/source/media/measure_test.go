package media

import (
	"encoding/binary"
	"strings"
	"testing"
)

// turned is a photograph of 7 × 5 pixels with an orientation.
func turned(t testing.TB, order binary.AppendByteOrder, mark string, orientation uint16) string {
	tiff := order.AppendUint32(order.AppendUint16([]byte(mark), 42), 8)
	tiff = order.AppendUint16(tiff, 2)
	for _, entry := range [][2]uint16{{0x010f, 1}, {0x0112, orientation}} {
		tiff = order.AppendUint32(order.AppendUint16(order.AppendUint16(tiff, entry[0]), 3), 1)
		tiff = order.AppendUint16(order.AppendUint16(tiff, entry[1]), 0)
	}
	segment := "Exif\x00\x00" + string(tiff)
	plain := picture(t, "jpeg", 7, 5)
	return plain[:2] + "\xff\xe1" + string(binary.BigEndian.AppendUint16(nil, uint16(len(segment)+2))) + segment + plain[2:]
}

// TestOrientation: a photograph that is displayed turned has the size that is displayed.
func TestOrientation(t *testing.T) {
	for orientation := range uint16(10) {
		for mark, order := range map[string]binary.AppendByteOrder{"II": binary.LittleEndian, "MM": binary.BigEndian} {
			f := &File{Type: "image/jpeg"}
			f.measure(strings.NewReader(turned(t, order, mark, orientation)))
			want := [2]int{7, 5}
			if orientation >= 5 && orientation <= 8 {
				want = [2]int{5, 7}
			}
			if got := [2]int{f.Width, f.Height}; got != want || f.Damaged {
				t.Errorf("%s %d: %v, want %v", mark, orientation, got, want)
			}
		}
	}
}

// FuzzMeasure reads any bytes as an image of each kind.
func FuzzMeasure(f *testing.F) {
	f.Add([]byte(turned(f, binary.LittleEndian, "II", 6)))
	f.Add([]byte(turned(f, binary.BigEndian, "MM", 3)))
	for _, kind := range []string{"png", "gif", "jpeg"} {
		f.Add([]byte(picture(f, kind, 3, 2)))
	}
	f.Add([]byte(tinyWebP))
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x10Exif\x00\x00II*\x00\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for kind := range decoders {
			file := &File{Type: kind}
			file.measure(strings.NewReader(string(text)))
			if file.Damaged == (file.Width > 0 && file.Height > 0) {
				t.Errorf("%s: %+v", kind, file)
			}
		}
	})
}
