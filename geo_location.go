package jobboard

import (
	"fmt"
	"math"
)

// Near is the circle of radiusKm kilometres around the location, to search
// for jobs close to this one. A location without usable coordinates (see
// Coordinates) and a circle that [GeoLocation.Validate] refuses are
// ErrInvalidInput.
func (l Location) Near(radiusKm float64) (GeoLocation, error) {
	latitude, longitude, ok := l.Coordinates()
	if !ok {
		return GeoLocation{}, fmt.Errorf("jobboard: geolocation of a location without usable coordinates: %w", ErrInvalidInput)
	}
	return checkedNear(latitude, longitude, radiusKm)
}

// DistanceKm is the distance from the location to the place of g, as the
// function DistanceKm measures it. Without usable coordinates it is +Inf, so
// that such a location sorts behind every other.
func (l Location) DistanceKm(g GeoLocation) float64 {
	latitude, longitude, ok := l.Coordinates()
	if !ok {
		return math.Inf(1)
	}
	return DistanceKm(Near(latitude, longitude, 0), g)
}
