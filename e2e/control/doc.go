// Package control holds the tests of the stand-in's page in a headless Chromium.
package control
