//go:build !goexperiment.jsonv2

package main

// jsonV2 reports whether encoding/json uses the engine of version 2.
const jsonV2 = false
