//! Where students find the class: addresses as text and as a QR code.

use std::net::{IpAddr, SocketAddr};

use qrcode::{Color, EcLevel, QrCode};

/// Letters of a room code: none that is easily taken for another one.
const LETTERS: &[u8] = b"ABCDEFGHJKLMNPRSTUVWXYZ";

/// Starts of the names of interfaces that lead to no student: containers and virtual machines.
const VIRTUAL: [&str; 5] = ["docker", "br-", "veth", "virbr", "vmnet"];

/// White modules around a QR code; fewer than the standard's four, which cameras of today
/// read, so that the code fits into a small terminal.
const MARGIN: usize = 2;

/// A four-letter room code, or nothing if the system has no random numbers.
pub fn new_code() -> Option<String> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).ok()?;
    let mut number = u64::from_le_bytes(bytes);
    let mut code = String::new();
    for _ in 0..4 {
        code.push(char::from(LETTERS[(number % LETTERS.len() as u64) as usize]));
        number /= LETTERS.len() as u64;
    }
    Some(code)
}

/// The pages under which a server that listens on `bound` is found, the best one first. `hosts`
/// are names that the teacher gave, `interfaces` the addresses of this computer.
pub fn pages(bound: SocketAddr, hosts: &[String], interfaces: &[IpAddr]) -> Vec<String> {
    let port = bound.port();
    let page = |place: &str| match port {
        80 => format!("http://{place}/"),
        port => format!("http://{place}:{port}/"),
    };
    let named = hosts
        .iter()
        .map(|host| if host.contains(':') { format!("http://{host}/") } else { page(host) });
    let numbered = |ip: &IpAddr| match ip {
        IpAddr::V4(ip) => page(&ip.to_string()),
        IpAddr::V6(ip) => page(&format!("[{ip}]")),
    };
    let listens = bound.ip();
    let fits = |ip: &&IpAddr| match (listens, ip) {
        (IpAddr::V4(_), IpAddr::V6(_)) => false,
        // A link-local address needs the name of the student's own interface.
        (_, IpAddr::V6(ip)) => !ip.is_unicast_link_local(),
        (_, IpAddr::V4(ip)) => !ip.is_link_local(),
    };
    let own = if listens.is_unspecified() {
        let mut open: Vec<&IpAddr> =
            interfaces.iter().filter(|ip| !ip.is_loopback()).filter(fits).collect();
        open.sort_by_key(|ip| ip.is_ipv6());
        open.into_iter().map(numbered).collect()
    } else {
        vec![numbered(&listens)]
    };
    named.chain(own).collect()
}

/// The addresses of this computer, without those of containers and virtual machines.
pub fn interfaces() -> Vec<IpAddr> {
    let all = if_addrs::get_if_addrs().unwrap_or_default();
    let real = all.into_iter().filter(|it| !VIRTUAL.iter().any(|name| it.name.starts_with(name)));
    real.map(|it| it.ip()).collect()
}

/// A QR code: rows of modules, dark ones `true`, with a white margin.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Qr {
    /// The rows, all of one length.
    pub rows: Vec<Vec<bool>>,
}

impl Qr {
    /// The code of a text; none for one that is too long.
    pub fn of(text: &str) -> Option<Self> {
        let code = QrCode::with_error_correction_level(text, EcLevel::L).ok()?;
        let (width, colors) = (code.width(), code.into_colors());
        let side = width + 2 * MARGIN;
        let dark = |row: usize, column: usize| {
            let inside = |at: usize| at.checked_sub(MARGIN).filter(|at| *at < width);
            let place = inside(row).zip(inside(column));
            place.is_some_and(|(row, column)| colors[row * width + column] == Color::Dark)
        };
        let row = |row: usize| (0..side).map(|column| dark(row, column)).collect();
        Some(Self { rows: (0..side).map(row).collect() })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_four_letters_that_nobody_confuses() {
        let codes: Vec<String> = (0..50).map(|_| new_code().unwrap()).collect();
        assert!(codes.iter().all(|it| it.len() == 4 && it.bytes().all(|b| LETTERS.contains(&b))));
        assert!(codes.iter().any(|it| *it != codes[0]));
    }

    #[test]
    fn every_address_that_students_can_reach_is_told() {
        let interfaces: Vec<IpAddr> =
            ["127.0.0.1", "::1", "fe80::1", "2001:db8::5", "169.254.7.7", "192.168.1.5"]
                .map(|it| it.parse().unwrap())
                .to_vec();
        let of = |bound: &str, hosts: &[&str]| {
            let hosts: Vec<String> = hosts.iter().map(|it| (*it).to_owned()).collect();
            pages(bound.parse().unwrap(), &hosts, &interfaces)
        };
        assert_eq!(of("127.0.0.1:7310", &[]), ["http://127.0.0.1:7310/"]);
        assert_eq!(of("0.0.0.0:7310", &[]), ["http://192.168.1.5:7310/"]);
        let both = ["http://192.168.1.5/", "http://[2001:db8::5]/"];
        assert_eq!(of("[::]:80", &[]), both);
        let named = ["http://lab.example.org:7310/", "http://a.b:443/", "http://10.0.0.1:7310/"];
        assert_eq!(of("10.0.0.1:7310", &["lab.example.org", "a.b:443"]), named);
    }

    #[test]
    fn a_qr_code_has_its_three_corners_and_a_margin() {
        let qr = Qr::of("http://192.168.100.200:7310/#ABCD").unwrap();
        let side = qr.rows.len();
        assert!(qr.rows.iter().all(|row| row.len() == side) && side <= 33, "{side}");
        assert!(!qr.rows[MARGIN - 1].iter().any(|dark| *dark));
        for (row, column) in [(0, 0), (0, side - 2 * MARGIN - 7), (side - 2 * MARGIN - 7, 0)] {
            let at = |r: usize, c: usize| qr.rows[MARGIN + row + r][MARGIN + column + c];
            assert!((0..7).all(|i| at(0, i) && at(6, i) && at(i, 0) && at(i, 6)));
            assert!((1..6).all(|i| !at(1, i)) && at(3, 3));
        }
        assert_eq!(Qr::of(&"x".repeat(5000)), None);
    }
}
