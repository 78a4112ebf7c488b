// Makes a wrapped handler read bodies without end, or before it knows the caller.
import { wrap } from "../stage.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { request } from "../../support/raw-client.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "endless bodies, and bodies read before the caller is known";

const MB = 1024 * 1024;
const PIECE = new Uint8Array(64 * 1024).fill(0x20);
/** The documented maximum size of a body, and what a stream may buffer, in bytes. */
const MOST = 4 * MB + 4 * PIECE.length;
const FEW = 4 * PIECE.length;
const SIZES = [
  [5, 40, Infinity],
  [4.5, 5, 8, 16, 40, 100, 400, Infinity],
];
/** Number of bytes after which an endless body gives up. */
const END = 120 * MB;

function endless(bytes) {
  const state = { read: 0, cancelled: false };
  const body = new ReadableStream(
    {
      pull(controller) {
        if (state.read >= Math.min(bytes, END)) return controller.close();
        controller.enqueue(PIECE);
        state.read += PIECE.length;
      },
      cancel() {
        state.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { state, body };
}

export async function* attempt(stage, size) {
  const behind = simple({ lists: { tools: [tool("open")] } });
  const { headers, body } = request("tools/list");
  const open = wrap(behind, {});
  const seen = await (
    await open.fetch("/mcp", { method: "POST", headers, body: new Blob([body]).stream(), duplex: "half" })
  ).text();
  yield control("an ordinary body without Content-Length is read", seen.includes('"open"'), seen);
  const identify = (asked) => {
    if (asked.headers.get("authorization") !== "Bearer good") throw new Error("unknown");
    return { sub: "a" };
  };
  const fronts = {
    "no identify": [open, MOST],
    "identify throws": [wrap(behind, {}, { identify }), FEW],
    "identify gives nothing, a check refuses": [wrap(behind, {}, { identify: () => null, checks: () => false }), MOST],
  };
  for (const [what, [front, most]] of Object.entries(fronts)) {
    for (const count of SIZES[size]) {
      for (const length of [undefined, "0", "10", "abc", "-1", String(5 * MB), "1e3", "4, 4"]) {
        const { state, body: long } = endless(count * MB);
        const sent = {
          ...headers,
          ...(what.startsWith("identify throws") ? { authorization: "Bearer bad" } : {}),
          ...(length && { "content-length": length }),
        };
        const response = await front.fetch("/mcp", { method: "POST", headers: sent, body: long, duplex: "half" });
        const text = await response.text();
        yield tried(
          `${what}: a body of ${count} MB with Content-Length ${length ?? "absent"}`,
          state.read <= most && response.status >= 400,
          `${response.status}, ${(state.read / MB).toFixed(1)} MB read: ${text.slice(0, 100)}`,
        );
      }
    }
  }
}
