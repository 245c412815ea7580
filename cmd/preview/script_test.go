package main

import (
	"testing"

	"contentedge/cmd/scripttest"
)

func TestMain(m *testing.M) { scripttest.Main(m, "preview", main) }

// TestScripts runs testdata/script, which uses preview as a user does: it starts preview, edits
// content, and waits for messages and responses.
func TestScripts(t *testing.T) { scripttest.Run(t, "preview", nil) }
