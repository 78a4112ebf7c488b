import { existsSync, readFileSync, writeFileSync } from "node:fs";

const results = new URL("RESULTS.md", import.meta.url);

/** Prints a section and writes it to RESULTS.md. It replaces the section of the same title, or is appended. */
export function section(title, text) {
  const fresh = `## ${title}\n\n${text.trimEnd()}\n`;
  console.log(fresh);
  if (!existsSync(results)) return;
  const parts = readFileSync(results, "utf8")
    .split(/^(?=## )/m)
    .map((part) => `${part.trimEnd()}\n`);
  const at = parts.findIndex((part) => part.startsWith(`## ${title}\n`));
  parts.splice(at < 0 ? parts.length : at, 1, fresh);
  writeFileSync(results, parts.join("\n"));
}
