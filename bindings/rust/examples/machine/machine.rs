// SPDX-License-Identifier: MIT
//! What the tests count, and who they are.

use std::arch::asm;

pub const EVENT: &str = "instructions:u";

/// The instructions of a round of `rounds()`.
pub const PER_ROUND: u64 = 2;

/// Two instructions for each round, and some around them.
#[inline(never)]
pub fn rounds(n: u64) {
    assert!(n > 0);
    // SAFETY: counts its register down, and touches nothing else.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        asm!("2:", "dec {n}", "jnz 2b", n = inout(reg) n => _, options(nomem, nostack));
        #[cfg(target_arch = "aarch64")]
        asm!("2:", "subs {n}, {n}, #1", "b.ne 2b", n = inout(reg) n => _, options(nomem, nostack));
    }
}

/// The calling thread's id: /proc/thread-self is PID/task/TID.
pub fn tid() -> i32 {
    let link = std::fs::read_link("/proc/thread-self").unwrap();
    link.file_name().unwrap().to_str().unwrap().parse().unwrap()
}

/// How many descriptors this process has, the one that reads the folder included.
pub fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Lets threads read their counters directly, or not; returns what was before.
pub fn user_access(on: bool) -> std::io::Result<bool> {
    let file = "/proc/sys/dev/pmudev/user_access";
    let before = std::fs::read_to_string(file)?;
    std::fs::write(file, if on { "1" } else { "0" })?;
    Ok(before.trim() == "1")
}
