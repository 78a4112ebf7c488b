// Third-party clients with a common interface:
// - `look(url, questions)` returns {all, filtered, called, isError, read, messages, resources, templates, prompts,
//   refused, protocol}.
// - `use(url, {token, tool, args})` lists and calls with a bearer token, and returns {names, answer}. `answer` is the
//   text of the result or the message of the error.
// - `hear(url, uri)` subscribes and returns {heard, close}. `heard` resolves once the resource has changed.
// - `task(url, {token, command, steps, answer})` lists and makes the calls `steps` in turn, at `url` or at the stdio
//   server that `command` starts. It answers questions with `answer`, and returns {names, answers, asked}.
// - `leave(url, {tool, args})` calls, cancels during the call, and returns {close}, with the connection still open.
// - `protocol` is the revision that a client should negotiate.
import { inspector } from "../clients/inspector.mjs";
import { fast, official, rmcp } from "../clients/process.mjs";
import { version1, version2 } from "../clients/typescript.mjs";

const [stateless, handshake] = ["2026-07-28", "2025-11-25"];

export const clients = {
  "TypeScript v1": { ...version1, protocol: handshake },
  "TypeScript v2, stateless": { ...version2("auto"), protocol: stateless },
  "TypeScript v2, handshake": { ...version2("legacy"), protocol: handshake },
  "Python, stateless": { ...official("auto"), protocol: stateless },
  "Python, handshake": { ...official("legacy"), protocol: handshake },
  "FastMCP, stateless": { ...fast("auto"), protocol: stateless },
  "FastMCP, handshake": { ...fast("legacy"), protocol: handshake },
  "Rust, stateless": { ...rmcp("auto"), protocol: stateless },
  "Rust, handshake": { ...rmcp("legacy"), protocol: handshake },
  "Inspector, stateless": { ...inspector("modern"), protocol: stateless },
  "Inspector, handshake": { ...inspector("legacy"), protocol: handshake },
};
