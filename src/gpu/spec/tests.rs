#![allow(clippy::unwrap_used)]

use super::*;

#[test]
fn every_built_in_file_is_a_profile() {
    for (name, text) in FILES {
        if let Err(error) = read(text, name) {
            panic!("{error}");
        }
    }
    assert_eq!(specs().len(), FILES.len());
    let there = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/profiles")).unwrap();
    let toml = |path: &Path| path.extension().is_some_and(|extension| extension == "toml");
    let there = there.filter(|entry| toml(&entry.as_ref().unwrap().path())).count();
    assert_eq!(there, FILES.len(), "a profile in the folder that is not built in");
    assert!(specs().iter().all(|spec| spec.bus_bytes_per_second > 1e9));
    let h200 = find_spec(DEFAULT_GPU).unwrap();
    assert_eq!((h200.compute_capability, h200.sms, h200.l2_bytes), (90, 132, 50 << 20));
}

#[test]
fn names_are_found_in_part() {
    assert_eq!(find_spec("h200").unwrap().name, "H200 SXM");
    assert_eq!(find_spec("745").unwrap().name, "GTX 745 (OEM)");
    assert!(find_spec("RTX").is_none(), "two of them");
    assert!(find_spec("").is_none());
    assert!(find_spec("Voodoo").is_none());
}

#[test]
fn devices_have_the_profile_of_just_their_model() {
    let of = |name| spec_of_device(name).map(|spec| spec.name.clone());
    let is = |name: &str| Some(name.to_owned());
    assert_eq!(of("NVIDIA H200"), is("H200 SXM"));
    assert_eq!(of("NVIDIA GeForce RTX 4090"), is("RTX 4090"));
    assert_eq!(of("Tesla T4"), is("T4"));
    assert_eq!(of("H200 SXM"), is("H200 SXM"));
    // Other memory, other clocks.
    assert_eq!((of("NVIDIA H200 NVL"), of("NVIDIA H100 PCIe"), of("")), (None, None, None));
}

#[test]
fn identities_differ_by_what_predictions_depend_on() {
    let ids: std::collections::BTreeSet<_> = specs().iter().map(|spec| spec.id()).collect();
    assert_eq!(ids.len(), specs().len());
    let t4 = find_spec("T4").unwrap();
    let changed = |change: fn(&mut Document)| {
        let mut document = t4.document();
        change(&mut document);
        parse_spec(&write(&document), "t4.toml").unwrap().id()
    };
    assert_eq!(changed(|_| ()), t4.id());
    assert_eq!(changed(|document| document.note.push('!')), t4.id());
    let faster = |document: &mut Document| {
        document.numbers.insert(Key::LaunchTime, Number::one(1e-6, "assumed"));
    };
    assert_ne!(changed(faster), t4.id());
}

#[test]
fn what_nobody_measured_is_carried_over_and_says_so() {
    let (h200, t4) = (find_spec("H200 SXM").unwrap(), find_spec("T4").unwrap());
    let same = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{a} {b}");
    same(t4.get(Key::L1Latency), h200.get(Key::L1Latency));
    same(t4.get(Key::DramCopy), h200.get(Key::DramCopy) * 320.0 / 4800.0);
    same(t4.get(Key::AtomicSlice), h200.get(Key::AtomicSlice) * 1590.0 / 1980.0);
    same(t4.get(Key::L2Slices), h200.get(Key::L2Slices) * 40.0 / 132.0);
    // As far from its own peak at as much in flight, by its own measure.
    let flight = 2e6;
    same(
        t4.at(Key::DramReadByFlight, flight * 320.0 / 4800.0) / t4.dram_bytes_per_second,
        h200.at(Key::DramReadByFlight, flight) / h200.dram_bytes_per_second,
    );
    assert!(t4.number(Key::DramCopy).source.starts_with("assumed: as on H200 SXM"));
    assert!(t4.number(Key::BoostClock).source.starts_with("published"));
    // All of its file but the latency of copies, also what is to be confirmed.
    let [measured, published, assumed] = t4.sources();
    let told = read(include_str!("../../../assets/profiles/t4.toml"), "").unwrap().numbers.len();
    assert_eq!((measured, published, assumed), (0, told - 1, Key::ALL.len() - told + 1));
}

#[test]
fn a_file_is_opened_by_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    let mut document = find_spec("T4").unwrap().document();
    document.name = "Mine".to_owned();
    fs::write(&path, write(&document)).unwrap();
    let opened = open_spec(path.to_str().unwrap()).unwrap();
    assert_eq!((opened.name.as_str(), opened.sms), ("Mine", 40));
    assert_eq!(opened.document(), document);
    assert_eq!(open_spec("h200").unwrap().name, "H200 SXM");
    let error = |given: &str| open_spec(given).unwrap_err().to_string();
    assert!(error("Voodoo").contains("known: GTX 745"), "{}", error("Voodoo"));
    assert!(error("./no.toml").starts_with("cannot read the GPU profile ./no.toml: "));
    assert!(error(folder.path().to_str().unwrap()).contains("cannot read"));
}
