//go:build !linux

package cmd

import "syscall"

// inRoot starts a process in another root directory, which only root may.
func inRoot(dir string) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Chroot: dir, Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}
