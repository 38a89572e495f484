// SPDX-License-Identifier: MIT
//! libpmudev's functions and the structures of <linux/pmudev.h>, as they are on every machine.
//! A test compares them with the headers (sys_test.rs).

use std::os::raw::{c_char, c_int, c_uint, c_void};

pub const MAX_EVENTS: usize = 64;
pub const MAX_HOLDERS: usize = 16;
pub const ALL: u32 = 0xffff_ffff;
pub const EVENT_NAME: usize = 608;

pub const USER_READ: u32 = 1 << 6;
pub const MULTIPLEX: u32 = 1 << 9;

pub const TARGET_TASK: u32 = 0;
pub const TARGET_PROCESS: u32 = 2;

pub const BIND_INHERIT: u32 = 1 << 0;
pub const BIND_ON_EXEC: u32 = 1 << 1;

pub const DEADLINE_RELATIVE: u32 = 1 << 0;
pub const DEADLINE_PERIODIC: u32 = 1 << 1;
pub const DEADLINE_EVENTFD: u32 = 1 << 2;
pub const DEADLINE_SIGNAL: u32 = 1 << 3;
pub const DEADLINE_STOP: u32 = 1 << 5;
pub const DEADLINE_TOTAL: u32 = 1 << 6;
pub const DEADLINE_SAMPLE: u32 = 1 << 7;
pub const SAMPLE_KERNEL: u32 = 1 << 0;
pub const SAMPLE_ENTRY: u32 = 1 << 1;
pub const REPORT_LATE: u32 = 1 << 0;

pub const RECORD_ENABLED: u32 = 1 << 0;
pub const RECORD_ENDED: u32 = 1 << 1;
pub const RECORD_INCOMPLETE: u32 = 1 << 5;

/// A set, which only the library looks into.
#[repr(C)]
pub struct Pmudev {
    _private: [u8; 0],
}

/// A parsed list of events, likewise.
#[repr(C)]
pub struct Events {
    _private: [u8; 0],
}

