//! What the tool measures, and its lines (`ProducerPerformance.Stats`). Times are virtual
//! milliseconds.

use highwater_core::time::SimTime;

/// Bytes of the unit that is called MB.
const MB: f64 = 1_024.0 * 1_024.0;

/// Numbers of a stretch of time.
#[derive(Clone, Debug)]
struct Stretch {
    start_ms: i64,
    count: u64,
    bytes: u64,
    total_latency_ms: u64,
    max_latency_ms: u64,
}

impl Stretch {
    fn new(start_ms: i64) -> Self {
        Self { start_ms, count: 0, bytes: 0, total_latency_ms: 0, max_latency_ms: 0 }
    }

    fn add(&mut self, bytes: u32, latency_ms: u64) {
        self.count += 1;
        self.bytes += u64::from(bytes);
        self.total_latency_ms += latency_ms;
        self.max_latency_ms = self.max_latency_ms.max(latency_ms);
    }

    /// Records and megabytes a second, and the mean latency.
    fn rates(&self, now_ms: i64) -> (f64, f64, f64) {
        let elapsed = float(u64::try_from(now_ms - self.start_ms).unwrap_or(0));
        let records = 1_000.0 * float(self.count) / elapsed;
        let megabytes = 1_000.0 * float(self.bytes) / elapsed / MB;
        (records, megabytes, float(self.total_latency_ms) / float(self.count))
    }
}

/// Everything that was measured.
#[derive(Clone, Debug)]
pub(super) struct Statistics {
    whole: Stretch,
    window: Stretch,
    interval_ms: u64,
    /// How many records had each latency, shortest first.
    latencies: Vec<(u64, u64)>,
}

impl Statistics {
    pub(super) fn new(now: SimTime, interval_ms: u64) -> Self {
        let start = now.epoch_millis();
        let (whole, window) = (Stretch::new(start), Stretch::new(start));
        Self { whole, window, interval_ms, latencies: Vec::new() }
    }

    /// A record was acknowledged. Returns the line about the window that this ends, if any.
    pub(super) fn record(&mut self, sent: SimTime, bytes: u32, now: SimTime) -> Option<String> {
        let now_ms = now.epoch_millis();
        let latency = u64::try_from(now_ms - sent.epoch_millis()).unwrap_or(0);
        self.whole.add(bytes, latency);
        self.window.add(bytes, latency);
        match self.latencies.binary_search_by_key(&latency, |(known, _)| *known) {
            Ok(place) => self.latencies[place].1 += 1,
            Err(place) => self.latencies.insert(place, (latency, 1)),
        }
        let elapsed = u64::try_from(now_ms - self.window.start_ms).unwrap_or(0);
        if elapsed < self.interval_ms {
            return None;
        }
        let (records, megabytes, mean) = self.window.rates(now_ms);
        let Stretch { count, max_latency_ms, .. } = self.window;
        self.window = Stretch::new(now_ms);
        Some(format!(
            "{count} records sent, {} records/sec ({} MB/sec), {} ms avg latency, {}.0 ms max \
             latency.\n",
            digits(records, 1),
            digits(megabytes, 2),
            digits(mean, 1),
            max_latency_ms
        ))
    }

    /// The last line.
    pub(super) fn total(&self, now: SimTime) -> String {
        let (records, megabytes, mean) = self.whole.rates(now.epoch_millis());
        let Stretch { count, max_latency_ms, .. } = self.whole;
        let [half, most, nearly_all, all_but_few] =
            [500, 950, 990, 999].map(|thousandths| self.percentile(thousandths));
        format!(
            "{count} records sent, {} records/sec ({} MB/sec), {} ms avg latency, \
             {max_latency_ms}.00 ms max latency, {half} ms 50th, {most} ms 95th, {nearly_all} ms \
             99th, {all_but_few} ms 99.9th.\n",
            digits(records, 6),
            digits(megabytes, 2),
            digits(mean, 2),
        )
    }

    /// The latency of the record at that place, when all stand in the order of their latencies.
    fn percentile(&self, thousandths: u64) -> u64 {
        let place = u128::from(self.whole.count) * u128::from(thousandths) / 1_000;
        let mut before: u128 = 0;
        for (latency, count) in &self.latencies {
            before += u128::from(*count);
            if place < before {
                return *latency;
            }
        }
        0
    }
}

/// A count as Java's `double`; counts here are far below the 2^53 where that would lose something.
fn float(count: u64) -> f64 {
    let high = u32::try_from(count >> 32).unwrap_or(0);
    let low = u32::try_from(count & u64::from(u32::MAX)).unwrap_or(0);
    f64::from(high) * 4_294_967_296.0 + f64::from(low)
}

/// A number with so many digits after the point, as Java writes it.
fn digits(number: f64, places: usize) -> String {
    if number.is_infinite() { "Infinity".to_owned() } else { format!("{number:.places$}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Windows end when their time is over, and percentiles are those of Kafka's formula.
    #[test]
    fn lines() {
        let at = |ms: u64| SimTime(ms * 1_000);
        let mut statistics = Statistics::new(at(0), 1_000);
        assert_eq!(statistics.record(at(0), 100, at(10)), None);
        let line = statistics.record(at(990), 100, at(1_000)).expect("the window is over");
        assert_eq!(
            line,
            "2 records sent, 2.0 records/sec (0.00 MB/sec), 10.0 ms avg latency, 10.0 ms max \
             latency.\n"
        );
        assert_eq!(statistics.record(at(1_000), 100, at(1_900)), None);
        assert_eq!(
            statistics.total(at(2_000)),
            "3 records sent, 1.500000 records/sec (0.00 MB/sec), 306.67 ms avg latency, 900.00 ms \
             max latency, 10 ms 50th, 900 ms 95th, 900 ms 99th, 900 ms 99.9th.\n"
        );
    }

    /// Nothing sent, and no time gone by.
    #[test]
    fn nothing() {
        let statistics = Statistics::new(SimTime(0), 5_000);
        assert!(statistics.total(SimTime(0)).contains("NaN ms avg latency"));
        let mut statistics = Statistics::new(SimTime(0), 5_000);
        statistics.record(SimTime(0), u32::MAX, SimTime(0));
        assert!(statistics.total(SimTime(0)).contains("Infinity records/sec"));
    }
}
