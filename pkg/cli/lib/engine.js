// @ts-check
// The engine with what only the command does.
import { readFileSync } from "node:fs";
import { initSync } from "../../dist/command.js";

initSync({ module: readFileSync(new URL("../../dist/command_bg.wasm", import.meta.url)) });

export {
  admitsStrangers,
  callers,
  canonical,
  definitions,
  explain,
  hash_of,
  hashes,
  lint,
  listServers,
  locate,
  namesSecret,
  openConnection,
  roles,
  sealConnection,
  servers,
  snapshot,
  texts,
  withLock,
} from "../../dist/command.js";
