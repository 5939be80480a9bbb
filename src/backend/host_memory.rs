//! The memory of this machine.

/// What to assume where the system does not say.
const GUESS: u64 = 8 << 30;

/// Memory that this machine has free, in bytes.
pub(crate) fn free() -> u64 {
    told().filter(|bytes| *bytes > 0).unwrap_or(GUESS)
}

#[cfg(target_os = "linux")]
fn told() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib << 10)
}

#[cfg(windows)]
fn told() -> Option<u64> {
    winsafe::GlobalMemoryStatusEx().ok().map(|status| status.ullAvailPhys)
}

/// Half of the memory. macOS reports little as free, because caches use the rest.
#[cfg(not(any(target_os = "linux", windows)))]
fn told() -> Option<u64> {
    static BYTES: std::sync::OnceLock<Option<u64>> = std::sync::OnceLock::new();
    *BYTES.get_or_init(|| {
        let output = std::process::Command::new("sysctl").args(["-n", "hw.memsize"]).output();
        let bytes: u64 = String::from_utf8(output.ok()?.stdout).ok()?.trim().parse().ok()?;
        Some(bytes / 2)
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_system_says_how_much_is_free() {
        let bytes = super::told().unwrap_or_default();
        // 16 MiB to 16 TiB.
        assert!((1 << 24..1 << 44).contains(&bytes), "{bytes} bytes");
    }
}
