#![allow(clippy::unwrap_used)]

use std::time::{Duration, SystemTime};

use proptest::prelude::*;

use super::*;
use crate::compiler::discovery::Kind;
use crate::compiler::{Compiled, Message, Severity, Target};

fn cache(folder: &Path, most: u64) -> Cache {
    Cache { folder: Some(folder.to_owned()), most }
}

fn compiled(ptx: &str, cubin: Option<Vec<u8>>) -> Compiled {
    let warning =
        Message { line: Some(3), column: None, severity: Severity::Warning, text: "w".to_owned() };
    Compiled {
        ptx: ptx.to_owned(),
        cubin,
        compiler: "NVRTC 12.9".to_owned(),
        warnings: vec![warning],
    }
}

#[test]
fn the_key_depends_on_all_that_matters() {
    let request =
        Request { name: "a.cu".to_owned(), source: "int a;".to_owned(), target: Target::Emulator };
    let compiler = Compiler {
        kind: Kind::Nvrtc,
        path: "/x".into(),
        identity: "/x 1 2".to_owned(),
        asked: false,
    };
    let one = key(&request, &compiler, &[]);
    assert_eq!(one, key(&request.clone(), &compiler.clone(), &[]));
    let other = |change: &dyn Fn(&mut Request, &mut Compiler)| {
        let (mut request, mut compiler) = (request.clone(), compiler.clone());
        change(&mut request, &mut compiler);
        key(&request, &compiler, &[])
    };
    assert_ne!(one, other(&|request, _| request.source.push(' ')));
    assert_ne!(one, other(&|request, _| request.name.push('b')));
    let device = Target::Device { compute: 90, driver: (12, 4) };
    assert_ne!(one, other(&|request, _| request.target = device));
    assert_ne!(one, other(&|_, compiler| compiler.identity.push('3')));
}

#[test]
fn texts_do_not_run_into_each_other() {
    assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
}

#[test]
fn the_oldest_entries_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let cache = cache(folder.path(), 10_000);
    let text = "x".repeat(3000);
    let start = SystemTime::now();
    for at in 0..5_u64 {
        let key = format!("k{at}");
        cache.put(&key, &compiled(&text, None));
        let path = folder.path().join(format!("{key}.{ENDING}"));
        let file = fs::File::options().append(true).open(path).unwrap();
        file.set_modified(start - Duration::from_secs(1000 - at)).unwrap();
    }
    // Another file of the folder stays.
    fs::write(folder.path().join("other.txt"), vec![0; 20_000]).unwrap();
    cache.put("k5", &compiled(&text, None));
    let kept: Vec<u64> =
        (0..6).filter(|at| cache.get::<Compiled>(&format!("k{at}")).is_some()).collect();
    assert_eq!(kept, [3, 4, 5]);
    assert!(folder.path().join("other.txt").exists());
    // One that never fits is not kept.
    cache.put("big", &compiled(&"x".repeat(20_000), None));
    assert_eq!(cache.get::<Compiled>("big"), None);
    assert!(cache.get::<Compiled>("k5").is_some());
}

#[test]
fn without_a_folder_nothing_is_kept() {
    let cache = Cache::new(None);
    cache.put("k", &compiled("x", None));
    assert_eq!(cache.get::<Compiled>("k"), None);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let cache = Cache::new(Some(file.join("below")));
    cache.put("k", &compiled("x", None));
    assert_eq!(cache.get::<Compiled>("k"), None);
}

proptest! {
    #[test]
    fn what_is_put_comes_back(ptx in "\\PC{0,200}", cubin: Option<Vec<u8>>) {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path(), MOST_BYTES);
        let entry = compiled(&ptx, cubin);
        cache.put("k", &entry);
        prop_assert_eq!(cache.get::<Compiled>("k"), Some(entry));
        prop_assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_damaged_entry_is_none(at in 0_usize..10_000, bit in 0_u8..8, cut: bool) {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path(), MOST_BYTES);
        cache.put("k", &compiled("ptx", Some(vec![1, 2, 3])));
        let path = folder.path().join(format!("k.{ENDING}"));
        let mut bytes = fs::read(&path).unwrap();
        let at = at % bytes.len();
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at] ^= 1 << bit;
        }
        fs::write(&path, bytes).unwrap();
        prop_assert_eq!(cache.get::<Compiled>("k"), None);
    }
}
