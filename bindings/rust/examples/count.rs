// SPDX-License-Identifier: MIT
//! count [N]: counts a function, and says why if that is refused.

use pmudev::{Error, Set};
use std::process::ExitCode;

fn fibonacci(n: u32) -> u64 {
    if n < 2 {
        n.into()
    } else {
        fibonacci(n - 1) + fibonacci(n - 2)
    }
}

fn count(n: u32) -> Result<(), Error> {
    let set = Set::builder().event("{instructions,cycles}:u").build()?;
    let (result, counts) = set.measure(|| fibonacci(n))?;
    println!("fibonacci({n}) is {result}");
    for (name, count) in counts.iter() {
        println!("{:>12}  {name}", count.value);
    }
    Ok(())
}

fn main() -> ExitCode {
    // Not a constant: the compiler would compute the result.
    let n = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(20);
    match count(n) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("count: {error}");
            ExitCode::FAILURE
        }
    }
}
