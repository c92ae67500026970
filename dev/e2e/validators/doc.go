// Package validators checks the output of jobpublish with validators of others:
// the published rules of a search engine and the types of schema.org for
// structured data, the schema and a parser for sitemaps, schemas and two parsers
// for feeds. They come from npm ("npm ci" here) and Debian (xmllint, jing).
package validators
