// Package browsertest holds the tests of the fake's page in a headless Chromium.
package browsertest
