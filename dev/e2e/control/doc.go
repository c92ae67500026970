// Package control holds the tests of the mock server's page in a headless Chromium.
package control
