// @ts-check
// The output of workerd and the Worker, one line for each event. workerd's own lines name its source files and end with stack
// traces of its binary. Only their cause is printed.

/** `workerd/jsg/util.c++:394: error: e = rust/worker/ffi.rs:110: failed: no such name`. */
const OWN = /^\S+\.(?:c\+\+|h|rs):\d+: (?:info|warning|error|fatal): (.*)$/;
/** Addresses in workerd's binary, with what it adds for its own error reports. */
const TRACE = /^stack: |; stack: .*$/;
/** The source file of workerd before a cause. */
const SOURCE = /^(?:e = )?(?:\S+\.(?:c\+\+|h|rs):\d+: )?(?:failed: )?/;
/** The number under which workerd keeps a cause that it has already printed. */
const REFERENCE = /; reference = \w+$/;

/** The line as the command prints it, or nothing for a stack trace. */
export function readableLine(line) {
  const [, message] = OWN.exec(line) ?? [];
  if (message !== undefined) return `workerd: ${message.replace(TRACE, "").replace(SOURCE, "")}`;
  return /^stack: /.test(line) ? undefined : line.replace(REFERENCE, "");
}
