// This file ends a build for Windows with a sentence. Windows lacks what the change of a release is made of:
// symbolic links without a privilege, a rename over a file that is open, and SIGHUP.

package builtin

var _ = contentedge_does_not_run_on_Windows_build_it_for_Linux_and_use_WSL
