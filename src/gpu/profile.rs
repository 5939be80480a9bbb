//! GPU profiles: the published figures of each GPU that times can be predicted for.

use std::sync::LazyLock;

/// The profile used unless another is named.
pub const DEFAULT_PROFILE: &str = "H200 SXM";

/// Published figures of one GPU, from `assets/gpus.csv`.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Name: `H200 SXM`.
    pub name: String,
    /// Compute capability as major * 10 + minor: 90 for 9.0.
    pub compute_capability: u32,
    /// Streaming multiprocessors.
    pub sms: u32,
    /// 32-bit float lanes per multiprocessor.
    pub fp32_lanes: u32,
    /// Boost clock in hertz.
    pub boost_hz: f64,
    /// Peak DRAM bandwidth in bytes per second.
    pub dram_bytes_per_second: f64,
    /// DRAM in bytes.
    pub dram_bytes: u64,
    /// L2 cache in bytes.
    pub l2_bytes: u64,
    /// How sure the figures are, in words.
    pub confidence: String,
    /// Rate of the bus to the host in bytes per second: what the link carries
    /// at most, which no copy was compared with.
    pub bus_bytes_per_second: f64,
    /// Seconds that a copy takes beside its bytes.
    pub bus_latency: f64,
    /// Where the two come from, in words.
    pub bus_source: String,
    /// Whether predictions for it were compared with the real GPU.
    pub validated: bool,
}

impl Profile {
    /// Reads one data line of `gpus.csv`.
    fn parse(line: &[String]) -> Option<Self> {
        let [
            name,
            capability,
            sms,
            lanes,
            mhz,
            gb_s,
            gib,
            l2,
            confidence,
            bus_gb_s,
            bus_us,
            bus_source,
        ] = line
        else {
            return None;
        };
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let (major, minor) = capability.split_once('.')?;
        Some(Self {
            name: name.clone(),
            compute_capability: major.parse::<u32>().ok()? * 10 + minor.parse::<u32>().ok()?,
            sms: sms.parse().ok()?,
            fp32_lanes: lanes.parse().ok()?,
            boost_hz: number(mhz)? * 1e6,
            dram_bytes_per_second: number(gb_s)? * 1e9,
            dram_bytes: (number(gib)? * f64::from(1 << 30)) as u64,
            l2_bytes: (number(l2)? * f64::from(1 << 20)) as u64,
            confidence: confidence.clone(),
            bus_bytes_per_second: number(bus_gb_s)? * 1e9,
            bus_latency: number(bus_us)? * 1e-6,
            bus_source: bus_source.clone(),
            // The model of this version was never checked against hardware case by case.
            validated: false,
        })
    }

    /// What identifies the profile in stored records: its name and a hash of
    /// its figures (FNV-1a, 64 bits).
    pub fn id(&self) -> String {
        let text = format!("{self:?}");
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("profile-{hash:016x}")
    }
}

static PROFILES: LazyLock<Vec<Profile>> = LazyLock::new(|| {
    let text = include_str!("../../assets/gpus.csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader
        .records()
        .filter_map(|record| {
            let fields: Vec<String> = record.ok()?.iter().map(str::to_owned).collect();
            Profile::parse(&fields)
        })
        .collect()
});

/// Every built-in profile, oldest GPU first.
pub fn profiles() -> &'static [Profile] {
    &PROFILES
}

/// The profile called `name`, in any case of letters, or the only one whose
/// name contains it.
pub fn find_profile(name: &str) -> Option<&'static Profile> {
    let wanted = name.trim().to_lowercase();
    if let Some(exact) = profiles().iter().find(|profile| profile.name.to_lowercase() == wanted) {
        return Some(exact);
    }
    let mut containing =
        profiles().iter().filter(|profile| profile.name.to_lowercase().contains(&wanted));
    let found = containing.next()?;
    (!wanted.is_empty() && containing.next().is_none()).then_some(found)
}

/// The profile of a GPU by the name that its driver gives, such as `NVIDIA H200`.
pub fn profile_of_device(name: &str) -> Option<&'static Profile> {
    /// Names in which the driver says something else than the profile does.
    const OTHERWISE: [(&str, &str); 6] = [
        ("H200", "H200 SXM"),
        ("H100 80GB HBM3", "H100 SXM"),
        ("A100-SXM4-80GB", "A100 SXM 80GB"),
        ("V100-SXM2-16GB", "V100 SXM2"),
        ("V100-SXM2-32GB", "V100 SXM2"),
        ("TITAN X (Pascal)", "Titan X (Pascal)"),
    ];

    let mut short = name.trim();
    for maker in ["NVIDIA ", "Tesla ", "GeForce "] {
        short = short.strip_prefix(maker).unwrap_or(short);
    }
    let known = OTHERWISE.iter().find(|(driver, _)| *driver == short);
    let wanted = known.map_or(short, |(_, profile)| profile);
    profiles().iter().find(|profile| profile.name == wanted)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_a_profile() {
        let lines = include_str!("../../assets/gpus.csv").lines().count() - 1;
        assert_eq!(profiles().len(), lines);
        assert!(profiles().iter().all(|profile| profile.bus_bytes_per_second > 1e10));
        let h200 = find_profile(DEFAULT_PROFILE).unwrap();
        assert_eq!((h200.compute_capability, h200.sms, h200.l2_bytes), (90, 132, 50 << 20));
    }

    #[test]
    fn names_are_found_in_part() {
        assert_eq!(find_profile("h200").unwrap().name, "H200 SXM");
        assert_eq!(find_profile("745").unwrap().name, "GTX 745 (OEM)");
        assert!(find_profile("RTX").is_none(), "two of them");
        assert!(find_profile("").is_none());
        assert!(find_profile("Voodoo").is_none());
    }

    #[test]
    fn devices_have_the_profile_of_just_their_model() {
        let of = |name| profile_of_device(name).map(|profile| profile.name.as_str());
        assert_eq!(of("NVIDIA H200"), Some("H200 SXM"));
        assert_eq!(of("NVIDIA GeForce RTX 4090"), Some("RTX 4090"));
        assert_eq!(of("Tesla T4"), Some("T4"));
        assert_eq!(of("H200 SXM"), Some("H200 SXM"));
        // Other memory, other clocks.
        assert_eq!((of("NVIDIA H200 NVL"), of("NVIDIA H100 PCIe"), of("")), (None, None, None));
    }

    #[test]
    fn identities_differ() {
        let ids: std::collections::BTreeSet<_> = profiles().iter().map(Profile::id).collect();
        assert_eq!(ids.len(), profiles().len());
    }
}
