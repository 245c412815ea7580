// This file defines bodies that stay on the disk until they are sent.

package bodies

import "io"

// Disk is a file, or a part of a file, that is read while it is sent. A slow client holds a buffer and a
// descriptor.
type Disk struct {
	io.SectionReader
	file     diskFile
	FileSize int // in bytes
}

// diskFile is an open file.
type diskFile interface {
	io.ReaderAt
	io.Closer
}

// NewDisk returns the body of a whole file, which it closes.
func NewDisk(file diskFile, size int64) *Disk {
	return &Disk{SectionReader: *io.NewSectionReader(file, 0, size), file: file, FileSize: int(size)}
}

// Cut reduces the body to the part between two offsets.
func (d *Disk) Cut(from, to int) {
	d.SectionReader = *io.NewSectionReader(d.file, int64(from), int64(to-from))
}

// Close closes the file, if there is one.
func (d *Disk) Close() error {
	if d == nil {
		return nil
	}
	return d.file.Close()
}
