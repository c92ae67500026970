// Package door lets package control into a server of package jobboardtest, past the
// methods that its users see.
package door

// Open returns what package control may do with a *jobboardtest.Server. Package
// jobboardtest sets it when the program starts.
var Open func(server any) any
