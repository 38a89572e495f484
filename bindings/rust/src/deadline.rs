// SPDX-License-Identifier: MIT
//! To be told when a count is reached.

use std::os::unix::io::{AsRawFd, RawFd};
use std::time::{Duration, Instant};

use crate::error::{Error, EINTR};
use crate::set::Set;
use crate::sys;

/// A count of an event at which you are told: see [`Set::deadline`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "set.deadline() sets it"]
pub struct Deadline {
    value: u64,
    period: u64,
    flags: u32,
    eventfd: RawFd,
    signal: u32,
}

impl Deadline {
    fn new(value: u64, period: u64, flags: u32) -> Deadline {
        Deadline { value, period, flags, eventfd: 0, signal: 0 }
    }

    /// When the event has counted so many more.
    pub fn once(distance: u64) -> Deadline {
        Deadline::new(distance, 0, sys::DEADLINE_RELATIVE)
    }

    /// Each time that the event has counted so many more.
    pub fn every(period: u64) -> Deadline {
        Deadline::new(period, period, sys::DEADLINE_RELATIVE | sys::DEADLINE_PERIODIC)
    }

    /// When the count is this. At or below the present count it is reached at once.
    pub fn at(count: u64) -> Deadline {
        Deadline::new(count, 0, 0)
    }

    /// The first one is so far away instead.
    pub fn first(self, distance: u64) -> Deadline {
        Deadline { value: distance, flags: self.flags | sys::DEADLINE_RELATIVE, ..self }
    }

    /// Of the sum that an inherited set or a process counts, not of each thread. Only once.
    pub fn total(self) -> Deadline {
        Deadline { flags: self.flags | sys::DEADLINE_TOTAL, ..self }
    }

    /// Holds the counted thread there until [`Set::resume`]; not for the thread that made the set.
    pub fn stop(self) -> Deadline {
        Deadline { flags: self.flags | sys::DEADLINE_STOP, ..self }
    }

    /// Writes a sample into the set's ring: call [`Set::samples`] before. Not with a signal.
    pub fn sample(self) -> Deadline {
        Deadline { flags: self.flags | sys::DEADLINE_SAMPLE, ..self }
    }

    /// Adds 1 to an eventfd.
    pub fn eventfd(self, fd: &impl AsRawFd) -> Deadline {
        let flags = self.flags | sys::DEADLINE_EVENTFD;
        Deadline { eventfd: fd.as_raw_fd(), flags, ..self }
    }

    /// Sends the counted thread a signal, by its number: with the set's descriptor (`si_fd`), the
    /// event's place in the set (`si_errno`) and its count (`si_band`).
    pub fn signal(self, number: u32) -> Deadline {
        Deadline { signal: number, flags: self.flags | sys::DEADLINE_SIGNAL, ..self }
    }
}

/// What the deadlines of an event have reached since the last reports: `struct pmudev_report`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The name of the event.
    pub event: String,
    /// The last deadline that was reached.
    pub value: u64,
    /// The count when that was reported.
    pub count: u64,
    /// How many were reached.
    pub reached: u64,
    /// How many of these were not reported on their own.
    pub overruns: u64,
    /// The thread that reached the last one; 0 for a CPU.
    pub tid: i32,
    /// The kernel's limit of interrupts delayed one of them.
    pub late: bool,
}

/// Deadlines. The set's descriptor (`as_raw_fd()`) is readable for poll(2) while there are reports.
impl Set {
    /// Sets or replaces the deadline of an event.
    pub fn deadline(&self, event: &str, deadline: Deadline) -> Result<(), Error> {
        let stops = deadline.flags & sys::DEADLINE_STOP != 0;
        if stops && self.counts_its_maker() {
            return Err(Error::invalid("stop is for other threads than the set's maker"));
        }
        let slot = self.slot(event)?;
        let one = sys::Deadline {
            slot: slot as u32,
            flags: deadline.flags,
            value: deadline.value,
            period: deadline.period,
            eventfd: deadline.eventfd,
            signal: deadline.signal,
            id: if deadline.signal != 0 { self.as_raw_fd() } else { 0 },
            ..sys::Deadline::default()
        };
        // SAFETY: an open set, and one deadline, whose contents the module checks.
        let result = unsafe { sys::pmudev_deadline_set(self.handle().pointer(), &one, 1) };
        self.check_of(result, &self.events()[slot..=slot]).map(drop)
    }

