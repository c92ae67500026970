// Package browsertest shows cleaned advertisements in a headless Chromium.
package browsertest
