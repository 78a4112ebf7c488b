//! Distances and bearings on the globe.

/// Mean radius of the earth (IUGG), in kilometres.
const EARTH_KM: f64 = 6_371.008_8;
/// Kilometres in an international mile.
pub(crate) const KM_PER_MILE: f64 = 1.609_344;
/// The eight compass points, clockwise from north.
const WINDS: [&str; 8] = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"];

/// A point on the globe, in degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    /// Degrees north.
    pub(crate) latitude: f64,
    /// Degrees east.
    pub(crate) longitude: f64,
}

impl Point {
    /// Returns the great-circle distance in kilometres by the haversine formula, within 0.6 % of the ellipsoid's.
    pub(crate) fn km_to(self, other: Self) -> f64 {
        let (from, to) = (self.latitude.to_radians(), other.latitude.to_radians());
        let half_latitude = (to - from) / 2.0;
        let half_longitude = (other.longitude - self.longitude).to_radians() / 2.0;
        let chord = half_latitude.sin().powi(2) + from.cos() * to.cos() * half_longitude.sin().powi(2);
        2.0 * EARTH_KM * chord.min(1.0).sqrt().asin()
    }

    /// Returns the bearing at the start of the path, in degrees clockwise from north.
    pub(crate) fn bearing_to(self, other: Self) -> f64 {
        let (from, to) = (self.latitude.to_radians(), other.latitude.to_radians());
        let longitude = (other.longitude - self.longitude).to_radians();
        let east = longitude.sin() * to.cos();
        let north = from.cos() * to.sin() - from.sin() * to.cos() * longitude.cos();
        east.atan2(north).to_degrees().rem_euclid(360.0)
    }
}

/// Returns the compass point nearest to a bearing in degrees.
pub(crate) fn wind(bearing: f64) -> &'static str {
    let eighths = (bearing / 45.0).round().rem_euclid(8.0) as usize;
    WINDS.get(eighths).copied().unwrap_or("N")
}

/// Rounds a value to this number of decimals, for display.
pub(crate) fn rounded(value: f64, decimals: i32) -> f64 {
    let scale = 10f64.powi(decimals);
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    const BERLIN: Point = Point { latitude: 52.52509, longitude: 13.36940 };
    const LONDON: Point = Point { latitude: 51.52997, longitude: -0.12768 };

    #[test]
    fn distances_are_known_ones() {
        let quarter = Point { latitude: 0.0, longitude: 0.0 }.km_to(Point { latitude: 0.0, longitude: 90.0 });
        assert!((quarter - EARTH_KM * std::f64::consts::FRAC_PI_2).abs() < 1e-6, "{quarter}");
        assert!((BERLIN.km_to(LONDON) - 928.0).abs() < 5.0, "{}", BERLIN.km_to(LONDON));
        assert_eq!(BERLIN.km_to(LONDON), LONDON.km_to(BERLIN));
        assert_eq!(BERLIN.km_to(BERLIN), 0.0);
        let poles =
            Point { latitude: 90.0, longitude: 0.0 }.km_to(Point { latitude: -90.0, longitude: 77.0 });
        assert!((poles - EARTH_KM * std::f64::consts::PI).abs() < 1e-6, "{poles}");
    }

    #[test]
    fn bearings_have_names() {
        let home = Point { latitude: 0.0, longitude: 0.0 };
        for (latitude, longitude, name) in [
            (1.0, 0.0, "N"),
            (1.0, 1.0, "NE"),
            (0.0, 1.0, "E"),
            (-1.0, 0.0, "S"),
            (0.0, -1.0, "W"),
            (1.0, -0.01, "N"),
        ] {
            assert_eq!(wind(home.bearing_to(Point { latitude, longitude })), name, "{latitude} {longitude}");
        }
    }
}
