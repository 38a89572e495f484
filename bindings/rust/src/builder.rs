// SPDX-License-Identifier: MIT
//! What a set counts, before it is made.

use crate::error::Error;
use crate::events;
use crate::handle::Handle;
use crate::set::Set;
use crate::sys;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Caller,
    Thread(i32),
    Process(i32),
    Cpu(u32),
}

/// The events and the target of a [`Set`]: see [`Set::builder`].
#[derive(Clone, Debug)]
#[must_use = "nothing is made before build()"]
pub struct Builder {
    events: Vec<String>,
    targets: Vec<Target>,
    pmu: Option<u32>,
    bind: u32,
    multiplex: bool,
    direct: bool,
}

impl Builder {
    pub(crate) fn new() -> Builder {
        Builder {
            events: Vec::new(),
            targets: Vec::new(),
            pmu: None,
            bind: 0,
            multiplex: false,
            direct: false,
        }
    }

    /// Events as perf and `pmudev stat` spell them: `"instructions:u"`, `"{cycles,instructions}:u"`,
    /// `"cpu/event=0xc0/u"`, also several with commas. An event outside of braces is a group of its
    /// own.
    pub fn event(mut self, events: impl Into<String>) -> Builder {
        self.events.push(events.into());
        self
    }

    /// The same for a list.
    pub fn events<I>(mut self, events: I) -> Builder
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.events.extend(events.into_iter().map(Into::into));
        self
    }

    /// Counts the thread with this id instead of the one that calls [`Builder::build`].
    pub fn thread(mut self, tid: i32) -> Builder {
        self.targets.push(Target::Thread(tid));
        self
    }

    /// Counts all threads of a process, also those that it has later.
    pub fn process(mut self, pid: i32) -> Builder {
        self.targets.push(Target::Process(pid));
        self
    }

    /// Counts everything on a CPU.
    pub fn cpu(mut self, cpu: u32) -> Builder {
        self.targets.push(Target::Cpu(cpu));
        self
    }

    /// The number of the PMU; only where CPUs are of several kinds, for a thread or a process.
    pub fn pmu(mut self, number: u32) -> Builder {
        self.pmu = Some(number);
        self
    }

    /// Also counts the threads and processes that the target creates from then on.
    pub fn inherit(mut self, inherit: bool) -> Builder {
        self.flag(sys::BIND_INHERIT, inherit);
        self
    }

    /// After [`Set::enable`] counts from the target's next execution of a program on.
    pub fn on_exec(mut self, on_exec: bool) -> Builder {
        self.flag(sys::BIND_ON_EXEC, on_exec);
        self
    }

    /// Lets groups share counters over time; [`Count::scaled`](crate::Count::scaled) estimates.
    pub fn multiplex(mut self, multiplex: bool) -> Builder {
        self.multiplex = multiplex;
        self
    }

    /// Lets the calling thread read its events without a system call ([`Set::reader`]), or is
    /// refused: `sysctl dev.pmudev.user_access` must be 1, and there are rules for the events.
    pub fn direct(mut self, direct: bool) -> Builder {
        self.direct = direct;
        self
    }

    fn flag(&mut self, flag: u32, on: bool) {
        self.bind = if on { self.bind | flag } else { self.bind & !flag };
    }

    fn target(&self) -> Result<Target, Error> {
        let target = match self.targets[..] {
            [] => Target::Caller,
            [target] => target,
            _ => return Err(Error::invalid("a set has one target: thread, process or cpu")),
        };
        if let Target::Thread(id) | Target::Process(id) = target {
            if id < 0 {
                return Err(Error::invalid(format!("{id} is no id of a thread or process")));
            }
        }
        if matches!(target, Target::Cpu(_)) && (self.bind != 0 || self.pmu.is_some()) {
            return Err(Error::invalid("cpu excludes pmu, inherit and on_exec"));
        }
        if self.direct && (target != Target::Caller || self.bind != 0) {
            let advice = "direct reads are for the calling thread alone";
            return Err(Error::invalid(advice));
        }
        Ok(target)
    }

    fn bind(&self, handle: &Handle, target: Target) -> i32 {
        let set = handle.pointer();
        let pmu = self.pmu.unwrap_or_default();
        // SAFETY: an open set; all else are numbers, which the module checks.
        unsafe {
            match (target, self.pmu) {
                (Target::Cpu(cpu), _) => sys::pmudev_bind_cpu(set, cpu, 0),
                (Target::Process(pid), None) => sys::pmudev_bind_process(set, pid, self.bind),
                (Target::Process(pid), Some(_)) => {
                    sys::pmudev_bind_pmu(set, sys::TARGET_PROCESS, pid, pmu, self.bind)
                }
                (Target::Thread(tid), None) => sys::pmudev_bind_task(set, tid, self.bind),
                (Target::Thread(tid), Some(_)) => {
                    sys::pmudev_bind_pmu(set, sys::TARGET_TASK, tid, pmu, self.bind)
                }
                (Target::Caller, None) if self.bind == 0 => sys::pmudev_bind_self(set),
                (Target::Caller, None) => sys::pmudev_bind_task(set, 0, self.bind),
                (Target::Caller, Some(_)) => {
                    sys::pmudev_bind_pmu(set, sys::TARGET_TASK, 0, pmu, self.bind)
                }
            }
        }
    }

    /// Makes the set; it does not count before [`Set::enable`].
    pub fn build(&self) -> Result<Set, Error> {
        let target = self.target()?;
        let (events, mut attrs) = events::parse(&self.events)?;
        for attr in &mut attrs {
            attr.flags |= if self.multiplex { sys::MULTIPLEX } else { 0 };
            attr.flags |= if self.direct { sys::USER_READ } else { 0 };
        }
        let set = Set::new(Handle::open()?, events, target, self.direct);
        let pointer = set.handle().pointer();
        set.check(self.bind(set.handle(), target))?;
        // SAFETY: an open set, and an array of so many events; no slots are wanted.
        let error = unsafe {
            sys::pmudev_add(pointer, attrs.as_ptr(), attrs.len() as u32, std::ptr::null_mut())
        };
        set.check(error)?;
        if self.direct {
            // SAFETY: an open set that no other thread has yet.
            set.check(unsafe { sys::pmudev_map(pointer) })?;
        }
        Ok(set)
    }
}
