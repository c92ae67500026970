package jobboard

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

// times are texts of times, and what they mean in milliseconds.
var times = map[string]int64{
	`"1970-01-01T00:00:00Z"`:                     0,
	`"1970-01-01T00:00:00.5Z"`:                   500,
	`"2025-04-16T11:22:33.444Z"`:                 1744802553444,
	`"2025-04-16T11:22:33.444+00:00"`:            1744802553444,
	`"2025-04-16T11:22:33.444+0000"`:             1744802553444,
	`"2025-04-16T11:22:33.444-0000"`:             1744802553444,
	`"2025-04-16T13:22:33.444+0200"`:             1744802553444,
	`"2025-04-16T13:22:33.444+02:00"`:            1744802553444,
	`"2025-04-16T05:52:33.444999999-05:30"`:      1744802553444,
	`"2025-04-16T11:22:33Z"`:                     1744802553000,
	`"2025-04-16T11:22:33.1234567890123Z"`:       1744802553123,
	`"1969-12-31T23:59:59.999Z"`:                 -1,
	`"2025-04-16T11:22:33.1234567890123456789Z"`: 1744802553123, // as long as may be
	`"1970-01-01T23:59:00+23:59"`:                0,
	`"1969-12-31T00:01:00-2359"`:                 0,
	`"1970-01-01T00:00:06Z"`:                     6000,
	`"0000-01-01T00:00:00Z"`:                     -62167219200000,
	`"2024-02-29T00:00:00Z"`:                     1709164800000,
	`"0001-01-01T00:00:01Z"`:                     -62135596799000,
	`"9999-12-31T23:59:59.999Z"`:                 253402300799999,
	`"2025-04-16T11:22:33\u005a"`:                1744802553000,
}

// withoutOffset are texts of times that a Millis reads in UTC, and a Timestamp does not read.
var withoutOffset = map[string]int64{
	`"2025-04-16"`:              1744761600000,
	`"2025-04-16T11:22:33"`:     1744802553000,
	`"2025-04-16T11:22:33.444"`: 1744802553444,
	`"0000-01-01"`:              -62167219200000,
}

var notTimes = []string{
	`""`, `"2025-04-16T11:22Z"`, `"2025-04-16T1:22:33"`, `"2025-4-16"`, `"2025-04-16T"`, `"2025-04-16T11:22"`, `"2025-04-16T11:22:33,5"`, `"2025-02-29"`, `"2025-04-16T11:22:33.Z"`, `"2025-04-16T11:22:33,5Z"`, `"2025-04-16 11:22:33Z"`,
	`"2025-04-16t11:22:33z"`, `"2025-04-16T11:22:33+00"`, `"2025-04-16T11:22:33+0:00"`, `"2025-04-16T11:22:33+24:00"`, `"2025-04-16T11:22:33+00:60"`,
	`"2025-04-16T11:22:33.12345678901234567890Z"`, `"2025-04-16T11:22:33-24:00"`, `"2025-04-16T11:22:33-2400"`, `"2025-04-16T11:22:33-0060"`,
	`"2025-04-16T11:22:33 Z"`, `" 2025-04-16T11:22:33Z"`, `"2025-04-16T11:22:33Z "`, `"2025-02-29T00:00:00Z"`, `"2025-13-01T00:00:00Z"`, `"2025-00-01T00:00:00Z"`,
	`"2025-01-00T00:00:00Z"`, `"2025-01-32T00:00:00Z"`, `"2025-01-01T24:00:00Z"`, `"2025-01-01T00:60:00Z"`, `"2025-01-01T00:00:60Z"`, `"yesterday"`,
	`"+2025-04-16T11:22:33Z"`, `"12025-04-16T11:22:33Z"`, `"2025-04-16T11:22:33Z0"`, `"2025-04-16T11:22:3xZ"`,
	`"0000-01-01T00:30:00+01:00"`, `"9999-12-31T23:30:00-01:00"`, `"2025-04-16T11:22:33+00x00"`, `"2025-04-16T11:22:33` + strings.Repeat("0", 200) + `Z"`, `true`, `{}`, `[]`,
}

