// Package bench has the benchmarks of the client beside what a program would use otherwise, on the same data. README.md
// says how to run them, and what came of it.
package bench

// The clients and the decoder for comparison, in files that git ignores.
//
//go:generate go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml openapi.yaml
//go:generate go run github.com/ogen-go/ogen/cmd/ogen@v1.24.0 -config ogen.yaml -target internal/ogenclient -package ogenclient -clean openapi.yaml
//go:generate sh -c "cd internal/plain && go run github.com/mailru/easyjson/easyjson@v0.9.2 -no_std_marshalers plain.go"
