// This file is the least that a response costs on Fiber: a server that does nothing but send
// items from memory. Ours without its fast path cannot cost less.

package servebench

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/gofiber/fiber/v2"

	"contentedge/edgeserve/wire/release"
)

// timeout is a time limit, as any server on the net has them.
const timeout = 30 * time.Second

// FiberAlone serves the items of a release at an address, with the fields of items.
func FiberAlone(args []string) error {
	if len(args) != 3 {
		return errors.New("want an address, a release and a file with fields")
	}
	raw, err := os.ReadFile(args[2])
	if err != nil {
		return err
	}
	var own fields
	if err := json.Unmarshal(raw, &own); err != nil {
		return err
	}
	bodies := map[string][]byte{}
	names, err := filepath.Glob(filepath.Join(args[1], filepath.FromSlash(contents), "*.json"))
	if err != nil {
		return err
	}
	for _, name := range names {
		if bodies[contents+"/"+filepath.Base(name)], err = os.ReadFile(name); err != nil {
			return err
		}
	}
	app := fiber.New(fiber.Config{DisableStartupMessage: true, ReadTimeout: timeout, WriteTimeout: timeout, IdleTimeout: timeout})
	app.Get("/*", func(c *fiber.Ctx) error {
		body, ok := bodies[c.Path()]
		if !ok {
			return fiber.ErrNotFound
		}
		for _, field := range own[release.ClassItem] {
			c.Response().Header.Set(field[0], field[1])
		}
		c.Response().Header.SetContentType("application/json")
		c.Response().SetBodyRaw(body)
		return nil
	})
	return app.Listen(args[0])
}

// aloneArguments starts FiberAlone.
func aloneArguments(s *site, dir, addr string) ([]string, error) {
	raw, err := json.Marshal(s.fields)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "fields.json")
	return []string{"fiber", addr, s.public, path}, os.WriteFile(path, raw, 0o644)
}