func TestMillis(t *testing.T) {
	var m Millis
	for text, want := range times {
		if err := json.Unmarshal([]byte(text), &m); err != nil || int64(m) != want {
			t.Errorf("%s: %d, %v; want %d", text, m, err, want)
		}
	}
	for text, want := range withoutOffset {
		if err := json.Unmarshal([]byte(text), &m); err != nil || int64(m) != want {
			t.Errorf("%s: %d, %v; want %d", text, m, err, want)
		}
		if err := json.Unmarshal([]byte(text), new(Timestamp)); !errors.Is(err, ErrDecode) {
			t.Errorf("a Timestamp of %s: %v", text, err)
		}
	}
	for text, want := range map[string]Millis{
		`0`: 0, `-0`: 0, `1741593600001`: 1741593600001, `"1741593600001"`: 1741593600001, `"-1"`: -1, `null`: 0, ` 5 `: 5,
	} {
		m = 99
		if err := json.Unmarshal([]byte(text), &m); err != nil || m != want {
			t.Errorf("%s: %d, %v; want %d", text, m, err, want)
		}
	}
	m = 99
	for _, text := range append(notTimes, `1e3`, `1.5`, `"1e3"`, `"soon"`, `9223372036854775808`, `"9223372036854775808"`) {
		if err := json.Unmarshal([]byte(text), &m); !errors.Is(err, ErrDecode) || m != 99 {
			t.Errorf("%.60s: %d, %v", text, m, err)
		}
	}
	if b, err := json.Marshal([]Millis{0, -1, 1741593600001}); string(b) != "[0,-1,1741593600001]" || err != nil {
		t.Errorf("encodes to %s, %v", b, err)
	}
	if got, ok := Millis(1741593600001).Time(); !ok || !got.Equal(time.Date(2025, 3, 10, 8, 0, 0, 1e6, time.UTC)) || got.Location() != time.UTC {
		t.Errorf("Time = %v, %v", got, ok)
	}
	if got, ok := Millis(0).Time(); ok || !got.IsZero() {
		t.Errorf("Time of 0 = %v, %v", got, ok)
	}
}

func TestTimestamp(t *testing.T) {
	var ts Timestamp
	for text, want := range times {
		if err := json.Unmarshal([]byte(text), &ts); err != nil || ts.UnixMilli() != want || ts.Location() != time.UTC {
			t.Errorf("%s: %v, %v; want %d", text, ts, err, want)
		}
	}
	for _, text := range []string{`1741593600001`, `"1741593600001"`, `"174159360000\u0031"`} {
		if err := json.Unmarshal([]byte(text), &ts); err != nil || ts.UnixMilli() != 1741593600001 || ts.Location() != time.UTC {
			t.Errorf("%s: %v, %v", text, ts, err)
		}
	}
	for _, text := range []string{`null`, `0`, `"0"`} {
		ts = Timestamp{time.Now()}
		if err := json.Unmarshal([]byte(text), &ts); err != nil || ts != (Timestamp{}) {
			t.Errorf("%s: %v, %v", text, ts, err)
		}
	}
	// Milliseconds may lead to a year that cannot be written; an ISO text cannot.
	for _, text := range append(notTimes, `1e3`, `1.5`, `"1e3"`, `253402300800000`, `"-62167219200001"`, `9223372036854775807`) {
		if err := json.Unmarshal([]byte(text), &ts); !errors.Is(err, ErrDecode) || !ts.IsZero() {
			t.Errorf("%.60s: %v, %v", text, ts, err)
		}
	}
	for want, ts := range map[string]Timestamp{
		`null`:                       {},
		`"2025-04-16T11:22:33.444Z"`: {time.Date(2025, 4, 16, 13, 22, 33, 444_999_999, time.FixedZone("", 7200))},
		`"0999-01-01T00:00:00.000Z"`: {time.Date(999, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		if b, err := json.Marshal(ts); string(b) != want || err != nil {
			t.Errorf("%v encodes to %s, %v; want %s", ts, b, err, want)
		}
	}
	if b, err := json.Marshal(Timestamp{time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}); err == nil {
		t.Errorf("the year 10000 encodes to %s", b)
	}
}
