//! Lanes and numbers in words.

/// Lanes of a mask in words: `lane 3`, `lanes 0–15 and 20`, `no lane`.
pub fn lanes_in_words(mask: u32) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == lane => *last = lane,
            _ => runs.push((lane, lane)),
        }
    }
    let shown: Vec<String> = runs
        .iter()
        .map(|&(first, last)| match last - first {
            0 => first.to_string(),
            1 => format!("{first}, {last}"),
            _ => format!("{first}–{last}"),
        })
        .collect();
    match (mask.count_ones(), shown.as_slice()) {
        (0, _) => "no lane".to_owned(),
        (32, _) => "all 32 lanes".to_owned(),
        (1, [one]) => format!("lane {one}"),
        // More would fill the line.
        (many, texts) if texts.len() > 6 => match even(&runs) {
            Some([first, second, last]) => format!("lanes {first}, {second}, … {last}"),
            None => format!("{many} lanes"),
        },
        (_, [runs @ .., last]) if !runs.is_empty() => {
            format!("lanes {} and {last}", runs.join(", "))
        }
        (_, runs) => format!("lanes {}", runs.join(", ")),
    }
}

/// The first two and the last of single lanes that stand evenly.
fn even(runs: &[(u32, u32)]) -> Option<[u32; 3]> {
    let [(first, _), (second, _), .., (last, _)] = runs else { return None };
    let gap = second - first;
    let mut places = (*first..).step_by(gap as usize);
    let is_even = runs.iter().all(|&(from, to)| from == to && places.next() == Some(from));
    is_even.then_some([*first, *second, *last])
}

/// `1 lane`, `8 lanes`: a count with its noun.
pub(crate) fn count(many: u64, noun: &str) -> String {
    let plural = if many == 1 {
        noun.to_owned()
    } else if noun.ends_with('s') {
        format!("{noun}es")
    } else {
        format!("{noun}s")
    };
    format!("{many} {plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_lanes_are_short() {
        for (mask, words) in [
            (0, "no lane"),
            (u32::MAX, "all 32 lanes"),
            (0b1000, "lane 3"),
            (0xffff, "lanes 0–15"),
            (0b11, "lanes 0, 1"),
            (0x0010_ffff, "lanes 0–15 and 20"),
            (0x5555_5555, "lanes 0, 2, … 30"),
            (0x8888_8888, "lanes 3, 7, … 31"),
            (0x5555_5557, "17 lanes"),
        ] {
            assert_eq!(lanes_in_words(mask), words);
        }
        assert_eq!((count(1, "pass"), count(8, "pass")), ("1 pass".into(), "8 passes".into()));
    }
}
