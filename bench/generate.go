package main

// The clients to be held against, with the generators that go.mod pins.
//
//go:generate go tool oapi-codegen -config oapi-codegen.yaml openapi.yaml
//go:generate go tool ogen -config ogen.yaml -target internal/ogenclient -package ogenclient -clean openapi.yaml
//go:generate sh -c "cd internal/easyclient && go tool easyjson types.go"
