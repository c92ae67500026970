package jobboard

import (
	"bytes"
	"encoding/json"
)

// trimJSON takes a byte order mark and white space off.
func trimJSON(body []byte) []byte {
	return bytes.Trim(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")), " \t\r\n")
}

// decodeString reads exactly one JSON string.
func decodeString(text []byte) (string, error) {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return "", errUndecodable("the answer is not one JSON string")
	}
	return s, nil
}
