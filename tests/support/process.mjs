// Data of the kernel about a process: CPU time, memory, open files and children.
import { readFileSync, readdirSync } from "node:fs";

const NS_PER_MS = 1e6;

/** Returns the CPU time of the threads of a process so far, in milliseconds. */
export function cpu(pid) {
  let total = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      // This file counts nanoseconds; `/proc/PID/stat` counts hundredths of a second.
      total += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "latin1").split(" ")[0]);
    } catch (error) {
      // The thread ended while the folder was read.
      if (error.code !== "ENOENT" && error.code !== "ESRCH") throw error;
    }
  }
  return total / NS_PER_MS;
}

/** Returns the resident memory of a process, in bytes. */
export function memory(pid) {
  const pages = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(pages[1]) * 1024;
}

/** Returns the number of files and sockets that a process has open. */
export const descriptors = (pid) => readdirSync(`/proc/${pid}/fd`).length;

/** Returns the id of the workerd that a command has started. */
export const workerdOf = ({ pid }) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1")
    .split(" ")
    .filter(Boolean)
    .find((child) => /workerd/.test(readFileSync(`/proc/${child}/cmdline`, "latin1")));
