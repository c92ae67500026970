//go:build !goexperiment.jsonv2

package main

// jsonV2 says whether encoding/json runs on the engine of its version 2.
const jsonV2 = false
