// Data of the kernel about a process: CPU time, memory, open files, ports and children.
import { readFileSync, readdirSync, readlinkSync } from "node:fs";

const NS_PER_MS = 1e6;
/** The state of a socket that listens, in `/proc/net/tcp`. */
const LISTEN = "0A";

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

/** Returns the ids of a process and of all that it has started. */
export function familyOf(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean);
  return [String(pid), ...children.flatMap(familyOf)];
}

/** Returns the TCP ports that processes listen on. */
export function portsOf(pids) {
  const inodes = new Set(pids.flatMap((pid) => readdirSync(`/proc/${pid}/fd`).map((fd) => inodeOf(pid, fd))));
  const rows = ["tcp", "tcp6"].flatMap((name) => readFileSync(`/proc/net/${name}`, "latin1").split("\n").slice(1));
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === LISTEN && inodes.has(inode))
    .map(([, address]) => Number.parseInt(address.split(":")[1], 16));
}

function inodeOf(pid, fd) {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1];
  } catch {
    // It was closed meanwhile.
    return undefined;
  }
}
