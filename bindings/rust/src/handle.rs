// SPDX-License-Identifier: MIT
//! The library's set: made once, freed once.

use std::io;
use std::os::unix::io::RawFd;
use std::ptr::NonNull;

use crate::error::Error;
use crate::sys;

pub(crate) struct Handle(NonNull<sys::Pmudev>);

// SAFETY: the library lets any thread use or close a set; it keeps nothing of a set in thread-local
// storage. (Not Sync: a refusal stays in the set until the next one, and error.rs reads it after
// the call that failed.)
unsafe impl Send for Handle {}

impl Handle {
    pub(crate) fn open() -> Result<Handle, Error> {
        // SAFETY: takes nothing.
        let pointer = unsafe { sys::pmudev_new() };
        match NonNull::new(pointer) {
            Some(pointer) => Ok(Handle(pointer)),
            None => {
                Err(Error::of_errno(io::Error::last_os_error().raw_os_error().unwrap_or_default()))
            }
        }
    }

    pub(crate) fn pointer(&self) -> *mut sys::Pmudev {
        self.0.as_ptr()
    }

    pub(crate) fn fd(&self) -> RawFd {
        // SAFETY: an open set.
        unsafe { sys::pmudev_fd(self.pointer()) }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: from pmudev_new(), and nobody has it any more.
        unsafe { sys::pmudev_free(self.pointer()) }
    }
}
