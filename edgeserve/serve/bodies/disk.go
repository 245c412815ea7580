// This file defines bodies that stay on the disk until they are sent.

package bodies

import "io"

// Disk is a file, or a part of a file, that is read while it is sent. A slow client holds a buffer and a
// descriptor.
type Disk struct {
	io.SectionReader
	file     File
	FileSize int // in bytes
}

// File is an open file. If it has a method Until, Cut calls it with the offset where the part that is sent ends.
type File interface {
	io.ReaderAt
	io.Closer
}

// NewDisk returns the body of a whole file, which it closes.
func NewDisk(file File, size int64) *Disk {
	return &Disk{SectionReader: *io.NewSectionReader(file, 0, size), file: file, FileSize: int(size)}
}

// Cut reduces the body to the part between two offsets.
func (d *Disk) Cut(from, to int) {
	d.SectionReader = *io.NewSectionReader(d.file, int64(from), int64(to-from))
	if f, ok := d.file.(interface{ Until(end int64) }); ok {
		f.Until(int64(to))
	}
}

// Close closes the file, if there is one.
func (d *Disk) Close() error {
	if d == nil {
		return nil
	}
	return d.file.Close()
}
