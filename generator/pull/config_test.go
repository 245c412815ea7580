package pull

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestConfig: an invalid Config is an error that names what is wrong, and never repeats the address or
// the key.
func TestConfig(t *testing.T) {
	percent := 101
	for _, tt := range []struct {
		name   string
		change func(*Config)
		want   string // "": it is valid
	}{
		{"the defaults", func(*Config) {}, ""},
		{"a path before the origin's own", func(c *Config) { c.URL = "https://origin.example/live/" }, ""},
		{"http without a key", func(c *Config) { c.URL = "http://origin.example" }, ""},
		{"a key over https", func(c *Config) { c.Key = "secret" }, ""},
		{"a key over http on this machine", func(c *Config) { c.URL, c.Key = "http://127.0.0.1:8080", "secret" }, ""},
		{"a key in a field", func(c *Config) { c.Key, c.KeyHeader = "secret", "X-Api-Key" }, ""},
		{"a key over http", func(c *Config) { c.URL, c.Key = "http://origin.example", "secret" }, KeyVariable + ": http:// does not protect"},
		{"a key with a line break", func(c *Config) { c.Key = "secret\r\nX: y" }, KeyVariable + ": the key has a line break"},
		{"a key with the line end of its file", func(c *Config) { c.Key = "secret\n" }, KeyVariable + ": the key has a line break"},
		{"a field for no key", func(c *Config) { c.KeyHeader = "X-Api-Key" }, "--key-header: the key to send"},
		{"a field that frames requests", func(c *Config) { c.Key, c.KeyHeader = "secret", "content-length" }, `--key-header: "content-length" cannot`},
		{"a field that is no field", func(c *Config) { c.Key, c.KeyHeader = "secret", "X Key" }, `--key-header: "X Key" cannot`},
		{"no address", func(c *Config) { c.URL = "" }, "URL: no origin given"},
		{"no host", func(c *Config) { c.URL = "https://" }, "URL: this is not the address"},
		{"another scheme", func(c *Config) { c.URL = "ftp://secret.example" }, "URL: this is not the address"},
		{"no scheme", func(c *Config) { c.URL = "secret.example" }, "URL: this is not the address"},
		{"a host and a port alone", func(c *Config) { c.URL = "secret.example:8080" }, "URL: this is not the address"},
		{"an address and a port alone", func(c *Config) { c.URL = "127.0.0.1:8080" }, "begin it with https://"},
		{"no URL at all", func(c *Config) { c.URL = "https://secret%zz" }, "URL: this is no URL"},
		{"a password", func(c *Config) { c.URL = "https://me:secret@origin.example" }, KeyVariable},
		{"a query", func(c *Config) { c.URL = "https://origin.example?key=secret" }, "URL: a query"},
		{"the address of a list", func(c *Config) { c.URL = "https://origin.example/live/cda/rest/v1/site/contents?page=1" }, "give https://origin.example/live and name the environment with --env site"},
		{"the root of the interface", func(c *Config) { c.URL = "https://origin.example/cda" }, "give https://origin.example and"},
		{"no environment", func(c *Config) { c.Env = "" }, "--env: no environment"},
		{"a path as environment", func(c *Config) { c.Env = "../site" }, `--env: "../site" cannot`},
		{"a path as folder", func(c *Config) { c.As = "a/b" }, `--as: "a/b" cannot`},
		{"no content folder", func(c *Config) { c.Content = "" }, "--content"},
		{"an empty status", func(c *Config) { c.Statuses = []string{""} }, "--status"},
		{"too large a page", func(c *Config) { c.PageSize = 10001 }, "--page-size: a page cannot have 10001 items"},
		{"a rate of nothing", func(c *Config) { c.Rate = -1 }, "--rate"},
		{"a rate without end", func(c *Config) { c.Rate = 1e9 }, "--rate"},
		{"a negative wait", func(c *Config) { c.MaxWait = -time.Second }, "--max-wait"},
		{"a negative time", func(c *Config) { c.FullEvery = -time.Second }, "--full-every"},
		{"too many percent", func(c *Config) { c.Removal.Max = &percent }, "--max-removed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := Config{URL: "https://origin.example", Env: "site", Content: "content"}
			tt.change(&c)
			_, err := New(c)
			_, usage := errors.AsType[*UsageError](err)
			if (err == nil) != (tt.want == "") || err != nil && (!usage || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "\n  hint: ")) {
				t.Errorf("got %v", err)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("it repeats a secret: %v", err)
			}
		})
	}
}