/// The PMUs of the machine, likewise.
#[repr(C)]
pub struct Pmus {
    _private: [u8; 0],
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Holder {
    pub counter: u32,
    pub kind: u32,
    pub pid: i32,
    pub cpu: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Refusal {
    pub code: u32,
    pub event: i32,
    pub allowed: u64,
    pub busy: u64,
    pub limit: u64,
    pub holder: Holder,
    pub nr_holders: u32,
    pub reserved: u32,
    pub holders: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct EventAttr {
    pub r#type: u32,
    pub flags: u32,
    pub config: u64,
    pub allowed: u64,
    pub tag: u64,
    pub group: u32,
    pub counter: u32,
    pub threshold: u16,
    pub threshold_compare: u8,
    pub reserved: [u8; 5],
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Deadline {
    pub slot: u32,
    pub flags: u32,
    pub value: u64,
    pub period: u64,
    pub eventfd: i32,
    pub signal: u32,
    pub id: i32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Report {
    pub slot: u32,
    pub flags: u32,
    pub value: u64,
    pub count: u64,
    pub reached: u64,
    pub overruns: u64,
    pub tid: i32,
    pub reserved: u32,
}

/// struct pmudev_sample without its counts.
#[repr(C)]
pub struct Sample {
    pub size: u32,
    pub flags: u32,
    pub time: u64,
    pub ip: u64,
    pub pid: i32,
    pub tid: i32,
    pub cpu: u32,
    pub slot: u32,
    pub value: u64,
    pub present: u64,
    pub dropped: u64,
}

const SAMPLE_WORDS: usize = std::mem::size_of::<Sample>() / 8 + MAX_EVENTS;

#[repr(C)]
pub struct Samples {
    pub page: *mut c_void,
    pub size: usize,
    pub tail: u32,
    pub room: [u64; SAMPLE_WORDS],
}

impl Samples {
    pub const EMPTY: Samples =
        Samples { page: std::ptr::null_mut(), size: 0, tail: 0, room: [0; SAMPLE_WORDS] };
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Count {
    pub value: u64,
    pub time_enabled: u64,
    pub time_running: u64,
    pub tag: u64,
}

/// struct pmudev_record with room for all events.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Record {
    pub size: u32,
    pub nr: u32,
    pub flags: u32,
    pub generation: u32,
    pub time: u64,
    pub time_enabled: u64,
    pub time_running: u64,
    pub present: u64,
    pub multiplexed: u64,
    pub reserved: u64,
    pub counts: [Count; MAX_EVENTS],
}

impl Record {
    pub const EMPTY: Record = Record {
        size: 0,
        nr: 0,
        flags: 0,
        generation: 0,
        time: 0,
        time_enabled: 0,
        time_running: 0,
        present: 0,
        multiplexed: 0,
        reserved: 0,
        counts: [Count { value: 0, time_enabled: 0, time_running: 0, tag: 0 }; MAX_EVENTS],
    };
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct EventsError {
    pub position: u32,
    pub reserved: [u32; 7],
    pub text: [c_char; EVENT_NAME],
}

// The same on 32-bit and 64-bit machines; sys_test.rs has each field.
const _: () = assert!(std::mem::size_of::<Holder>() == 16);
const _: () = assert!(std::mem::size_of::<Refusal>() == 64);
const _: () = assert!(std::mem::size_of::<EventAttr>() == 48);
const _: () = assert!(std::mem::size_of::<Deadline>() == 40);
const _: () = assert!(std::mem::size_of::<Report>() == 48);
const _: () = assert!(std::mem::size_of::<Sample>() == 64);
const _: () = assert!(std::mem::size_of::<Count>() == 32);
const _: () = assert!(std::mem::size_of::<Record>() == 64 + MAX_EVENTS * 32);
const _: () = assert!(std::mem::size_of::<EventsError>() == 640);

extern "C" {
    pub fn pmudev_new() -> *mut Pmudev;
    pub fn pmudev_free(set: *mut Pmudev);
    pub fn pmudev_fd(set: *const Pmudev) -> c_int;
    pub fn pmudev_bind_self(set: *mut Pmudev) -> c_int;
    pub fn pmudev_bind_task(set: *mut Pmudev, tid: i32, flags: c_uint) -> c_int;
    pub fn pmudev_bind_process(set: *mut Pmudev, pid: i32, flags: c_uint) -> c_int;
    pub fn pmudev_bind_cpu(set: *mut Pmudev, cpu: c_uint, flags: c_uint) -> c_int;
    pub fn pmudev_bind_pmu(
        set: *mut Pmudev,
        target: c_uint,
        id: i32,
        pmu: c_uint,
        flags: c_uint,
    ) -> c_int;
    pub fn pmudev_add(
        set: *mut Pmudev,
        attrs: *const EventAttr,
        nr: c_uint,
        slots: *mut u32,
    ) -> c_int;
    pub fn pmudev_map(set: *mut Pmudev) -> c_int;
    pub fn pmudev_enable(set: *mut Pmudev, group: u32) -> c_int;
    pub fn pmudev_disable(set: *mut Pmudev, group: u32) -> c_int;
    pub fn pmudev_reset_slot(set: *mut Pmudev, slot: u32, value: u64) -> c_int;
    pub fn pmudev_reset_group(set: *mut Pmudev, group: u32, value: u64) -> c_int;
    pub fn pmudev_read(set: *mut Pmudev, record: *mut Record, size: usize) -> c_int;
    pub fn pmudev_read_count(set: *mut Pmudev, slot: c_uint, value: *mut u64) -> c_int;
    pub fn pmudev_try_count(set: *mut Pmudev, slot: c_uint, value: *mut u64) -> bool;
    pub fn pmudev_scale(value: u64, enabled: u64, running: u64, whole: *mut u64) -> bool;

    pub fn pmudev_why(set: *mut Pmudev, why: *mut Refusal) -> c_int;
    pub fn pmudev_explain(set: *mut Pmudev, text: *mut c_char, size: usize) -> c_int;
    pub fn pmudev_explain_refusal(
        error: c_int,
        why: *const Refusal,
        text: *mut c_char,
        size: usize,
    ) -> c_int;

    pub fn pmudev_deadline_set(set: *mut Pmudev, deadlines: *const Deadline, nr: c_uint) -> c_int;
    pub fn pmudev_deadline_remove(set: *mut Pmudev, slot: u32) -> c_int;
    pub fn pmudev_deadline_continue(set: *mut Pmudev) -> c_int;
    pub fn pmudev_deadline_reports(set: *mut Pmudev, reports: *mut Report, nr: c_uint) -> c_int;
    pub fn pmudev_deadline_wait(
        set: *mut Pmudev,
        reports: *mut Report,
        nr: c_uint,
        timeout: c_int,
    ) -> c_int;

    pub fn pmudev_samples_open(samples: *mut Samples, set: *mut Pmudev, bytes: usize) -> c_int;
    pub fn pmudev_samples_next(samples: *mut Samples) -> *const Sample;
    pub fn pmudev_samples_dropped(samples: *const Samples) -> u64;
    pub fn pmudev_samples_close(samples: *mut Samples);

    pub fn pmudev_events_parse(
        text: *const c_char,
        pmus: *const Pmus,
        events: *mut *mut Events,
        error: *mut EventsError,
    ) -> c_int;
    pub fn pmudev_events_free(events: *mut Events);
    pub fn pmudev_events_nr(events: *const Events) -> c_uint;
    pub fn pmudev_events_attrs(events: *mut Events) -> *mut EventAttr;
    pub fn pmudev_events_name(events: *const Events, event: c_uint) -> *const c_char;
}
