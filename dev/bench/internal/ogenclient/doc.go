// Package ogenclient is a client made by ogen from openapi.yaml. Its code is not in git:
// go -C dev/bench generate . makes it.
package ogenclient
