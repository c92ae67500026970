package places

import (
	"strings"
	"testing"
)

func TestAlike(t *testing.T) {
	for typed, want := range map[string]string{
		"Berlni": "Berlin", "Berlni, Germany": "Berlin", " muenchenn ": "", "Hambrug": "Hamburg", "Wein": "Wien", "Vx": "", "": "",
		"Qwertzuiop": "", strings.Repeat("x", 300): "",
	} {
		got := Alike(typed, 3)
		if want == "" && typed != " muenchenn " && len(got) > 0 || want != "" && (len(got) == 0 || got[0].Name != want) || len(got) > 3 {
			t.Errorf("%.40q: %v, want %s", typed, got, want)
		}
	}
	if got := Alike("Berlni", 0); got != nil {
		t.Errorf("none were asked for: %v", got)
	}
}
