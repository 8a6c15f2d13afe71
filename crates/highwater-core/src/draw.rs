//! Random draws that are hashes of (seed, purpose, who, count), never the state of a shared
//! stream: a draw that is skipped or added shifts no other.

/// What a draw is for. The numbers are part of every recorded trace: never reuse one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// The id of a new topic.
    TopicId = 1,
    /// Where the first replica of a new topic goes.
    Placement = 2,
    /// A producer's next sticky partition.
    StickyPartition = 3,
    /// When a broker's heartbeats come.
    HeartbeatPhase = 4,
    /// How much longer or shorter than planned a client waits before it tries again.
    RetryJitter = 5,
    /// The id of the folder of a node's metadata log.
    DirectoryId = 20,
    /// The id of the cluster.
    ClusterId = 21,
    /// The id of a member of a group.
    MemberId = 9,
    /// The number of a consumer's fetch session.
    FetchSession = 22,
    /// The number in the name of a group that nobody named.
    GroupName = 8,
    /// What a question of a lesson is about.
    Question = 30,
}

/// The draw number `count` of `who` for `purpose`, all 64 bits of it.
#[must_use]
pub fn draw(seed: u64, purpose: Purpose, who: u64, count: u64) -> u64 {
    let mut state = mix(seed ^ 0x9e37_79b9_7f4a_7c15);
    for part in [purpose as u64, who, count] {
        state = mix(state ^ part.wrapping_mul(0xd6e8_feb8_6659_fd93));
    }
    state
}

/// A draw from `0..bound`; 0 when there is nothing to draw from.
#[must_use]
pub fn draw_below(seed: u64, purpose: Purpose, who: u64, count: u64, bound: u32) -> u32 {
    let wide = u128::from(draw(seed, purpose, who, count)) * u128::from(bound);
    u32::try_from(wide >> 64).unwrap_or(0)
}

/// A full mix of 64 bits: two rounds of multiply and shift, every input bit moves every output bit.
fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A number for a name, to be the `who` of a draw.
#[must_use]
pub fn who(name: &str) -> u64 {
    name.bytes().fold(0, |hash, byte| mix(hash ^ u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Draws differ in each of their four parts, and a bounded draw reaches all values evenly.
    #[test]
    fn draws_depend_on_every_part() {
        let base = draw(1, Purpose::Placement, 2, 3);
        assert_ne!(base, draw(2, Purpose::Placement, 2, 3));
        assert_ne!(base, draw(1, Purpose::TopicId, 2, 3));
        assert_ne!(base, draw(1, Purpose::Placement, 3, 3));
        assert_ne!(base, draw(1, Purpose::Placement, 2, 4));
        let mut seen = [0u32; 5];
        for count in 0..5_000 {
            seen[draw_below(7, Purpose::Placement, 1, count, 5) as usize] += 1;
        }
        assert!(seen.iter().all(|&times| (900..1_100).contains(&times)), "{seen:?}");
    }
}
