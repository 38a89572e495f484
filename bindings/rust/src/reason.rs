// SPDX-License-Identifier: MIT
//! The reasons of refusals.

use std::fmt;

/// Why the module refused a call: `enum pmudev_reason` of `<linux/pmudev.h>`.
///
/// A newer module can have reasons that this crate does not know; [`Reason::name`] is then `None`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Reason(pub u32);

macro_rules! reasons {
    ($($name:ident = $number:literal,)*) => {
        impl Reason {
            $(#[doc = concat!("`PMUDEV_WHY_", stringify!($name), "`")]
            pub const $name: Reason = Reason($number);)*

            /// Its name in the header without `PMUDEV_WHY_`.
            pub fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($number => Some(stringify!($name)),)*
                    _ => None,
                }
            }

            #[cfg(test)]
            pub(crate) const KNOWN: &'static [Reason] = &[$(Reason($number)),*];
        }
    };
}

reasons! {
    SIZE = 1,
    TAIL = 2,
    POINTER = 3,
    FLAGS = 4,
    RESERVED = 5,
    NUMBER = 6,
    GROUP = 7,
    SLOT = 8,
    UNBOUND = 9,
    BOUND = 10,
    ENABLED = 11,
    COUNTER = 12,
    GROUP_FLAGS = 13,
    COMBINATION = 14,
    BUFFER = 15,
    MAPPING = 16,
    NO_USER_READ = 17,
    INHERITED = 18,
    EVENTFD = 19,
    TYPE = 20,
    CONFIG = 21,
    EVENT = 22,
    THRESHOLD = 23,
    COMPARE = 24,
    WIDTH = 25,
    ALL_EXCLUDED = 26,
    HARDWARE = 27,
    MODULE = 28,
    SEVERAL_PMUS = 29,
    NO_TASK = 30,
    NO_CPU = 31,
    CPU_OFFLINE = 32,
    NO_PMU = 33,
    ENDED = 34,
    NO_GUEST = 35,
    CGROUP = 36,
    NOT_A_SET = 37,
    CAP_KERNEL = 40,
    CAP_CPU = 41,
    CAP_TASK = 42,
    USER_ACCESS = 43,
    NOT_OWNER = 44,
    LIMIT = 45,
    CAP_EXCLUSIVE = 46,
    ATTACH = 47,
    CAP_SIGNAL = 48,
    NO_COUNTER = 50,
    HELD = 51,
    PMU_HELD = 52,
    USER_READABLE = 53,
    MEMORY = 60,
    PERF_REFUSED = 61,
    DEADLINE = 70,
    SAMPLES = 71,
    RING = 72,
    MEMLOCK = 73,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "{}", self.0),
        }
    }
}

impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
