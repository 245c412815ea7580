// This file lists the folders that operating systems add to a volume.

package release

import "strings"

// volumeFolders are the names, in lower case. Synology and QNAP make @eaDir in every folder.
var volumeFolders = map[string]bool{
	"lost+found": true, "@eadir": true, "#recycle": true, "@recycle": true, "#snapshot": true,
	"$recycle.bin": true, "system volume information": true,
}

// VolumeFolder reports whether a folder of this name belongs to a volume and not to its users.
func VolumeFolder(name string) bool { return volumeFolders[strings.ToLower(name)] }
