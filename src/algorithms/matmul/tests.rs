#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::algorithms::tests;

fn case(variant: &str, block: u32, coarsen: u32, [m, n, k]: [u64; 3]) -> Case {
    let params = [("m", &*m.to_string()), ("k", &*k.to_string())];
    tests::case(&Matmul, variant, [n, block.into(), coarsen.into()], &params)
}

fn launch(case: &Case) -> Launch {
    Matmul.work(case).launches().next().unwrap().clone()
}

/// A product of 32-bit floats, as a kernel computes it.
fn product(case: &Case, inputs: &Inputs) -> Vec<f32> {
    let (a, b) = factors(inputs);
    let Shape { m, n, k } = shape(case);
    let element = |index: usize| {
        let (row, column) = (index / n, index % n);
        (0..k).fold(0.0f32, |sum, i| a[row * k + i].mul_add(b[i * n + column], sum))
    };
    (0..m * n).into_par_iter().map(element).collect()
}

#[test]
fn a_case_becomes_one_launch() {
    let told = |variant: &str, block, coarsen, shape| {
        let launch = launch(&case(variant, block, coarsen, shape));
        (launch.kernel, launch.grid.x, launch.shared_bytes)
    };
    let is = |kernel: &str, grid, shared| (format!("matmul_{kernel}"), grid, shared);
    let odd = [33, 65, 5];
    assert_eq!(told("global", 48, 3, odd), is("global", 15, 0));
    assert_eq!(told("thread-per-element", 48, 1, odd), is("thread_per_element", 45, 0));
    assert_eq!(told("tiled", 64, 1, odd), is("tiled_8", 5 * 9, 0));
    assert_eq!(told("tiled", 1024, 2, odd), is("tiled_32", 3, 0));
    assert_eq!(told("block-per-element", 48, 4, odd), is("block_per_element", 537, 256));
    assert_eq!(told("window-2x2", 48, 1, odd), is("window_2x2", 17 * 33, 1024));
    assert_eq!(told("register-tiled", 64, 1, odd), is("register_tiled_64", 2, 0));
    assert_eq!(told("register-tiled", 128, 1, [129, 129, 1]), is("register_tiled_128", 6, 0));
    assert_eq!(told("register-tiled", 256, 1, [129, 129, 1]), is("register_tiled_256", 4, 0));
    assert_eq!(told("async-copies", 256, 1, [129, 129, 1]), is("async_copies", 4, 0));
    assert_eq!(told("async-wide", 256, 1, [129, 129, 1]), is("async_wide", 2, 0));
    assert_eq!(told("async-relay", 256, 1, [129, 129, 1]), is("async_relay", 2, 0));
    let warp = is("tensor_cores_warp", 2, 100_352);
    assert_eq!(told("tensor-cores-warp", 256, 1, [129, 129, 1]), warp);
    assert_eq!(told("tensor-cores", 256, 1, [129, 129, 1]), is("tensor_cores", 2, 201_728));
    let bulk = is("tensor_cores_bulk", 2, 197_632);
    assert_eq!(told("tensor-cores-bulk", 256, 1, [129, 129, 1]), bulk);
    // Even without any element one block is launched.
    assert_eq!(told("tiled", 256, 1, [0, 0, 0]), is("tiled_16", 1, 0));
}

#[test]
fn a_relay_cuts_the_last_tiles_along_k() {
    let shared_out = |shape| {
        let relay = Relay::of(&case("async-relay", 256, 1, shape));
        assert_eq!(launch(&case("async-relay", 256, 1, shape)).grid.x, relay.blocks() as u32);
        (relay.whole, relay.cut, relay.parts)
    };
    assert_eq!(shared_out([8192, 8192, 8192]), (2048 - 128, 128, 8));
    assert_eq!(shared_out([1024, 1024, 1024]), (0, 32, 4));
    // Too short to be cut.
    assert_eq!(shared_out([8192, 8192, 511]), (2048, 0, 1));
    assert_eq!(shared_out([0, 0, 0]), (0, 0, 1));
}

#[test]
fn boxes_are_copied_where_rows_begin_at_multiples_of_sixteen_bytes() {
    let told = |shape| launch(&case("tensor-cores-bulk", 256, 1, shape));
    assert_eq!(told([8, 8, 8]).block.x, 384);
    let boxes = |shape| told(shape).args[6].clone();
    assert_eq!(boxes([5, 8, 4]), Arg::U32(1));
    for shape in [[5, 7, 4], [5, 8, 6], [0, 0, 0]] {
        assert_eq!(boxes(shape), Arg::U32(0));
    }
}

