// SPDX-License-Identifier: MIT
//! sys.rs and reason.rs are the headers': C that compiles only then.

use std::fmt::Write as _;
use std::io::Write as _;
use std::mem::{size_of, MaybeUninit};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::reason::Reason;
use crate::sys;

fn same(c: &mut String, expression: &str, number: impl std::fmt::Display) {
    writeln!(c, "_Static_assert(({expression}) == {number}, \"{expression}\");").unwrap();
}

fn size_of_pointee<T>(_: *const T) -> usize {
    size_of::<T>()
}

macro_rules! fields {
    ($c:expr, $name:literal, $type:ty: $($field:ident)*) => {
        let whole = MaybeUninit::<$type>::uninit();
        $(
            // SAFETY: only addresses inside of `whole` are made.
            let field = unsafe { std::ptr::addr_of!((*whole.as_ptr()).$field) };
            let name = stringify!($field).trim_start_matches("r#");
            let offset = field as usize - whole.as_ptr() as usize;
            same($c, &format!("offsetof(struct {}, {name})", $name), offset);
            if name != "counts" {
                let size = format!("sizeof(((struct {} *)0)->{name})", $name);
                same($c, &size, size_of_pointee(field));
            }
        )*
    };
}

macro_rules! structure {
    ($c:expr, $name:literal, $type:ty: $($field:ident)*) => {
        same($c, concat!("sizeof(struct ", $name, ")"), size_of::<$type>());
        fields!($c, $name, $type: $($field)*);
    };
}

fn structures(c: &mut String) {
    structure!(c, "pmudev_holder", sys::Holder: counter kind pid cpu);
    structure!(c, "pmudev_refusal", sys::Refusal: code event allowed busy limit holder nr_holders
        reserved holders);
    structure!(c, "pmudev_event_attr", sys::EventAttr: r#type flags config allowed tag group counter
        threshold threshold_compare reserved);
    structure!(c, "pmudev_deadline", sys::Deadline: slot flags value period eventfd signal id
        reserved);
    structure!(c, "pmudev_report", sys::Report: slot flags value count reached overruns tid
        reserved);
    structure!(c, "pmudev_sample", sys::Sample: size flags time ip pid tid cpu slot value present
        dropped);
    structure!(c, "pmudev_samples", sys::Samples: page size tail room);
    structure!(c, "pmudev_count", sys::Count: value time_enabled time_running tag);
    structure!(c, "pmudev_events_error", sys::EventsError: position reserved text);
    fields!(c, "pmudev_record", sys::Record: size nr flags generation time time_enabled
        time_running present multiplexed reserved counts);
    same(c, "sizeof(union pmudev_record_buffer)", size_of::<sys::Record>());
}

fn numbers(c: &mut String) {
    macro_rules! number {
        ($($name:ident)*) => { $(same(c, concat!("PMUDEV_", stringify!($name)), sys::$name);)* };
    }
    number!(MAX_EVENTS MAX_HOLDERS ALL USER_READ MULTIPLEX TARGET_TASK TARGET_PROCESS BIND_INHERIT
        BIND_ON_EXEC DEADLINE_RELATIVE DEADLINE_PERIODIC DEADLINE_EVENTFD DEADLINE_SIGNAL DEADLINE_STOP
        DEADLINE_TOTAL DEADLINE_SAMPLE REPORT_LATE SAMPLE_KERNEL SAMPLE_ENTRY
        RECORD_ENABLED RECORD_ENDED RECORD_INCOMPLETE);
}

/// In a switch a reason that is missing here is one that the compiler names.
fn reasons(c: &mut String) {
    c.push_str("int reasons(enum pmudev_reason reason);\n");
    c.push_str(
        "int reasons(enum pmudev_reason reason)\n{\n\tswitch (reason) {\n\tcase PMUDEV_OK:\n",
    );
    for reason in Reason::KNOWN {
        writeln!(c, "\tcase PMUDEV_WHY_{}:", reason.name().unwrap()).unwrap();
    }
    c.push_str("\t\treturn 1;\n\t}\n\treturn 0;\n}\n");
    for reason in Reason::KNOWN {
        same(c, &format!("PMUDEV_WHY_{}", reason.name().unwrap()), reason.0);
    }
}

/// What the compiler says of this C with the headers of this tree; nothing if it is right.
fn compile(c: &str) -> String {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut compiler = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".to_string()))
        .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c", "-"])
        .arg("-I")
        .arg(top.join("tools/lib/include"))
        .arg("-I")
        .arg(top.join("uapi"))
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("this test needs a C compiler: CC");
    compiler.stdin.take().unwrap().write_all(c.as_bytes()).unwrap();
    let output = compiler.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.success(), said.is_empty(), "{said}");
    said
}

const HEADERS: &str =
    "#include <stddef.h>\n#include <pmudev_deadline.h>\n#include <pmudev_events.h>\n#include <pmudev_samples.h>\n";

#[test]
fn same_as_the_headers() {
    let mut c = HEADERS.to_string();
    structures(&mut c);
    numbers(&mut c);
    reasons(&mut c);
    assert!(c.contains("PMUDEV_WHY_MEMLOCK) == 73") && c.lines().count() > 150, "{c}");
    assert_eq!(compile(&c), "");
}

#[test]
fn a_difference_is_seen() {
    let mut c = HEADERS.to_string();
    same(&mut c, "sizeof(struct pmudev_refusal)", 63);
    assert!(compile(&c).contains("sizeof(struct pmudev_refusal)"));
    let reasons = "int f(enum pmudev_reason r);\nint f(enum pmudev_reason r)\n\
        {\n\tswitch (r) {\n\tcase PMUDEV_OK:\n\t\treturn 1;\n\t}\n\treturn 0;\n}\n";
    assert!(compile(&format!("{HEADERS}{reasons}")).contains("PMUDEV_WHY_SIZE"));
}

#[test]
fn reasons_by_name() {
    assert_eq!(Reason::NO_COUNTER.name(), Some("NO_COUNTER"));
    assert_eq!(format!("{} {:?}", Reason::HELD, Reason(4711)), "HELD 4711");
}