    /// Removes the deadline of an event; no effect if it has none.
    pub fn remove_deadline(&self, event: &str) -> Result<(), Error> {
        let slot = self.slot(event)? as u32;
        // SAFETY: an open set; the module checks the slot.
        self.check(unsafe { sys::pmudev_deadline_remove(self.handle().pointer(), slot) }).map(drop)
    }

    /// Lets threads go on that a deadline with [`Deadline::stop`] holds.
    pub fn resume(&self) -> Result<(), Error> {
        // SAFETY: an open set.
        self.check(unsafe { sys::pmudev_deadline_continue(self.handle().pointer()) }).map(drop)
    }

    /// What was reached since the last reports; does not wait.
    pub fn reports(&self) -> Result<Vec<Report>, Error> {
        let mut reports = vec![sys::Report::default(); self.events().len()];
        let nr = reports.len() as u32;
        // SAFETY: an open set, and room for so many reports.
        let nr = self.check(unsafe {
            sys::pmudev_deadline_reports(self.handle().pointer(), reports.as_mut_ptr(), nr)
        })?;
        Ok(self.reported(&reports, nr))
    }

    /// Waits until something is reached, for ever or for so long; empty when the time is over.
    ///
    /// A deadline with a sample ends it only when half of the ring is used, and then it may be empty.
    ///
    /// Fails with ESRCH (3) when nothing can be reached any more because the target has ended.
    pub fn wait(&self, timeout: Option<Duration>) -> Result<Vec<Report>, Error> {
        let begin = Instant::now();
        let mut reports = vec![sys::Report::default(); self.events().len()];
        let room = reports.len() as u32;
        loop {
            let waited = begin.elapsed();
            let wait = milliseconds(timeout.map(|timeout| timeout.saturating_sub(waited)));
            // SAFETY: an open set, and room for so many reports.
            let nr = unsafe {
                sys::pmudev_deadline_wait(self.handle().pointer(), reports.as_mut_ptr(), room, wait)
            };
            // poll(2) waits for some days at most. 0 earlier: half of the ring is used.
            let cut = wait == i32::MAX && (begin.elapsed() - waited).as_millis() >= wait as u128;
            if nr != -EINTR && !(nr == 0 && cut) {
                let nr = self.check(nr)?;
                return Ok(self.reported(&reports, nr));
            }
        }
    }

    fn reported(&self, reports: &[sys::Report], nr: usize) -> Vec<Report> {
        reports
            .iter()
            .take(nr)
            .map(|r| Report {
                event: self
                    .events()
                    .get(r.slot as usize)
                    .map(|event| event.name.clone())
                    .unwrap_or_default(),
                value: r.value,
                count: r.count,
                reached: r.reached,
                overruns: r.overruns,
                tid: r.tid,
                late: r.flags & sys::REPORT_LATE != 0,
            })
            .collect()
    }
}

/// For poll(2): rounded up, -1 for ever.
fn milliseconds(left: Option<Duration>) -> i32 {
    match left {
        None => -1,
        Some(left) => {
            let up = left.as_nanos().saturating_add(999_999) / 1_000_000;
            i32::try_from(up).unwrap_or(i32::MAX)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poll_times() {
        assert_eq!(milliseconds(None), -1);
        assert_eq!(milliseconds(Some(Duration::ZERO)), 0);
        assert_eq!(milliseconds(Some(Duration::from_nanos(1))), 1);
        assert_eq!(milliseconds(Some(Duration::from_millis(7))), 7);
        assert_eq!(milliseconds(Some(Duration::MAX)), i32::MAX);
    }

    #[test]
    fn kinds() {
        let every = Deadline::every(100).first(7);
        assert_eq!((every.value, every.period, every.flags), (7, 100, 3));
        assert_eq!(Deadline::once(5).flags, sys::DEADLINE_RELATIVE);
        assert_eq!(Deadline::at(5).total().flags, sys::DEADLINE_TOTAL);
        let signal = Deadline::at(5).signal(10);
        assert_eq!((signal.signal, signal.flags), (10, sys::DEADLINE_SIGNAL));
    }
}
