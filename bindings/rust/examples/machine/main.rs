// SPDX-License-Identifier: MIT
//! The tests that need counters: rust_test in the emulated machines. Prints TAP.

mod counts;
mod deadlines;
mod machine;
mod refusals;
mod samples;

use std::panic;

/// What a test returns; asserts panic.
/// Its name and its function.
pub type Tested = Result<(), Box<dyn std::error::Error>>;

/// Its name and its function.
pub type Test = (&'static str, fn() -> Tested);

/// Runs a test: whether it passed.
fn passed(nr: usize, (name, test): Test) -> bool {
    let problem = match panic::catch_unwind(test) {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(error.to_string()),
        Err(_) => Some("panicked".to_string()),
    };
    match &problem {
        None => println!("ok {nr} - {name}"),
        Some(problem) => println!("not ok {nr} - {name}\n# {problem}"),
    }
    problem.is_none()
}

fn main() {
    panic::set_hook(Box::new(|info| {
        println!("# {}", info.to_string().replace('\n', "\n# "));
    }));
    let tests: Vec<Test> =
        [counts::TESTS, deadlines::TESTS, refusals::TESTS, samples::TESTS].concat();
    let access = machine::user_access(true).expect("the module is not loaded, or you are not root");
    println!("TAP version 13\n1..{}", tests.len());
    let failed = (1..).zip(tests).filter(|(nr, test)| !passed(*nr, *test)).count();
    machine::user_access(access).expect("user_access cannot be set back");
    std::process::exit(i32::from(failed > 0));
}
