// This file embeds what the page loads.

package statuspage

import _ "embed"

// Style is the style sheet of the page.
//
//go:embed assets/page.css
var Style []byte

// Script loads the page again, so that its figures are new. The page is complete without it.
//
//go:embed assets/page.js
var Script []byte
