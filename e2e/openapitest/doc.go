// Package openapitest holds api/openapi.yaml against the client and the
// stand-in of the service, with a validator in Go and, in TestPrism, with a proxy from
// npm between the two. TestExamples sends what a tool makes of the document's examples.
// It is a module of its own, so that nobody who uses the library needs what validates
// the document.
package openapitest
