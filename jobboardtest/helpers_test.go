package jobboardtest_test

import (
	"encoding/json"
	"net/http"
	"testing"
)

func decodeInto(t *testing.T, res *http.Response, v any) {
	t.Helper()
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(v); err != nil {
		t.Fatal(err)
	}
}
