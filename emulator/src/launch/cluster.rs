//! The clusters that the blocks of a launch run in.

use crate::machine::Dim3;
use crate::program::{Kernel, MOST_CLUSTER};

/// Blocks of a cluster along each axis, if there are clusters: what the kernel fixes, or what the
/// launch gives.
///
/// # Errors
/// Why they cannot run, in words.
pub(crate) fn size(
    kernel: &Kernel,
    grid: Dim3,
    given: Option<Dim3>,
) -> Result<Option<Dim3>, String> {
    let said = kernel.cluster;
    let fixed = said.fixed.map(|[x, y, z]| Dim3 { x, y, z });
    let Some(size) = given.or(fixed) else {
        if said.explicit {
            return Err(
                "the kernel needs a cluster size (`.explicitcluster`), and the launch gives none"
                    .to_owned(),
            );
        }
        return Ok(None);
    };
    let show = |Dim3 { x, y, z }: Dim3| format!("{x}x{y}x{z}");
    if let Some(fixed) = fixed.filter(|fixed| *fixed != size) {
        return Err(format!(
            "the launch asks for clusters of {} blocks; the kernel fixes {} (`.reqnctapercluster`)",
            show(size),
            show(fixed)
        ));
    }
    let most = said.most.unwrap_or(MOST_CLUSTER).min(MOST_CLUSTER);
    if size.count() == 0 || size.count() > u64::from(most) {
        return Err(format!(
            "a cluster of {} blocks; this kernel can have 1 to {most}",
            show(size)
        ));
    }
    let axes = [(grid.x, size.x), (grid.y, size.y), (grid.z, size.z)];
    if axes.iter().any(|(blocks, size)| !blocks.is_multiple_of(*size)) {
        return Err(format!(
            "a grid of {} blocks cannot be divided into clusters of {}",
            show(grid),
            show(size)
        ));
    }
    Ok(Some(size))
}
