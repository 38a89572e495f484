// SPDX-License-Identifier: MIT
//! Exact counts of the CPU's performance counters, by libpmudev and `/dev/pmudev`.
//!
//! ```no_run
//! let set = pmudev::Set::builder().event("instructions:u").event("cycles:u").build()?;
//! let (sum, counts) = set.measure(|| (1..1000u64).sum::<u64>())?;
//! println!("{sum}: {} instructions", counts.value("instructions:u")?);
//! # Ok::<(), pmudev::Error>(())
//! ```
//!
//! [`Set`] counts, [`Reader`] reads one event without a system call, [`Deadline`] is a count at
//! which you are told, [`Samples`] are where the program was then, and [`Error`] says why something was refused and what to do about it.
//! `docs/rust.md` of pmudev explains more.
#![deny(unsafe_op_in_unsafe_fn)]
#![warn(missing_docs)]

mod builder;
mod deadline;
mod error;
mod events;
mod handle;
mod reader;
mod reading;
mod reason;
mod samples;
mod set;
#[allow(missing_docs)]
mod sys;
#[cfg(test)]
mod sys_test;

pub use builder::Builder;
pub use deadline::{Deadline, Report};
pub use error::{Error, Holder};
pub use events::Event;
pub use reader::Reader;
pub use reading::{Count, Reading};
pub use reason::Reason;
pub use samples::{Sample, Samples};
pub use set::Set;
