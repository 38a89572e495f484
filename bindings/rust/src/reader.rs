// SPDX-License-Identifier: MIT
//! Direct reads.

use std::marker::PhantomData;

use crate::error::Error;
use crate::set::Set;
use crate::sys;

/// Reads one event without a system call: see [`Set::reader`].
///
/// It stays in the thread that made it, which the set counts.
///
/// ```compile_fail
/// let set = pmudev::Set::builder().event("cycles:u").direct(true).build().unwrap();
/// let reader = set.reader("cycles:u").unwrap();
/// std::thread::scope(|scope| drop(scope.spawn(move || reader.read())));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Reader<'set> {
    set: &'set Set,
    slot: usize,
    this_thread: PhantomData<*const ()>,
}

impl<'set> Reader<'set> {
    pub(crate) fn new(set: &'set Set, slot: usize) -> Reader<'set> {
        Reader { set, slot, this_thread: PhantomData }
    }

    /// The count now: directly, or by read(2) while that is not possible, such as with a deadline.
    #[inline]
    pub fn read(&self) -> Result<u64, Error> {
        self.set.count_slot(self.slot)
    }

    /// The count now, but never by read(2): `None` while it cannot be read directly.
    #[inline]
    pub fn try_read(&self) -> Option<u64> {
        let mut value = 0;
        // SAFETY: an open set, room for a number, and a slot of the set.
        let read = unsafe {
            sys::pmudev_try_count(self.set.handle().pointer(), self.slot as u32, &mut value)
        };
        if read {
            Some(value)
        } else {
            None
        }
    }
}
