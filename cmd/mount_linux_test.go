package cmd

import "syscall"

const (
	bind    = syscall.MS_BIND
	remount = syscall.MS_REMOUNT
)

var mountAt = syscall.Mount

func unmount(target string) error { return syscall.Unmount(target, syscall.MNT_DETACH) }
