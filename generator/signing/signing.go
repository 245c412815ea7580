// Package signing makes and reads the keys that sign the pointer of a store.
//
// A key is a line of text, as golang.org/x/mod/sumdb/note defines it. The private line stays in a
// file or a variable: a command line is visible to other processes and ends up in logs. So no error
// and no String of this package contains a private key.
package signing

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"contentedge/edgeserve/wire/trust"
)

// privatePrefix begins every private key.
const privatePrefix = "PRIVATE+KEY+"

// maxKeyFile bounds a key file, in bytes: the line of a key, and space around it.
const maxKeyFile = 4096

// ErrInArguments: a private key was passed where a file or a variable should be named.
var ErrInArguments = errors.New("a private key is in the place of its file or variable. Other processes can read command lines, and logs keep them: " +
	"replace this key. Name its file (--sign FILE), or its variable in single quotes (--sign '$NAME')")

// Key is a private key. It formats as the name and hash of its public key.
type Key struct {
	note.Signer
	public string
}

// New makes a key with a name. Write private to a file that only its owner reads.
func New(name string) (private string, k *Key, err error) {
	if HoldsKey(name) {
		return "", nil, ErrInArguments
	}
	if private, _, err = trust.NewKey(name); err != nil {
		return "", nil, err
	}
	k, err = Parse(private)
	return private, k, err
}

// HoldsKey reports whether a text contains a private key.
func HoldsKey(text string) bool { return strings.Contains(text, privatePrefix) }

// Parse reads the line of a private key. Space around it does not matter.
func Parse(text string) (*Key, error) {
	s, err := trust.NewSigner(text)
	if err != nil {
		return nil, err
	}
	parts := strings.SplitN(strings.TrimSpace(text), "+", 5) // PRIVATE, KEY, name, hash, and the algorithm's byte with the seed
	seed, err := base64.StdEncoding.DecodeString(parts[len(parts)-1])
	if err != nil || len(seed) != 1+ed25519.SeedSize {
		return nil, errors.New("it is not the line of an Ed25519 key")
	}
	public, err := note.NewEd25519VerifierKey(s.Name(), ed25519.NewKeyFromSeed(seed[1:]).Public().(ed25519.PublicKey))
	if err != nil {
		return nil, err
	}
	return &Key{s, public}, nil
}

// Public is the public key in the form of trust files.
func (k *Key) Public() string { return k.public }

// Trusted returns a policy that accepts the pointers of an origin that one of the keys has signed.
func Trusted(origin string, keys []*Key) (*trust.Policy, error) {
	text := fmt.Sprintf("version 1\norigin %s\nthreshold 1\n", origin)
	for _, k := range keys {
		text += "key " + k.public + "\n"
	}
	return trust.Parse([]byte(text))
}

// ID is the name and the hash of the key, which tell it from every other.
func (k *Key) ID() string { return fmt.Sprintf("%s+%08x", k.Name(), k.KeyHash()) }

// String is the ID, so that no format prints the private key.
func (k *Key) String() string { return k.ID() }

// GoString is the ID too.
func (k *Key) GoString() string { return k.ID() }

// Read reads the key of a file, or of a variable: $NAME. warn is called if others can read the file.
func Read(where string, warn func(string)) (*Key, error) {
	text, err := read(where, warn)
	if err != nil {
		return nil, err
	}
	k, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("the key of %s: %w", where, err)
	}
	return k, nil
}

func read(where string, warn func(string)) (string, error) {
	if HoldsKey(where) {
		return "", ErrInArguments
	}
	name, variable := strings.CutPrefix(where, "$")
	if !variable {
		return readFile(where, warn)
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "{"), "}")
	text := os.Getenv(name)
	if strings.TrimSpace(text) == "" {
		return "", fmt.Errorf("the variable %s, which should hold a private key, is empty or not set", name)
	}
	return text, nil
}

func readFile(name string, warn func(string)) (string, error) {
	if strings.TrimSpace(name) == "" {
		return "", errors.New("no key is named: an empty value is often a variable that the shell has replaced; write --sign '$NAME' in single quotes")
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("the key file %s does not exist: make one with generator keys new, or name a variable as '$NAME'", name)
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 && warn != nil {
		warn(fmt.Sprintf("other users of this machine may read the private key in %s: its mode is %04o, not 0600", name, info.Mode().Perm()))
	}
	b, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err == nil && len(b) > maxKeyFile {
		err = fmt.Errorf("%s has more than %d bytes: it is not a key file", name, maxKeyFile)
	}
	return string(b), err
}

// Write writes a private key into a new file, which only its owner can read. It never replaces a file.
func Write(name, private string) (err error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists: a key file is never replaced; name another file", name)
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(private + "\n")
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(name) // err is the one to report
	}
	return err
}
