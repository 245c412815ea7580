// This file installs packages with dpkg and rpm, and starts what they install.

package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// need skips a test of packages where a program is absent.
func need(t *testing.T, programs ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("short tests make no packages")
	}
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not here (Debian has it)", program)
		}
	}
}

// onHost runs a script as root on a copy of this machine that goes away, with packages in /mnt: those
// of this version and, in /mnt/next, of a later one whose settings differ too.
func onHost(t *testing.T, script string) {
	t.Helper()
	first, next := dist(t), nextPackages(t)
	packages := t.TempDir()
	if err := os.CopyFS(packages, os.DirFS(first)); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(packages, "next"), os.DirFS(next)); err != nil {
		t.Fatal(err)
	}
	cmd := sandbox{
		Root: t.TempDir(), Host: t.TempDir(), Mounts: []mount{{packages, "mnt", true}}, Dir: "mnt",
		Args: []string{"/bin/bash", "-euxc", script}, Env: []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C"},
	}.command(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// nextVersion is later than testVersion.
const nextVersion = "v1.2.3"

// nextPackages are packages of a later version, which change the file of settings.
func nextPackages(t *testing.T) string {
	t.Helper()
	dist(t)
	out := filepath.Join(made.dir, "next")
	if _, err := os.Stat(out); err == nil {
		return out
	}
	checkout := filepath.Join(made.dir, "a")
	conf := filepath.Join(checkout, "scripts", "package.d", "systemd", "edgeserve.conf")
	if err := os.WriteFile(conf, append(read(t, conf), "\n# A new line.\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("scripts/package", "--version", nextVersion, "--platforms", "linux/amd64", "--out", out, "linux")
	cmd.Dir = checkout
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// TestDebianPackages installs, upgrades, removes and purges with dpkg.
func TestDebianPackages(t *testing.T) {
	need(t, "dpkg")
	onHost(t, `
		rm -rf /var/lib/contentedge # of this machine
		dpkg --install edgeserve-1.2.3-rc.1-linux-amd64.deb contentedge-generator-1.2.3-rc.1-linux-amd64.deb
		[ "$(edgeserve --version | head -n 1)" = 'edgeserve v1.2.3-rc.1' ]
		generator --help >/dev/null
		# Nothing starts by itself.
		[ ! -e /etc/systemd/system/multi-user.target.wants/edgeserve.service ]
		[ ! -e /etc/systemd/system/sockets.target.wants/edgeserve.socket ]
		dpkg --verify edgeserve contentedge-generator
		echo 'poll = 9s' >>/etc/contentedge/edgeserve.conf
		dpkg --force-confold --install next/edgeserve-1.2.3-linux-amd64.deb
		[ "$(edgeserve --version | head -n 1)" = 'edgeserve v1.2.3' ]
		grep -q 'poll = 9s' /etc/contentedge/edgeserve.conf
		grep -q 'A new line' /etc/contentedge/edgeserve.conf.dpkg-dist
		edgeserve --config /etc/contentedge/edgeserve.conf --print-config | grep -q '^poll = 9s'
		mkdir -p /var/lib/contentedge/kept
		dpkg --remove edgeserve
		[ ! -e /usr/bin/edgeserve ]
		[ -e /etc/contentedge/edgeserve.conf ]
		dpkg --purge edgeserve contentedge-generator
		[ ! -e /etc/contentedge/edgeserve.conf ]
		[ -d /var/lib/contentedge/kept ]`)
}

// TestRPMs installs, upgrades and removes with rpm.
func TestRPMs(t *testing.T) {
	need(t, "rpm")
	// The database of rpm knows nothing of Debian's shell.
	onHost(t, `
		rm -rf /var/lib/contentedge # of this machine
		rpm() { command rpm --dbpath /var/lib/test-rpm "$@"; }
		rpm --initdb
		rpm --install --nodeps --force-debian edgeserve-1.2.3-rc.1-linux-amd64.rpm contentedge-generator-1.2.3-rc.1-linux-amd64.rpm
		[ "$(edgeserve --version | head -n 1)" = 'edgeserve v1.2.3-rc.1' ]
		generator --help >/dev/null
		[ ! -e /etc/systemd/system/multi-user.target.wants/edgeserve.service ]
		rpm --verify --nodeps edgeserve contentedge-generator
		echo 'poll = 9s' >>/etc/contentedge/edgeserve.conf
		rpm --upgrade --nodeps --force-debian next/edgeserve-1.2.3-linux-amd64.rpm
		[ "$(edgeserve --version | head -n 1)" = 'edgeserve v1.2.3' ]
		grep -q 'poll = 9s' /etc/contentedge/edgeserve.conf
		grep -q 'A new line' /etc/contentedge/edgeserve.conf.rpmnew
		mkdir -p /var/lib/contentedge/kept
		rpm --erase --nodeps edgeserve contentedge-generator
		[ ! -e /usr/bin/edgeserve ]
		[ -e /etc/contentedge/edgeserve.conf.rpmsave ]
		[ -d /var/lib/contentedge/kept ]`)
}

// TestPackagesStart unpacks each package of the edge server into an empty root, which then serves by
// the settings that the package brought.
func TestPackagesStart(t *testing.T) {
	need(t, "dpkg-deb", "rpm2cpio", "cpio")
	release := buildRelease(t)
	// rpm2cpio writes all and then fails, as rpmpack counts the bytes of the archive in another way.
	for format, unpack := range map[string]string{
		"deb": `dpkg-deb --extract "$1" "$2"`,
		"rpm": `rpm --checksig --nosignature "$1"; (rpm2cpio "$1" || true) | cpio --extract --make-directories --no-absolute-filenames --quiet -D "$2"`,
		"apk": `tar -xzf "$1" -C "$2" --warning=no-unknown-keyword --exclude='.*'`,
	} {
		t.Run(format, func(t *testing.T) {
			root := t.TempDir()
			if err := os.Chmod(root, 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("bash", "-euo", "pipefail", "-c", unpack, "unpack", artefact(t, "edgeserve-VERSION-linux-amd64."+format), root)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if err := os.Chmod(root, 0o755); err != nil {
				t.Fatal(err)
			}
			serves(t, sandbox{Root: root, Args: []string{"/usr/bin/edgeserve", "--config", "/etc/contentedge/edgeserve.conf"}}, release)
		})
	}
}

// TestAlpinePackages reads packages as apk does: streams of gzip, of which the first one has a
// checksum of the second one.
func TestAlpinePackages(t *testing.T) {
	need(t)
	for _, name := range []string{"edgeserve", "contentedge-generator"} {
		data := read(t, artefact(t, name+"-VERSION-linux-amd64.apk"))
		streams := gzipStreams(t, data)
		if len(streams) != 2 {
			t.Fatalf("%s has %d streams", name, len(streams))
		}
		control := tarFiles(t, streams[0].plain)
		info := string(control[".PKGINFO"])
		for line := range strings.Lines(info) {
			if !strings.HasPrefix(line, "#") && !strings.Contains(line, " = ") {
				t.Errorf("%s: %q is no field", name, line)
			}
		}
		for _, want := range []string{"pkgname = " + name + "\n", "pkgver = 1.2.3_rc1-r1\n", "arch = x86_64\n", "datahash = " + sha256Hex(streams[1].packed) + "\n"} {
			if !strings.Contains(info, want) {
				t.Errorf("%s: no %q in\n%s", name, want, info)
			}
		}
		for file, script := range control {
			if file == ".PKGINFO" {
				continue
			}
			cmd := exec.Command("sh", "-n")
			cmd.Stdin = bytes.NewReader(script)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", file, err, out)
			}
		}
	}
}

// TestOpenRC runs the service of the package for Alpine: it starts, reloads and stops.
func TestOpenRC(t *testing.T) {
	need(t, "rc-service", "tar")
	onHost(t, `
		rm -rf /var/lib/contentedge
		tar -xzf edgeserve-1.2.3-rc.1-linux-amd64.apk -C / --warning=no-unknown-keyword etc usr
		addgroup --system edgeserve
		adduser --system --ingroup edgeserve --no-create-home edgeserve
		printf 'public = /var/lib/contentedge\naddr = `+anyPort+`\nadmin = `+anyPort+`\n' >/etc/contentedge/edgeserve.conf
		mkdir -p /run/openrc
		touch /run/openrc/softlevel
		lines() { grep -c 'release refused' /var/log/edgeserve.log; }
		rc-service --nodeps edgeserve start
		trap 'rc-service --nodeps edgeserve stop; cat /var/log/edgeserve.log' EXIT
		admin() { sed -n 's/.*"msg":"admin listening","address":"\([^"]*\)".*/\1/p' /var/log/edgeserve.log | tail -n 1; }
		until [ -n "$(admin)" ]; do sleep 0.1; done
		until edgeserve health --live "http://$(admin)"; do sleep 0.1; done
		until [ "$(lines)" -ge 1 ]; do sleep 0.1; done
		[ "$(stat -c %U /var/lib/contentedge)" = edgeserve ]
		rc-service --nodeps edgeserve reload
		until [ "$(lines)" -ge 2 ]; do sleep 0.1; done
		trap - EXIT
		rc-service --nodeps edgeserve stop
		! edgeserve health --live "http://$(admin)"`)
}

type stream struct{ packed, plain []byte }

func gzipStreams(t *testing.T, data []byte) (all []stream) {
	t.Helper()
	for len(data) > 0 {
		from := bytes.NewReader(data)
		buffered := bufio.NewReader(from)
		z, err := gzip.NewReader(buffered)
		if err != nil {
			t.Fatal(err)
		}
		z.Multistream(false)
		plain, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		end := len(data) - from.Len() - buffered.Buffered()
		all = append(all, stream{data[:end], plain})
		data = data[end:]
	}
	return all
}

func tarFiles(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if err == io.EOF || err == io.ErrUnexpectedEOF { // the control stream has no end: data follow
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if all[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLintian: lintian has nothing to say but what only the project's owner can change: an address and
// a licence.
func TestLintian(t *testing.T) {
	need(t, "lintian")
	lint(t, []string{"lintian", "--allow-root"}, "deb", regexp.MustCompile(`^[EW]: \S+: (\S+)`),
		"copyright-without-copyright-notice", "bogus-mail-host", "bogus-mail-host-in-debian-changelog")
}

// TestRPMLint: so has rpmlint, which also misses a signature and a site, wants manual pages in bzip2,
// and reads classes of files that nfpm does not write.
func TestRPMLint(t *testing.T) {
	need(t, "rpmlint")
	lint(t, []string{"rpmlint"}, "rpm", regexp.MustCompile(`^\S+: [EW]: (\S+)`),
		"invalid-license", "no-signature", "no-url-tag", "no-binary", "only-non-binary-in-usr-lib", "non-coherent-filename",
		"manpage-not-compressed", "no-manual-page-for-binary")
}

// lint runs a linter over the packages, and fails for complaints that are not known. It runs on a copy of
// this machine: rpmlint unpacks the absolute paths of packages over those that are there.
func lint(t *testing.T, command []string, format string, complaint *regexp.Regexp, known ...string) {
	t.Helper()
	for _, name := range []string{"edgeserve", "contentedge-generator"} {
		found := false // the linter ran: it always complains of the first one
		path, err := exec.LookPath(command[0])
		if err != nil {
			t.Fatal(err)
		}
		file := artefact(t, name+"-VERSION-linux-amd64."+format)
		out, err := sandbox{
			Root: t.TempDir(), Host: t.TempDir(), Mounts: []mount{{filepath.Dir(file), "mnt", false}}, Dir: "mnt",
			Args: append(append([]string{path}, command[1:]...), filepath.Base(file)),
			Env:  []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "HOME=/root"},
		}.command(t).CombinedOutput()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			m := complaint.FindStringSubmatch(line)
			if m != nil && !slices.Contains(known, m[1]) {
				t.Error(strings.TrimSpace(line))
			}
			found = found || m != nil && m[1] == known[0]
		}
		if !found {
			t.Errorf("%s does not complain of %s:\n%s", command[0], known[0], out)
		}
	}
}
