// The engine with what only the command does.
import { readFileSync } from "node:fs";
import { initSync } from "../dist/command.js";

initSync({ module: readFileSync(new URL("../dist/command_bg.wasm", import.meta.url)) });

export { explain, hash_of, hashes, lint, locate, snapshot, texts } from "../dist/command.js";
