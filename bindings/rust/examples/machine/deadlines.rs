// SPDX-License-Identifier: MIT
use std::os::raw::{c_int, c_short, c_ulong};
use std::os::unix::io::AsRawFd;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use pmudev::{Deadline, Set};

use crate::machine::{rounds, tid, EVENT, PER_ROUND};
use crate::{Test, Tested};

pub const TESTS: &[Test] = &[
    ("a_deadline_is_reported_once", once),
    ("a_periodic_deadline_is_reported_each_time", periodic),
    ("poll_tells_of_a_deadline", polled),
    ("a_deadline_stops_another_thread", stops),
    ("nothing_is_reached_after_the_end", ended),
];

const SECOND: Option<Duration> = Some(Duration::from_secs(1));

fn once() -> Tested {
    let set = Set::builder().event(EVENT).build()?;
    set.enable()?;
    let begin = set.count(EVENT)?;
    set.deadline(EVENT, Deadline::once(100_000))?;
    assert!(set.reports()?.is_empty());
    assert!(set.wait(Some(Duration::from_millis(2)))?.is_empty());
    rounds(100_000);
    let reports = set.wait(SECOND)?;
    assert_eq!(reports.len(), 1);
    let report = &reports[0];
    println!("# {report:?}");
    assert_eq!((report.event.as_str(), report.reached, report.overruns), (EVENT, 1, 0));
    assert!(report.value > begin + 100_000 && report.value <= report.count);
    assert!(report.count < begin + 100_000 + PER_ROUND * 100_000);
    assert_eq!(report.tid, tid());
    assert!(set.reports()?.is_empty());
    Ok(())
}

fn periodic() -> Tested {
    let set = Set::builder().event(EVENT).build()?;
    set.enable()?;
    let before = set.count(EVENT)?;
    set.deadline(EVENT, Deadline::every(10_000))?;
    let after = set.count(EVENT)?;
    rounds(500_000);
    let report = set.wait(SECOND)?.remove(0);
    let set_at = report.value - 10_000 * report.reached;
    assert!(before < set_at && set_at < after, "{report:?}");
    assert!(report.reached >= 100 && report.count - report.value < 10_000, "{report:?}");
    set.remove_deadline(EVENT)?;
    set.reports()?;
    rounds(50_000);
    assert!(set.reports()?.is_empty());
    set.deadline(EVENT, Deadline::every(10_000).first(1_000_000))?;
    rounds(50_000);
    assert!(set.reports()?.is_empty());
    Ok(())
}

#[repr(C)]
struct PollFd {
    fd: c_int,
    events: c_short,
    revents: c_short,
}

extern "C" {
    fn poll(fds: *mut PollFd, nr: c_ulong, timeout: c_int) -> c_int;
}

const POLLIN: c_short = 1;

fn readable(set: &Set) -> bool {
    let mut fd = PollFd { fd: set.as_raw_fd(), events: POLLIN, revents: 0 };
    // SAFETY: one descriptor.
    let nr = unsafe { poll(&mut fd, 1, 0) };
    nr == 1 && fd.revents == POLLIN
}

fn polled() -> Tested {
    let set = Set::builder().event(EVENT).build()?;
    set.enable()?;
    assert!(!readable(&set));
    set.deadline(EVENT, Deadline::at(1_000_000))?;
    assert!(!readable(&set));
    rounds(500_000);
    assert!(readable(&set));
    assert_eq!(set.reports()?[0].value, 1_000_000);
    assert!(!readable(&set));
    Ok(())
}

fn stops() -> Tested {
    let (to, from) = mpsc::channel();
    let (go, wait) = mpsc::channel::<()>();
    let thread = thread::spawn(move || {
        to.send(tid()).unwrap();
        wait.recv().unwrap();
        rounds(1_000_000);
    });
    let set = Set::builder().event(EVENT).thread(from.recv()?).build()?;
    set.enable()?;
    set.deadline(EVENT, Deadline::once(1_000_000).stop())?;
    go.send(())?;
    let report = set.wait(None)?.remove(0);
    assert_eq!(report.reached, 1);
    let count = set.count(EVENT)?;
    assert!((1_000_000..1_000_000 * PER_ROUND).contains(&count), "{count}");
    rounds(1_000_000);
    assert_eq!(set.count(EVENT)?, count);
    set.resume()?;
    thread.join().map_err(|_| "the thread panicked")?;
    assert!(set.count(EVENT)? >= 1_000_000 * PER_ROUND);
    Ok(())
}

fn ended() -> Tested {
    let (to, from) = mpsc::channel();
    let (go, wait) = mpsc::channel::<()>();
    let thread = thread::spawn(move || {
        to.send(tid()).unwrap();
        wait.recv().unwrap();
    });
    let set = Set::builder().event(EVENT).thread(from.recv()?).build()?;
    set.enable()?;
    set.deadline(EVENT, Deadline::once(1 << 40))?;
    go.send(())?;
    let error = set.wait(None).unwrap_err();
    assert_eq!((error.errno, error.advice.is_empty()), (3, false), "{error:?}");
    thread.join().map_err(|_| "the thread panicked")?;
    assert!(set.read()?.ended());
    Ok(())
}
