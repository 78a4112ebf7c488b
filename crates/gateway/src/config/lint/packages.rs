//! Lints for local servers that download an unpinned package version at each start.

use super::{Finding, Flaw, endpoint::upstreams};
use crate::config::Config;

/// A command that fetches a package and runs it.
struct Runner {
    words: &'static [&'static str],
    /// The options that name the package. Without them it is the first argument.
    package: &'static [&'static str],
    /// Other options that a value follows.
    valued: &'static [&'static str],
    is_python: bool,
}

const RUNNERS: [Runner; 9] = [
    npm(&["npx"]),
    npm(&["npm", "exec"]),
    npm(&["pnpx"]),
    npm(&["pnpm", "dlx"]),
    npm(&["yarn", "dlx"]),
    npm(&["bunx"]),
    python(&["uvx"], UV_PACKAGE, UV_VALUES),
    python(&["uv", "tool", "run"], UV_PACKAGE, UV_VALUES),
    python(&["pipx", "run"], &["--spec"], &["--python", "--index-url", "-i", "--pip-args"]),
];
const UV_PACKAGE: &[&str] = &["--from"];
const UV_VALUES: &[&str] = &[
    "-p",
    "--python",
    "--with",
    "-w",
    "--with-editable",
    "--with-requirements",
    "--index",
    "--index-url",
    "--default-index",
    "--extra-index-url",
    "--directory",
    "--cache-dir",
    "--env-file",
];

const fn npm(words: &'static [&'static str]) -> Runner {
    let valued = &["-c", "--call", "-w", "--workspace", "--registry"];
    Runner { words, package: &["-p", "--package"], valued, is_python: false }
}

const fn python(
    words: &'static [&'static str],
    package: &'static [&'static str],
    valued: &'static [&'static str],
) -> Runner {
    Runner { words, package, valued, is_python: true }
}

/// Finds local servers whose package has no exact version.
pub(super) fn lint(config: &Config, findings: &mut Vec<Finding>) {
    for (place, upstream) in upstreams(config) {
        let Some(process) = &upstream.process else { continue };
        let Some((runner, start)) = Runner::find(&process.command) else { continue };
        let package = runner.package(&process.command, start);
        let Some((at, package)) = package.filter(|(_, package)| !runner.is_pinned(package)) else { continue };
        let message = format!(
            "`{package}` has no exact version, so `{}` runs whatever is published under that name next: write the version \
             that you have reviewed, such as `{}`",
            upstream.name,
            runner.example(package)
        );
        findings.push(Finding::new(Flaw::UnpinnedPackage, format!("{place}.command[{at}]"), message));
    }
}

impl Runner {
    /// Returns the runner of a command, and the index of its first argument.
    fn find(command: &[String]) -> Option<(&'static Self, usize)> {
        // On Windows, `cmd /c` runs scripts such as npx.
        let is_shell = command.first().is_some_and(|program| base(program) == "cmd");
        let start = if is_shell { 2 } else { 0 };
        let words: Vec<String> = command.iter().skip(start).map(|word| base(word)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let runner = RUNNERS.iter().find(|runner| words.starts_with(runner.words))?;
        Some((runner, start + runner.words.len()))
    }

    /// Returns the package that a command fetches, with its index. `start` is the index of the first argument.
    fn package<'a>(&self, command: &'a [String], start: usize) -> Option<(usize, &'a str)> {
        let mut arguments = command.iter().map(String::as_str).enumerate().skip(start);
        while let Some((at, argument)) = arguments.next() {
            let (option, value) = argument.split_once('=').unwrap_or((argument, ""));
            if self.package.contains(&option) {
                return if value.is_empty() { arguments.next() } else { Some((at, value)) };
            }
            if self.valued.contains(&argument) {
                arguments.next();
            } else if !argument.starts_with('-') {
                return Some((at, argument));
            }
        }
        None
    }

    /// Returns whether a package is a local one, or names an exact version or commit.
    fn is_pinned(&self, package: &str) -> bool {
        if package.starts_with(['.', '/', '~']) || package.starts_with("file:") || package.contains(":\\") {
            return true;
        }
        if is_repository(package) {
            let commit = package.rsplit(['#', '@']).next().unwrap_or_default();
            return commit.len() >= COMMIT && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        }
        let (_, version) = split_version(package);
        let version = version.strip_prefix("==").or_else(|| version.strip_prefix('@')).unwrap_or_default();
        let release = version.split(['-', '+']).next().unwrap_or_default();
        let mut numbers = release.split('.');
        // For npm, `1` and `1.2` are ranges.
        let are_numbers = numbers.clone().count() >= if self.is_python { 1 } else { 3 };
        let is_number = |number: &str| number.starts_with(|digit: char| digit.is_ascii_digit());
        are_numbers
            && numbers.all(is_number)
            && version.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+!".contains(&byte))
    }

    /// Returns the package with an exact version.
    fn example(&self, package: &str) -> String {
        let (name, _) = split_version(package);
        match (is_repository(package), self.is_python) {
            (true, false) => format!("{package}#COMMIT"),
            (true, true) => format!("{package}@COMMIT"),
            (false, false) => format!("{name}@1.2.3"),
            (false, true) => format!("{name}==1.2.3"),
        }
    }
}

/// Length of the full name of a commit, in hexadecimal digits.
const COMMIT: usize = 40;

fn is_repository(package: &str) -> bool {
    package.contains("://") || package.starts_with("github:") || package.starts_with("git@")
}

/// Returns the name of a package, and its version with the sign before it.
fn split_version(package: &str) -> (&str, &str) {
    // The scope of a package begins with `@` too.
    let sign = |(at, c): &(usize, char)| *at > 0 && matches!(c, '@' | '=' | '<' | '>' | '!' | '~');
    let at = package.char_indices().find(sign).map_or(package.len(), |(at, _)| at);
    package.split_at_checked(at).unwrap_or((package, ""))
}

/// Returns the name of a program without its folder and the endings of Windows.
fn base(program: &str) -> String {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let ending = [".cmd", ".exe", ".ps1", ".bat"].into_iter().find_map(|ending| name.strip_suffix(ending));
    ending.map(str::to_owned).unwrap_or(name)
}
