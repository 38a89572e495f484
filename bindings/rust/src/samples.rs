// SPDX-License-Identifier: MIT
//! Where a program was when its events reached their deadlines.

use crate::error::Error;
use crate::set::Set;
use crate::sys;

/// Where a thread was when it reached a deadline: `struct pmudev_sample`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sample {
    /// The name of the event whose deadline it was.
    pub event: String,
    /// The deadline.
    pub value: u64,
    /// The instruction that was next; 0 if it is unknown.
    pub ip: u64,
    /// `CLOCK_MONOTONIC` in ns.
    pub time: u64,
    /// The process.
    pub pid: i32,
    /// The thread.
    pub tid: i32,
    /// The CPU; none if the deadline was found when the thread ran nowhere.
    pub cpu: Option<u32>,
    /// `ip` is in the kernel.
    pub kernel: bool,
    /// `ip` is where the thread entered the kernel.
    pub entry: bool,
    /// What each event of the set had counted, in the set's order, at one moment.
    pub counts: Vec<u64>,
    /// Samples without room before this one.
    pub dropped: u64,
}

/// The samples of a set, as one reader takes them: see [`Set::samples`].
///
/// As an iterator it gives those that are there, and does not wait; later there may be more.
pub struct Samples<'a> {
    ring: Box<sys::Samples>,
    events: Vec<String>,
    set: &'a Set,
}

/// Samples. The set's descriptor is readable while half of the ring is used.
impl Set {
    /// The ring of samples, which [`Deadline::sample`](crate::Deadline::sample) needs.
    ///
    /// The first call makes it, with room for at least so many bytes; then it keeps its size. It is
    /// locked memory until the set is dropped. There is one reader at a time: another is refused.
    pub fn samples(&self, bytes: usize) -> Result<Samples<'_>, Error> {
        let mut ring = Box::new(sys::Samples::EMPTY);
        // SAFETY: an open set, and a structure that the library fills in.
        self.check(unsafe {
            sys::pmudev_samples_open(&mut *ring, self.handle().pointer(), bytes)
        })?;
        let events = self.events().iter().map(|event| event.name.clone()).collect();
        if self.sampled.replace(true) {
            // SAFETY: a ring that is open.
            unsafe { sys::pmudev_samples_close(&mut *ring) };
            return Err(Error::invalid("the samples of this set have a reader"));
        }
        Ok(Samples { ring, events, set: self })
    }
}

impl Samples<'_> {
    /// Samples that had no room, since the ring was made.
    pub fn dropped(&self) -> u64 {
        // SAFETY: a ring that is open.
        unsafe { sys::pmudev_samples_dropped(&*self.ring) }
    }
}

impl Iterator for Samples<'_> {
    type Item = Sample;

    fn next(&mut self) -> Option<Sample> {
        // SAFETY: a ring that is open. What is returned is valid until the next call.
        let raw = unsafe { sys::pmudev_samples_next(&mut *self.ring).as_ref() }?;
        let first = std::ptr::addr_of!(*raw).wrapping_add(1).cast::<u64>();
        let nr = raw.present.count_ones() as usize;
        // SAFETY: a sample has a count for each bit of `present` behind it.
        let counts = unsafe { std::slice::from_raw_parts(first, nr) }.to_vec();
        Some(Sample {
            event: self.events.get(raw.slot as usize).cloned().unwrap_or_default(),
            value: raw.value,
            ip: raw.ip,
            time: raw.time,
            pid: raw.pid,
            tid: raw.tid,
            cpu: if raw.cpu == u32::MAX { None } else { Some(raw.cpu) },
            kernel: raw.flags & sys::SAMPLE_KERNEL != 0,
            entry: raw.flags & sys::SAMPLE_ENTRY != 0,
            counts,
            dropped: raw.dropped,
        })
    }
}

impl Drop for Samples<'_> {
    fn drop(&mut self) {
        // SAFETY: a ring that is open.
        unsafe { sys::pmudev_samples_close(&mut *self.ring) }
        self.set.sampled.set(false);
    }
}
