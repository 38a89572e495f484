// SPDX-License-Identifier: MIT
//! Sets of events that count.

use std::cell::Cell;
use std::fmt;
use std::os::unix::io::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::process;
use std::thread::{self, ThreadId};

use crate::builder::{Builder, Target};
use crate::error::Error;
use crate::events::{self, Event};
use crate::handle::Handle;
use crate::reader::Reader;
use crate::reading::Reading;
use crate::sys;

/// Events that are counted for a thread, a process or a CPU.
///
/// Dropping it ends the counting and closes its descriptor. It is `Send` but not `Sync`: any thread
/// can have it, but one at a time, because the set keeps why its last call was refused.
///
/// ```compile_fail
/// fn shared(_: impl Sync) {}
/// shared(pmudev::Set::builder().event("cycles:u").build().unwrap());
/// ```
pub struct Set {
    handle: Handle,
    events: Vec<Event>,
    target: Target,
    /// The thread that can read directly.
    reader: Option<ThreadId>,
    /// Somebody reads its ring of samples.
    pub(crate) sampled: Cell<bool>,
}

/// Disables a set, also if what is measured panics. Not in a child that it forked: the set is its
/// parent's.
struct Enabled<'a> {
    set: &'a Set,
    process: u32,
}

impl Drop for Enabled<'_> {
    fn drop(&mut self) {
        if self.process == process::id() {
            // An error here would be an error of the reading, too.
            let _ = self.set.disable();
        }
    }
}

impl Set {
    /// What to count, and where: without a target the thread that calls [`Builder::build`].
    pub fn builder() -> Builder {
        Builder::new()
    }

    pub(crate) fn new(handle: Handle, events: Vec<Event>, target: Target, direct: bool) -> Set {
        let reader = if direct { Some(thread::current().id()) } else { None };
        Set { handle, events, target, reader, sampled: Cell::new(false) }
    }

    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }

    /// What a call of this set returned: a number, or a refusal.
    pub(crate) fn check(&self, result: i32) -> Result<usize, Error> {
        self.check_of(result, &self.events)
    }

    /// The same of a call that was given something of these events.
    pub(crate) fn check_of(&self, result: i32, events: &[Event]) -> Result<usize, Error> {
        usize::try_from(result).map_err(|_| {
            let names: Vec<&str> = events.iter().map(|e| e.name.as_str()).collect();
            Error::of_set(&self.handle, -result, &names)
        })
    }

    /// It counts the thread that made it, alone or with what that creates.
    pub(crate) fn counts_its_maker(&self) -> bool {
        matches!(self.target, Target::Caller)
    }

    /// The events by slot.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The slot of an event.
    pub fn slot(&self, event: &str) -> Result<usize, Error> {
        events::find(&self.events, event)
    }

    /// Enables all groups: their events are on counters when it returns, or it is refused.
    pub fn enable(&self) -> Result<(), Error> {
        self.enable_group(sys::ALL)
    }

    /// Disables all groups; the counts stay.
    pub fn disable(&self) -> Result<(), Error> {
        self.disable_group(sys::ALL)
    }

    /// Sets all counts to 0; times go on.
    pub fn reset(&self) -> Result<(), Error> {
        self.reset_group(sys::ALL)
    }

    /// Enables the group with this number ([`Event::group`]).
    pub fn enable_group(&self, group: u32) -> Result<(), Error> {
        // SAFETY: an open set; the module checks the number.
        self.check(unsafe { sys::pmudev_enable(self.handle.pointer(), group) }).map(drop)
    }

    /// Disables the group with this number.
    pub fn disable_group(&self, group: u32) -> Result<(), Error> {
        // SAFETY: as above.
        self.check(unsafe { sys::pmudev_disable(self.handle.pointer(), group) }).map(drop)
    }

    /// Sets the counts of the group with this number to 0.
    pub fn reset_group(&self, group: u32) -> Result<(), Error> {
        // SAFETY: as above.
        self.check(unsafe { sys::pmudev_reset_group(self.handle.pointer(), group, 0) }).map(drop)
    }

    /// Sets the count of one event.
    pub fn reset_event(&self, event: &str, value: u64) -> Result<(), Error> {
        let slot = self.slot(event)? as u32;
        // SAFETY: as above.
        self.check(unsafe { sys::pmudev_reset_slot(self.handle.pointer(), slot, value) }).map(drop)
    }

    /// All counts and times at one moment, by read(2).
    pub fn read(&self) -> Result<Reading, Error> {
        let mut record = sys::Record::EMPTY;
        let size = std::mem::size_of_val(&record);
        // SAFETY: an open set, and a record of this size.
        self.check(unsafe { sys::pmudev_read(self.handle.pointer(), &mut record, size) })?;
        Ok(Reading::new(&self.events, &record))
    }

    /// The count of one event now: directly if that is possible, else by read(2).
    pub fn count(&self, event: &str) -> Result<u64, Error> {
        self.count_slot(self.slot(event)?)
    }

    pub(crate) fn count_slot(&self, slot: usize) -> Result<u64, Error> {
        let mut value = 0;
        // SAFETY: an open set, and room for a number; the library checks the slot.
        let error =
            unsafe { sys::pmudev_read_count(self.handle.pointer(), slot as u32, &mut value) };
        if error != 0 {
            self.check(error)?;
        }
        Ok(value)
    }

    /// What a function counts: resets, enables, calls it, disables and reads.
    ///
    /// Some instructions of these calls themselves are counted: the same number each time.
    pub fn measure<T>(&self, function: impl FnOnce() -> T) -> Result<(T, Reading), Error> {
        self.disable()?;
        self.reset()?;
        self.enable()?;
        let enabled = Enabled { set: self, process: process::id() };
        let result = function();
        drop(enabled);
        Ok((result, self.read()?))
    }

    /// A direct reader of an event, for the thread that made the set with [`Builder::direct`].
    pub fn reader(&self, event: &str) -> Result<Reader<'_>, Error> {
        let slot = self.slot(event)?;
        if self.reader.is_none() {
            return Err(Error::invalid("the set was not made with direct(true)"));
        }
        if self.reader != Some(thread::current().id()) {
            return Err(Error::invalid("only the thread that made the set reads it directly"));
        }
        Ok(Reader::new(self, slot))
    }
}

impl AsRawFd for Set {
    /// The descriptor of the set: readable for poll(2) when a deadline is reached.
    fn as_raw_fd(&self) -> RawFd {
        self.handle.fd()
    }
}

impl AsFd for Set {
    fn as_fd(&self) -> BorrowedFd<'_> {
        // SAFETY: it stays open for as long as the set is borrowed.
        unsafe { BorrowedFd::borrow_raw(self.handle.fd()) }
    }
}

impl fmt::Debug for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.events.iter().map(|e| e.name.as_str()).collect();
        f.debug_struct("Set").field("events", &names).field("target", &self.target).finish()
    }
}
