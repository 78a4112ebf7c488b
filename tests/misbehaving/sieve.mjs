// What the commands of the package list at misbehaving servers, and what the gateway that they run calls. Each command gets the servers
// in files of at most `PER_FILE`.
import { ID, KINDS, LISTS, WELL, idOf } from "./core.mjs";
import { eachOf } from "../support/each.mjs";
import { ask, session } from "../support/raw-client.mjs";

/** Number of servers in one file; the gateway accepts 32. */
const PER_FILE = 30;
/** Number of commands that run at a time. */
const AT_A_TIME = 2;
/** Number of calls to one gateway at a time. */
const CALLS_AT_A_TIME = 8;
/** How long the gateway waits for an answer, for all lists and for a call, in milliseconds. */
const WAITS = { timeoutMs: 5_000, listTimeoutMs: 30_000, callTimeoutMs: 5_000, listWaitMs: 30_000, maxPages: 20 };
/** Local servers have to start first, many at a time. */
const LOCAL_WAITS = { ...WAITS, timeoutMs: 12_000, listTimeoutMs: 50_000 };
/** The page size of lists: all items of a file on one page. */
const PAGE_SIZE = 10_000;

const serverOf = ({ form, place }) => ({
  name: form,
  ...(Array.isArray(place) ? { command: place, ...LOCAL_WAITS } : { url: place, ...WAITS }),
});
const configOf = (places) => JSON.stringify({ pageSize: PAGE_SIZE, upstreams: places.map(serverOf) });
const chunksOf = (places) =>
  Array.from({ length: Math.ceil(places.length / PER_FILE) }, (_, at) =>
    places.slice(at * PER_FILE, (at + 1) * PER_FILE),
  );

/** Returns the observations of `observe(chunk, number)`, which has those of one file, in the order of the places. */
const byFile = (observe) => async (places) =>
  (await eachOf([...chunksOf(places).entries()], ([at, chunk]) => observe(chunk, at), AT_A_TIME)).flat();

/** Splits the ids that a command lists by form: each gets all of them, since ids are unique among forms. */
const listing = (ids, { form }, more = {}) => ({ ids, form, ...more });

/** `init` with the addresses: which servers it accepts. It names all that it cannot list, and is then run without them. */
const init = (command) =>
  byFile(async (places, at) => {
    const problems = new Map();
    const run = (some) =>
      command.run([
        "init",
        ...some.flatMap(({ form, place }) => ["--upstream", `${form}=${place}`]),
        "-o",
        `init-${at}.jsonc`,
        "--force",
      ]);
    let left = places.filter(({ place }) => !Array.isArray(place));
    while (left.length > 0) {
      const { status, stderr } = await run(left);
      if (status === 0) break;
      const failed = left.filter(({ form }) => stderr.includes(`${form} (http`));
      for (const { form } of failed) problems.set(form, stderr.split(`${form} (http`)[1].split(/; [\w-]+ \(http/)[0]);
      // A message that names no server is about one of them.
      if (failed.length === 0)
        for (const one of left) {
          const alone = await run([one]);
          if (alone.status !== 0) problems.set(one.form, alone.stderr);
        }
      if (failed.length === 0) break;
      left = left.filter(({ form }) => !problems.has(form));
    }
    return places.map(({ form, place }) => ({
      accepted: Array.isArray(place) ? undefined : !problems.has(form),
      problem: problems.get(form),
    }));
  });

/** `check --live` with a caller who may see everything. */
const check = (command) =>
  byFile(async (places, at) => {
    const file = `check-${at}.jsonc`;
    command.write(file, configOf(places));
    const { stdout, stderr } = await command.run(["check", file, "--live", "--json", "--as", "all={}"]);
    const { roles, failures = [], error } = JSON.parse(stdout || "{}");
    const ids = Object.fromEntries(KINDS.map((kind) => [kind, new Set(roles?.all?.[kind] ?? [])]));
    return places.map((place) =>
      listing(ids, place, {
        problem:
          failures.find(({ server }) => server === place.form)?.problem ??
          error?.message ??
          (roles ? undefined : stderr),
      }),
    );
  });

const lastOf = (events) => events.at(-1)?.message ?? {};

/** Returns the ids that a gateway lists to a client. */
async function listedTo(request) {
  const ids = {};
  for (const [method, kind] of Object.entries(LISTS)) {
    const { result } = lastOf(await request(method, {}));
    ids[kind] = new Set((result?.[kind] ?? []).map((item) => item[ID[kind]]));
  }
  return ids;
}

async function called(request, name) {
  const { result, error } = lastOf(
    await request("tools/call", { name, arguments: {} }).catch(({ message }) => [{ message: { error: { message } } }]),
  );
  return result?.content?.[0]?.text === WELL ? "ok" : (error?.message ?? "another result");
}

/** `dev` or `run`: clients of both revisions list everything and call one tool of each server. */
const served = (word) => (command) =>
  byFile(async (places, at) => {
    const file = `${word}-${at}.jsonc`;
    command.write(file, configOf(places));
    const running = command.start([word, file, "--port", "0", "--json"]);
    try {
      const { mcp } = JSON.parse(await running.line(/^\{"event":"ready"/));
      const reports = new Map();
      while (reports.size < places.length) {
        const report = JSON.parse(await running.line(/^\{"event":"server"/));
        reports.set(report.name, report);
      }
      const clients = [await session(mcp), (method, params) => ask(mcp, method, params)];
      const [older, newer] = [await listedTo(clients[0]), await listedTo(clients[1])];
      const ids = Object.fromEntries(
        KINDS.map((kind) => [kind, new Set([...older[kind]].filter((id) => newer[kind].has(id)))]),
      );
      return await eachOf(
        places,
        async (place) => {
          const tool = idOf(place.form, "tools", "one");
          const outcomes = ids.tools.has(tool)
            ? await Promise.all(clients.map((request) => called(request, tool)))
            : [];
          const call = outcomes.find((outcome) => outcome !== "ok") ?? outcomes[0];
          return listing(ids, place, { call, problem: reports.get(place.form).message });
        },
        CALLS_AT_A_TIME,
      );
    } finally {
      await running.stop();
    }
  });

/** Name → function that takes the command and returns the function that observes `[{ form, place }]`. */
export const SUBJECTS = { init, "check --live": check, dev: served("dev"), run: served("run") };
