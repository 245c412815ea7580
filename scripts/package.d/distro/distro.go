// Package distro describes a package of a Linux distribution.
package distro

import (
	"io/fs"
	"time"
)

// Package is written to Out in a Format: deb, rpm or apk.
type Package struct {
	Format, Out                  string
	Name, Version, Release, Arch string
	Maintainer, Vendor, License  string
	Changelog                    string // a file
	Summary, Description         string
	Scripts                      Scripts
	Time                         time.Time
	Files                        []File
}

// Scripts are files of shell scripts that run at an installation and a removal; "" for none.
type Scripts struct{ PreInstall, PostInstall, PreRemove, PostRemove string }

// File is a file of a package.
type File struct {
	From     string // on this machine
	Path     string // on the machine of the user
	Mode     fs.FileMode
	Config   bool // an upgrade keeps what the operator changed
	Document bool // rpm can leave documents out
}
