// This file lists how files may be compressed. Package source decompresses them.

package documents

// Compression is how the files of a format are compressed.
type Compression struct {
	Name      string
	Extension string // after the extension of the format, lower-case, with its dot
}

// The compressions of files. If a file exists in several, the first one is read.
var (
	Gzip = &Compression{"gzip", ".gz"}
	Zstd = &Compression{"zstd", ".zst"}

	Compressions = []*Compression{Gzip, Zstd}
)

// compressed are the formats of compressed files by extension.
var compressed = func() map[string]*Format {
	all := map[string]*Format{}
	for _, c := range Compressions {
		for _, f := range Formats {
			for _, extension := range f.Extensions {
				extension += c.Extension
				all[extension] = &Format{Extensions: []string{extension}, Lines: f.Lines, MaxSize: f.MaxSize, MayBeEmpty: f.MayBeEmpty, NewReader: f.NewReader, Compression: c}
			}
		}
	}
	return all
}()

// Uncompressed returns the name of a file without the extension of its compression.
func (f *Format) Uncompressed(name string) string {
	if f.Compression == nil {
		return name
	}
	return name[:len(name)-len(f.Compression.Extension)]
}
