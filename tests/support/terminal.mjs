// A program in a terminal, which `script` of util-linux provides.
import { spawn } from "node:child_process";
import { once } from "node:events";
import "./home.mjs";

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Runs a program in a terminal. `sees(part)` resolves when the terminal shows `part`. `type(text)` presses keys. `over`
 * resolves with the exit status and all text that the terminal showed.
 */
export function startInTerminal(command, args, { cwd, env, timeout = 120_000 }) {
  const child = spawn(
    "script",
    ["--quiet", "--return", "--command", [command, ...args].map(quoted).join(" "), "/dev/null"],
    { cwd, env, timeout },
  );
  let shown = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (shown += text));
  const over = once(child, "close").then(([status, signal]) => ({ status: status ?? signal, shown }));
  return {
    over,
    type: (text) => child.stdin.write(text),
    async sees(part) {
      while (!shown.includes(part)) {
        await Promise.race([
          once(child.stdout, "data"),
          over.then(() => Promise.reject(new Error(`ended without \`${part}\`: ${shown}`))),
        ]);
      }
    },
  };
}
