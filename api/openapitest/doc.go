// Package openapitest holds api/openapi.yaml against the client and the
// stand-in of the service. It is a module of its own, so that nobody who uses
// the library needs what validates the document.
package openapitest
