// Package door lets package control reach what package jobboardtest does not export.
package door

// Of returns the methods of a *jobboardtest.Server for package control, which asserts an
// interface of its own. Package jobboardtest sets it when it is initialized.
var Of func(server any) any
