// Package openapitest holds api/openapi.yaml against the client and the
// mock server of the service, with a validator in Go and, in TestPrism, with a proxy from
// npm between the two. TestExamples sends what a tool makes of the document's examples.
package openapitest
