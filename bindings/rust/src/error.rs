// SPDX-License-Identifier: MIT
//! Refusals and wrong arguments.

use std::ffi::CStr;
use std::fmt;
use std::io;
use std::os::raw::{c_char, c_int};

use crate::handle::Handle;
use crate::reason::Reason;
use crate::sys;

pub const EINTR: i32 = 4;
const EINVAL: i32 = 22;

/// The holder of a counter that was needed: `struct pmudev_holder`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Holder {
    /// Index of the counter; fixed counters are 32 and above.
    pub counter: u32,
    /// `enum pmudev_holder_kind`.
    pub kind: u32,
    /// The process that opened the set; 0 if unknown or withheld.
    pub pid: i32,
    /// The CPU that is counted, -1 for a task.
    pub cpu: i32,
}

/// Why a call failed.
///
/// Its text (`Display`) is [`Error::advice`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    /// As the call returned it; EINVAL (22) for arguments that this crate refuses itself.
    pub errno: i32,
    /// The module's reason; `None` if it was not the module that refused.
    pub reason: Option<Reason>,
    /// A sentence: why, and what to do about it.
    pub advice: String,
    /// The name of the event concerned.
    pub event: Option<String>,
    /// The bound that the comment of the reason tells of.
    pub limit: u64,
    /// The holders of the counters that were needed.
    pub holders: Vec<Holder>,
    /// Of events that cannot be parsed: where in the text the error is, in bytes.
    pub position: Option<usize>,
}

impl Error {
    fn new(errno: i32, advice: String) -> Error {
        Error {
            errno,
            reason: None,
            advice,
            event: None,
            limit: 0,
            holders: Vec::new(),
            position: None,
        }
    }

    /// An argument that cannot be.
    pub(crate) fn invalid(advice: impl Into<String>) -> Error {
        Error::new(EINVAL, advice.into())
    }

    /// Events that cannot be parsed.
    pub(crate) fn events(errno: i32, advice: String, position: usize) -> Error {
        Error { position: Some(position), ..Error::new(errno, advice) }
    }

    /// Of a call that has no set.
    pub(crate) fn of_errno(errno: i32) -> Error {
        // SAFETY: without a refusal; the library writes at most `size` bytes with a zero at the end.
        let advice = sentence(|text, size| unsafe {
            sys::pmudev_explain_refusal(-errno, std::ptr::null(), text, size)
        });
        Error::new(errno, advice)
    }

    /// Of a call of this set that returned -errno, before any other call of it.
    pub(crate) fn of_set(handle: &Handle, errno: i32, names: &[&str]) -> Error {
        let mut why = sys::Refusal::default();
        // SAFETY: an open set, and room for a refusal.
        if unsafe { sys::pmudev_why(handle.pointer(), &mut why) } != -errno {
            return Error::of_errno(errno);
        }
        // SAFETY: an open set; the library writes at most `size` bytes with a zero at the end.
        let mut advice =
            sentence(|text, size| unsafe { sys::pmudev_explain(handle.pointer(), text, size) });
        if why.code == 0 {
            return Error::new(errno, advice);
        }
        let event = usize::try_from(why.event).ok().and_then(|i| names.get(i));
        if let (Some(event), Some(rest)) =
            (event, advice.strip_prefix(&format!("event {}: ", why.event)))
        {
            advice = format!("{event}: {rest}");
        }
        Error {
            reason: Some(Reason(why.code)),
            event: event.map(|name| name.to_string()),
            limit: why.limit,
            holders: holders(&why),
            ..Error::new(errno, advice)
        }
    }
}

fn holders(why: &sys::Refusal) -> Vec<Holder> {
    if why.holders == 0 {
        return Vec::new();
    }
    let nr = (why.nr_holders as usize).min(sys::MAX_HOLDERS);
    // SAFETY: pmudev_why() leaves there the address of an array of so many in the set, valid until
    // the set's next failure. The set is not Sync: no other thread makes it fail now.
    let array = unsafe { std::slice::from_raw_parts(why.holders as *const sys::Holder, nr) };
    array
        .iter()
        .map(|h| Holder { counter: h.counter, kind: h.kind, pid: h.pid, cpu: h.cpu })
        .collect()
}

/// What a function of the library writes into a buffer.
fn sentence(write: impl FnOnce(*mut c_char, usize) -> c_int) -> String {
    let mut text: [c_char; 1024] = [0; 1024];
    write(text.as_mut_ptr(), text.len());
    string(&text)
}

/// The text before the first zero, or all of it.
pub(crate) fn string(text: &[c_char]) -> String {
    let bytes: Vec<u8> = text.iter().take_while(|c| **c != 0).map(|c| *c as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A string of the library's.
///
/// # Safety
/// It is NULL or ends with a zero.
pub(crate) unsafe fn owned(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.advice)
    }
}

impl std::error::Error for Error {}

impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        io::Error::new(io::Error::from_raw_os_error(error.errno).kind(), error)
    }
}
