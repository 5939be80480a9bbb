use super::*;
use crate::export::report::tests::records;

#[test]
fn what_a_record_says_is_never_markup() {
    let mut records = records();
    records[2].skip = Some("<img src=x onerror=alert(1)> & \"more\"".to_owned());
    let page = render(&records, &["<b>.jsonl".to_owned()]).unwrap();
    assert!(!page.contains("<img") && !page.contains("<b>"), "{page}");
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt; &amp; &quot;more&quot;"));
}

#[test]
fn every_case_is_there_with_its_provenance_and_every_reason() {
    let records = records();
    let page = render(&records, &[]).unwrap();
    for part in [
        "2 verified against a CPU reference, 1 WRONG, 1 skipped",
        "recorded · NVIDIA H200",
        "modelled · H200 SXM · unvalidated",
        "needs 4 GiB",
        "the reference has 5",
        "580.159",
        "never compared with that GPU",
        "warpscope sweep histogram",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let rows = page.split("id=\"cases-caption\"").nth(1).unwrap().split("</table>").next().unwrap();
    assert_eq!(rows.matches("<tr>").count(), records.len() + 1);
}

#[test]
fn nothing_is_still_a_page() {
    let page = render(&[], &[]).unwrap();
    assert!(page.contains("No cases.") && page.ends_with("</html>"));
}

#[test]
fn many_curves_are_cut_down_to_the_fastest_and_that_is_said() {
    let mut all = Vec::new();
    for variant in ["global", "shared"] {
        for block in [32, 64, 128, 256, 512, 1024, 96, 160] {
            for n in [1024, 2048, 4096] {
                let mut record = records()[0].clone();
                (record.variant, record.block, record.n) = (variant.to_owned(), block, n);
                if let Some(seconds) = &mut record.seconds {
                    seconds.median = n as f64 / f64::from(block) * 1e-9;
                }
                all.push(record);
            }
        }
    }
    let page = render(&all, &[]).unwrap();
    assert!(page.contains("Of 16 curves, those of each variant's fastest block size"));
    let [group] = &groups::of(&all)[..] else { panic!() };
    let best: Vec<u32> = group.fastest(4096).iter().map(|(record, _)| record.block).collect();
    assert_eq!(best, [1024, 1024]);
    assert_eq!(page.matches("<svg").count(), 4, "time, speed-up, and a map of each");
}
