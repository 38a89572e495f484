// SPDX-License-Identifier: MIT
use std::fs::File;
use std::io::Read;
use std::os::raw::{c_int, c_long, c_uint};
use std::os::unix::io::FromRawFd;
use std::sync::atomic::{AtomicI32, AtomicI64, Ordering};
use std::time::Duration;

use pmudev::{Deadline, Reason, Set};

use crate::machine::{rounds, tid, EVENT};
use crate::{Test, Tested};

pub const TESTS: &[Test] = &[
    ("samples_say_where_and_how_much", samples),
    ("samples_need_a_ring", refused),
    ("half_a_ring_ends_a_wait", half),
    ("an_eventfd_is_told", eventfd),
    ("a_signal_is_sent", signal),
];

const EVERY: u64 = 100_000;

fn samples() -> Tested {
    let set = Set::builder().event("cycles:u").event(EVENT).build()?;
    let mut ring = set.samples(1 << 16)?;
    set.enable()?;
    set.deadline(EVENT, Deadline::every(EVERY).sample())?;
    rounds(500_000);
    set.remove_deadline(EVENT)?;
    let report = set.reports()?.remove(0);
    let found: Vec<_> = ring.by_ref().collect();
    assert_eq!(found.len() as u64, report.reached - report.overruns);
    assert!(found.len() >= 10 && ring.next().is_none() && ring.dropped() == 0);
    for sample in &found {
        assert_eq!((sample.event.as_str(), sample.tid, sample.dropped), (EVENT, tid(), 0));
        assert_eq!(sample.pid as u32, std::process::id());
        assert!(sample.ip != 0 && !sample.kernel && sample.cpu.is_some(), "{sample:?}");
        assert!(sample.counts.len() == 2 && sample.counts[0] != 0, "{sample:?}");
        assert!((sample.value..sample.value + EVERY).contains(&sample.counts[1]), "{sample:?}");
        assert_eq!((sample.value - found[0].value) % EVERY, 0);
    }
    assert!(found.windows(2).all(|two| two[0].time <= two[1].time));
    Ok(())
}

/// As often as it is asked for: once with what was reached, then without.
fn half() -> Tested {
    let set = Set::builder().event(EVENT).build()?;
    let mut ring = set.samples(1)?;
    set.enable()?;
    // Few enough in a tick of the kernel.
    set.deadline(EVENT, Deadline::every(1_000_000).sample())?;
    rounds(20_000_000);
    set.disable()?;
    assert_eq!(set.wait(None)?.len(), 1);
    assert!(set.wait(None)?.is_empty());
    assert!(set.wait(Some(Duration::from_secs(1_000_000_000)))?.is_empty());
    assert!(ring.by_ref().count() >= 4096 / 2 / 72);
    assert!(set.wait(Some(Duration::from_millis(1)))?.is_empty());
    Ok(())
}

fn refused() -> Tested {
    let set = Set::builder().event("cycles:u").event(EVENT).build()?;
    let error = set.deadline(EVENT, Deadline::once(1).sample()).unwrap_err();
    assert_eq!(error.reason, Some(Reason::SAMPLES));
    assert_eq!(error.event.as_deref(), Some(EVENT));
    let ring = set.samples(1 << 13)?;
    assert_eq!(set.samples(1 << 16).err().and_then(|error| error.reason), Some(Reason::RING));
    // One reader at a time.
    assert!(set.samples(1 << 13).is_err());
    drop(ring);
    assert!(set.samples(1 << 13).is_ok());
    Ok(())
}

extern "C" {
    #[link_name = "eventfd"]
    fn new_eventfd(value: c_uint, flags: c_int) -> c_int;
    fn sigaction(signal: c_int, action: *const Action, old: *mut Action) -> c_int;
}

fn eventfd() -> Tested {
    // SAFETY: a descriptor that nobody else has.
    let mut fd = unsafe { File::from_raw_fd(new_eventfd(0, 0)) };
    let set = Set::builder().event(EVENT).build()?;
    set.enable()?;
    set.deadline(EVENT, Deadline::once(EVERY).eventfd(&fd))?;
    rounds(100_000);
    assert_eq!(set.wait(Some(Duration::from_secs(1)))?.len(), 1);
    let mut told = [0; 8];
    fd.read_exact(&mut told)?;
    assert_eq!(u64::from_ne_bytes(told), 1);
    Ok(())
}

const SIGUSR1: c_int = 10;
const SA_SIGINFO: c_int = 4;

/// As glibc has it on 64-bit machines.
#[repr(C)]
struct Action {
    handler: extern "C" fn(c_int, *const Info, *mut u8),
    mask: [u64; 16],
    flags: c_int,
    restorer: usize,
}

/// What siginfo_t has of a SIGPOLL
#[repr(C)]
struct Info {
    signo: c_int,
    errno: c_int,
    code: c_int,
    band: c_long,
    fd: c_int,
}

static SLOT: AtomicI32 = AtomicI32::new(-1);
static BAND: AtomicI64 = AtomicI64::new(0);
static FD: AtomicI32 = AtomicI32::new(-1);

extern "C" fn on_signal(_: c_int, info: *const Info, _: *mut u8) {
    // SAFETY: the kernel's, of a signal that has a siginfo.
    let info = unsafe { &*info };
    SLOT.store(info.errno, Ordering::Relaxed);
    BAND.store(info.band, Ordering::Relaxed);
    FD.store(info.fd, Ordering::Relaxed);
}

fn signal() -> Tested {
    use std::os::unix::io::AsRawFd;

    let action = Action { handler: on_signal, mask: [0; 16], flags: SA_SIGINFO, restorer: 0 };
    // SAFETY: a handler that stores numbers; the library sets the rest.
    assert_eq!(unsafe { sigaction(SIGUSR1, &action, std::ptr::null_mut()) }, 0);
    let set = Set::builder().event("cycles:u").event(EVENT).build()?;
    set.enable()?;
    set.deadline(EVENT, Deadline::once(EVERY).signal(SIGUSR1 as u32))?;
    rounds(100_000);
    let report = set.reports()?.remove(0);
    assert_eq!((SLOT.load(Ordering::Relaxed), FD.load(Ordering::Relaxed)), (1, set.as_raw_fd()));
    assert_eq!(BAND.load(Ordering::Relaxed) as u64, report.count);
    assert!(set.deadline(EVENT, Deadline::once(1).signal(SIGUSR1 as u32).sample()).is_err());
    Ok(())
}
