use std::fmt::{self, Display, Formatter};
use std::time::{SystemTime, UNIX_EPOCH};

const DAY: i64 = 24 * 60 * 60;

/// The expiry of a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Expiry {
    /// Seconds since 1970.
    seconds: i64,
}

impl Expiry {
    /// Parses `YYMMDDHHMMSSZ`, for years from 1950 to 2049.
    pub(super) fn utc_time(text: &[u8]) -> Option<Self> {
        let year = number(text.get(..2)?)?;
        let century = if year < 50 { 2000 } else { 1900 };
        Self::in_year(century + year, text.get(2..)?)
    }

    /// Parses `YYYYMMDDHHMMSSZ`.
    pub(super) fn generalized_time(text: &[u8]) -> Option<Self> {
        Self::in_year(number(text.get(..4)?)?, text.get(4..)?)
    }

    fn in_year(year: i64, text: &[u8]) -> Option<Self> {
        let (digits, b"Z") = text.split_at_checked(10)? else {
            return None;
        };
        let mut pairs = digits.chunks(2).map(number);
        let mut next = || pairs.next().flatten();
        let (month, day) = (next()?, next()?);
        let (hour, minute, second) = (next()?, next()?, next()?);
        let right = (1..=12).contains(&month)
            && (1..=31).contains(&day)
            && hour < 24
            && minute < 60
            && second < 60;
        right.then(|| Self {
            seconds: days(year, month, day) * DAY + hour * 3600 + minute * 60 + second,
        })
    }

    /// Seconds since 1970.
    pub fn seconds(self) -> i64 {
        self.seconds
    }

    pub(super) fn from_seconds(seconds: i64) -> Self {
        Self { seconds }
    }

    /// Logs the expiry.
    pub(super) fn log(self, port: &'static str, what: &str) {
        match self.is_past() {
            true => tracing::warn!(
                port,
                "certificate {what}, but it expired at {self}: clients refuse it"
            ),
            false => tracing::info!(port, "certificate {what}: it expires at {self}"),
        }
    }

    /// Whether it is in the past.
    fn is_past(self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        now.is_ok_and(|now| now.as_secs().cast_signed() > self.seconds)
    }
}

/// Days from 1970 to a date of the Gregorian calendar. Years start in March, so a leap day is the
/// last day.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month > 2 { year } else { year - 1 };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    365 * year + year / 4 - year / 100 + year / 400 + of_year - 719_468
}

/// The year, month and day this many days after 1970.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

fn number(digits: &[u8]) -> Option<i64> {
    let digits = std::str::from_utf8(digits).ok()?;
    let all = digits.bytes().all(|digit| digit.is_ascii_digit());
    digits.parse().ok().filter(|_| all)
}

impl Display for Expiry {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date(self.seconds.div_euclid(DAY));
        let time = self.seconds.rem_euclid(DAY);
        let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
        write!(
            formatter,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_time_formats_are_parsed() {
        let table = [
            ("700101000000Z", Some((0, "1970-01-01T00:00:00Z"))),
            (
                "491231235959Z",
                Some((2_524_607_999, "2049-12-31T23:59:59Z")),
            ),
            (
                "500101000000Z",
                Some((-631_152_000, "1950-01-01T00:00:00Z")),
            ),
            (
                "240229120000Z",
                Some((1_709_208_000, "2024-02-29T12:00:00Z")),
            ),
            (
                "20500101000000Z",
                Some((2_524_608_000, "2050-01-01T00:00:00Z")),
            ),
            (
                "99991231235959Z",
                Some((253_402_300_799, "9999-12-31T23:59:59Z")),
            ),
            ("241301000000Z", None),
            ("240101000000", None),
            ("240101000000+", None),
            ("24010100000+Z", None),
            ("", None),
        ];
        for (text, expected) in table {
            let read = match text.len() {
                15 => Expiry::generalized_time(text.as_bytes()),
                _ => Expiry::utc_time(text.as_bytes()),
            };
            let read = read.map(|expiry| (expiry.seconds(), expiry.to_string()));
            let expected = expected.map(|(seconds, text)| (seconds, text.to_owned()));
            assert_eq!(read, expected, "{text}");
        }
    }

    #[test]
    fn days_convert_to_dates_and_back() {
        for day in -36_525..3_000_000 {
            let (year, month, of_month) = date(day);
            assert_eq!(days(year, month, of_month), day);
        }
    }
}
