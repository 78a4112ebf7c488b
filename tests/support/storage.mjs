// The databases of Durable Objects, as workerd stores them.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import "./home.mjs";

const PROGRAM = `
import sqlite3, sys, glob
for path in glob.glob(sys.argv[1] + "/*.sqlite"):
    if path.endswith("metadata.sqlite"): continue
    try:
        for (name,) in sqlite3.connect(path).execute("SELECT name FROM sqlite_master WHERE type = 'table'"): print(name)
    except sqlite3.OperationalError: pass # The runtime deletes the file.
`;

/** Returns the names of all tables that the objects of a class have stored in the folder `persist`. */
export function storedTables(persist, name) {
  const folder = join(persist, name);
  if (!existsSync(folder)) return [];
  return String(execFileSync("python3", ["-c", PROGRAM, folder]))
    .split("\n")
    .filter(Boolean);
}
