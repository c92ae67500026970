// Package openapitest checks api/openapi.yaml against the client and the mock server,
// with a validator in Go and, in TestPrism, with an npm proxy between the two. In
// TestOtherLanguages clients in four other languages take the client's place.
// TestExamples sends requests that a tool makes from the document's examples.
package openapitest