#[test]
fn extents_that_are_not_set_are_the_order() {
    let args = |shape| launch(&case("global", 32, 1, shape)).args[3..].to_vec();
    assert_eq!(args([0, 9, 0]), [Arg::U32(9), Arg::U32(9), Arg::U32(9)]);
    assert_eq!(args([2, 9, 4]), [Arg::U32(2), Arg::U32(9), Arg::U32(4)]);
    let work = Matmul.work(&case("global", 32, 1, [2, 9, 4]));
    let bytes: Vec<u64> = work.buffers.iter().map(Buffer::bytes).collect();
    assert_eq!(bytes, [2 * 4 * 4, 4 * 9 * 4, 2 * 9 * 4]);
    let traffic = Matmul.traffic(&case("global", 32, 1, [2, 9, 4]));
    assert_eq!((traffic.bytes, traffic.flops), (248, 144));
}

#[test]
fn blocks_that_are_no_tile_are_told_what_is() {
    let why = |variant, block| Matmul.obstacle(&case(variant, block, 1, [9, 9, 9]));
    assert!(why("tiled", 128).unwrap().contains("64, 256 or 1024 threads"));
    assert!(why("register-tiled", 32).unwrap().contains("64, 128 or 256 threads"));
    assert!(why("async-wide", 128).unwrap().contains("256 threads"));
    assert!(why("tensor-cores-warp", 128).unwrap().contains("256 threads"));
    assert!(why("tensor-cores", 384).unwrap().contains("256 threads"));
    for (variant, block) in [
        ("tiled", 64),
        ("tiled", 1024),
        ("register-tiled", 128),
        ("async-copies", 256),
        ("async-relay", 256),
        ("tensor-cores-warp", 256),
        ("tensor-cores", 256),
        ("tensor-cores-bulk", 256),
        ("global", 33),
    ] {
        assert_eq!(why(variant, block), None);
    }
}

#[test]
fn the_reference_multiplies_by_hand() {
    let inputs: Inputs =
        [vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], vec![7.0, 8.0, 9.0, 10.0, 11.0, 12.0]]
            .map(|values| Arc::new(HostBuffer::F32(values)))
            .to_vec();
    let reference = Matmul.reference(&case("global", 32, 1, [2, 2, 3]), &inputs);
    assert_eq!(reference, [HostBuffer::F64(vec![58.0, 64.0, 139.0, 154.0])]);
}

#[test]
fn elements_lie_between_minus_one_and_one_or_count() {
    for dist in Distribution::ALL {
        let values = elements(dist, 3, 1000);
        match dist {
            Distribution::Iota => {
                assert_eq!(values, (0..1000u16).map(f32::from).collect::<Vec<_>>());
            }
            Distribution::Constant => assert_eq!(values, [42.0; 1000]),
            Distribution::Ones => assert_eq!(values, [1.0; 1000]),
            _ => assert!(values.iter().all(|value| (-1.0..1.0).contains(value)), "{dist}"),
        }
    }
    let mean = elements(Distribution::Uniform, 3, 100_000).iter().sum::<f32>() / 1e5;
    assert!(mean.abs() < 0.01, "{mean}");
}

#[test]
fn a_product_with_rounding_is_right_and_one_without_a_summand_is_not() {
    for dist in Distribution::ALL {
        let case = Case { dist, ..case("global", 32, 1, [20, 30, 300]) };
        let inputs = Matmul.inputs(&case);
        let reference = Matmul.reference(&case, &inputs);
        let verify =
            |c: &[f32]| Matmul.verify(&case, &inputs, &reference, &[HostBuffer::F32(c.to_vec())]);
        let mut c = product(&case, &inputs);
        assert_eq!(verify(&c), Ok(()), "{dist}");
        // Without the largest of the 300 products.
        let (a, b) = factors(&inputs);
        let summand = (0..300)
            .map(|i| a[7 * 300 + i] * b[i * 30 + 11])
            .max_by(|x, y| x.abs().total_cmp(&y.abs()))
            .unwrap();
        c[7 * 30 + 11] -= summand;
        assert_eq!(verify(&c).unwrap_err().index, 7 * 30 + 11, "{dist}");
        c[5] = f32::NAN;
        assert_eq!(verify(&c).unwrap_err().index, 5, "{dist}");
        assert!(verify(&c[1..]).is_err());
    }
}

