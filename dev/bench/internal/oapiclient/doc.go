// Package oapiclient is a client made by oapi-codegen from openapi.yaml. Its code is not
// in git: go -C dev/bench generate . makes it.
package oapiclient
