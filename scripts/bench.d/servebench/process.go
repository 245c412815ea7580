// This file reads what a server and its children have used, from /proc.

package servebench

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"bench/engine"
)

// tick is the unit of the processor times in /proc/PID/stat.
const tick = 10 * time.Millisecond

// tree returns a process and its descendants.
func tree(pid int) []int {
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", all[i], all[i]))
		for _, child := range strings.Fields(string(b)) {
			if n, err := strconv.Atoi(child); err == nil {
				all = append(all, n)
			}
		}
	}
	return all
}

// cpu is the user and system time that a process and its descendants have used.
func cpu(pid int) (time.Duration, error) {
	var sum time.Duration
	for _, p := range tree(pid) {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p))
		if err != nil {
			return 0, err
		}
		n, err := ticks(b)
		if err != nil {
			return 0, err
		}
		sum += time.Duration(n) * tick
	}
	return sum, nil
}

// ticks reads user and system time from a stat file. The process's name, in
// parentheses, may hold anything.
func ticks(stat []byte) (int64, error) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const user, system = 11, 12 // counted from the state
	if len(fields) <= system {
		return 0, fmt.Errorf("/proc/PID/stat is %q", stat)
	}
	u, err := strconv.ParseInt(string(fields[user]), 10, 64)
	if err != nil {
		return 0, err
	}
	s, err := strconv.ParseInt(string(fields[system]), 10, 64)
	return u + s, err
}

// resident is the memory of a process and its descendants in KiB: their own, and pages
// of files.
func resident(pid int) (anon, file int64) {
	for _, p := range tree(pid) {
		a, f, _ := engine.Memory(strconv.Itoa(p))
		n, _ := strconv.ParseInt(a, 10, 64)
		m, _ := strconv.ParseInt(f, 10, 64)
		anon, file = anon+n, file+m
	}
	return anon, file
}