/// An element in TF32: 10 bits of fraction, rounded to the nearest, ties away from zero, or
/// cut off.
fn tf32(value: f32, nearest: bool) -> f32 {
    f32::from_bits((value.to_bits() + if nearest { 1 << 12 } else { 0 }) & !0x1fff)
}

#[test]
fn tensor_cores_may_lose_bits_of_the_inputs_but_no_summand() {
    for (variant, dist) in [
        ("tensor-cores-warp", Distribution::Uniform),
        ("tensor-cores", Distribution::Uniform),
        ("tensor-cores", Distribution::Iota),
        ("tensor-cores-bulk", Distribution::Uniform),
    ] {
        let case = Case { dist, ..case(variant, 256, 1, [20, 30, 300]) };
        let inputs = Matmul.inputs(&case);
        let reference = Matmul.reference(&case, &inputs);
        let (a, b) = factors(&inputs);
        let rounded: Inputs = [
            a.iter().map(|&it| tf32(it, false)).collect::<Vec<_>>(),
            b.iter().map(|&it| tf32(it, true)).collect(),
        ]
        .map(|values| Arc::new(HostBuffer::F32(values)))
        .to_vec();
        let mut c = product(&case, &rounded);
        let check = |case: &Case, c: &[f32]| {
            Matmul.verify(case, &inputs, &reference, &[HostBuffer::F32(c.to_vec())])
        };
        assert_eq!(check(&case, &c), Ok(()), "{dist}");
        // Other variants may not lose them.
        let other = Case { variant: "async-wide".to_owned(), ..case.clone() };
        assert!(check(&other, &c).is_err(), "{dist}");
        c[7 * 30 + 11] *= 0.99;
        c[7 * 30 + 11] -= 0.5;
        assert_eq!(check(&case, &c).unwrap_err().index, 7 * 30 + 11, "{dist}");
    }
}

#[test]
fn a_large_product_is_checked_by_rows_and_by_signs() {
    let case = case("global", 32, 1, [40, 50, 300]);
    let inputs = Matmul.inputs(&case);
    let (a, b) = factors(&inputs);
    let reference = samples(shape(&case), a, b);
    let lengths: Vec<usize> = reference.iter().map(HostBuffer::len).collect();
    assert_eq!(lengths, [16 * 50, 4 * 40]);
    let mut c = product(&case, &inputs);
    let verify =
        |c: &[f32]| Matmul.verify(&case, &inputs, &reference, &[HostBuffer::F32(c.to_vec())]);
    assert_eq!(verify(&c), Ok(()));
    // Row 39 is one of those computed, row 38 is not: there the row is named.
    assert!(sampled_rows(40).contains(&39) && !sampled_rows(40).contains(&38));
    for (row, column, named) in [(39, 49, 39 * 50 + 49), (38, 3, 38 * 50)] {
        let right = c[row * 50 + column];
        for wrong in [right + 0.01, f32::NAN] {
            c[row * 50 + column] = wrong;
            assert_eq!(verify(&c).unwrap_err().index, named);
        }
        c[row * 50 + column] = right;
    }
    assert!(Matmul.view(&case, &inputs, &reference).is_none());
}

#[test]
fn the_view_is_a_heat_map_with_the_intensity() {
    let case = case("global", 32, 1, [2, 3, 4]);
    let inputs = Matmul.inputs(&case);
    let outputs = [HostBuffer::F32(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])];
    let Some(View::Heat(heat)) = Matmul.view(&case, &inputs, &outputs) else { panic!() };
    assert_eq!((heat.rows, heat.columns, heat.mean), (2, 3, Some(3.5)));
    // 48 operations on 26 numbers.
    assert!(heat.label.contains("(0.4615"), "{}", heat.label);
    let reference = Matmul.reference(&case, &inputs);
    assert!(matches!(Matmul.view(&case, &inputs, &reference), Some(View::Heat(_))));
    assert!(Matmul.view(&case, &inputs, &[]).is_none());
}

proptest! {
    #[test]
    fn sampled_rows_are_different_and_reach_both_ends(m in 1usize..20_000) {
        let rows = sampled_rows(m);
        prop_assert!(rows.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert_eq!((rows[0], rows[rows.len() - 1]), (0, if m == 1 { 0 } else { m - 1 }));
    }
}
