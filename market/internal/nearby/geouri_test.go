package nearby

import (
	"math"
	"strings"
	"testing"

	"github.com/jobboard-sdk/jobboard-go"
)

func TestParseURI(t *testing.T) {
	berlin := jobboard.Near(52.52, 13.405, 50)
	for _, tt := range []struct {
		uri  string
		want jobboard.GeoLocation
	}{
		{"geo:52.52,13.405", berlin},
		{"GEO:52.52,13.405", berlin},
		{"geo:52.52,13.405,34", berlin},
		{"geo:52.52,13.405,-2.5", berlin},
		{"geo:52.52,13.405;u=35", berlin},
		{"geo:52.52,13.405;u=0", berlin},
		{"geo:52.52,13.405;crs=wgs84", berlin},
		{"geo:52.52,13.405;CRS=WGS84;U=35.5;lang=de;flag", berlin},
		{"geo:52.52,13.405,34;crs=wgs84;u=35?z=19", berlin},
		{"geo:52.52,13.405?z=19", berlin},
		{"geo:-33.8600,-0", jobboard.Near(-33.86, 0, 50)},
		{"geo:90,-180", jobboard.Near(90, -180, 50)},
		{"geo:0,0", jobboard.Near(0, 0, 50)},
	} {
		if g, err := parseURI(tt.uri, 50); err != nil || g != tt.want {
			t.Errorf("parseURI(%q, 50) = %#v, %v, want %#v", tt.uri, g, err, tt.want)
		}
	}
}

func TestParseURIErrors(t *testing.T) {
	for _, tt := range []struct {
		uri    string
		radius float64
		says   string
	}{
		{"", 50, "is not a geo URI"},
		{"52.52,13.405", 50, "is not a geo URI"},
		{"https://example.com/52.52,13.405", 50, "is not a geo URI"},
		{strings.Repeat("x", 5000), 50, "is not a geo URI"},
		{"geo:", 50, "geo:latitude,longitude"},
		{"geo:52.52", 50, "geo:latitude,longitude"},
		{"geo:1,2,3,4", 50, "geo:latitude,longitude"},
		{"geo://52.52,13.405", 50, "latitude"},
		{"geo:,13.405", 50, "latitude"},
		{"geo:5e1,13.405", 50, "latitude"},
		{"geo:+52.52,13.405", 50, "latitude"},
		{"geo:%352,13", 50, "latitude"},
		{"geo:90.1,13", 50, "latitude is not between"},
		{"geo:52.52, 13.405", 50, "longitude"},
		{"geo:52.52,13.405#map", 50, "longitude"},
		{"geo:52.52,190", 50, "longitude is not between"},
		{"geo:52.52,13.405,high", 50, "altitude"},
		{"geo:52.52,13.405,", 50, "altitude"},
		{"geo:52.52,13.405;crs=nad27", 50, "crs"},
		{"geo:52.52,13.405;crs", 50, "crs"},
		{"geo:52.52,13.405;crs=wgs84;crs=moon", 50, "crs"},
		{"geo:52.52,13.405;u=", 50, "uncertainty"},
		{"geo:52.52,13.405;u=-1", 50, "uncertainty"},
		{"geo:52.52,13.405;u=wide", 50, "uncertainty"},
		{"geo:52.52,13.405;", 50, "parameter"},
		{"geo:52.52,13.405;=1", 50, "parameter"},
		{"geo:0,0?q=Berlin", 50, "query"},
		{"geo:52.52,13.405?", 50, "query"},
		{"geo:52.52,13.405?z=", 50, "query"},
		{"geo:52.52,13.405?z=1&q=Berlin", 50, "query"},
		{"geo:52.52,13.405", 0, "radius"},
		{"geo:52.52,13.405;u=35", 0, "radius"},
		{"geo:0,0", 0, "radius"},
		{"geo:52.52,13.405", -1, "radius"},
		{"geo:52.52,13.405", math.NaN(), "radius"},
		{"geo:52.52,13.405", math.Inf(1), "radius"},
	} {
		g, err := parseURI(tt.uri, tt.radius)
		if !g.IsZero() {
			t.Errorf("parseURI(%.60q) = %v beside an error", tt.uri, g)
		}
		if err == nil || !strings.Contains(err.Error(), tt.says) || len(err.Error()) > 600 {
			t.Errorf("%.60q: error %v, want it to say %q", tt.uri, err, tt.says)
		}
	}
}
