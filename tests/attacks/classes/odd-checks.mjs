// Passes checks that return values outside their contract, and stops `fetch` by values that they throw.
import { stateless } from "../client.mjs";
import { wrap } from "../stage.mjs";
import { simple, tool } from "../upstreams/simple.mjs";
import { control, tried } from "../verdict.mjs";

export const description = "odd values returned or thrown by checks and identify";

const RETURNED = {
  "a Response": () => new Response("no", { status: 403 }),
  "an Error": () => new Error("no"),
  null: () => null,
  0: () => 0,
  1: () => 1,
  "an object": () => ({}),
  "an array": () => [],
  "a String object": () => new String("no"),
  "an empty text": () => "",
  "a text": () => "no",
  false: () => false,
  NaN: () => NaN,
  "a Boolean object": () => new Boolean(true),
  "a symbol": () => Symbol("yes"),
  "a BigInt": () => 1n,
  "a function": () => () => true,
  "a promise of an Error": async () => new Error("no"),
  "a promise of null": async () => null,
  // biome-ignore lint/complexity/useOptionalChain: a check that returns what is falsy, and not undefined
  "claims && claims.admin": ({ claims }) => claims && claims.admin,
  "a Proxy": () => new Proxy({}, {}),
};
const proxy = () => {
  const made = Proxy.revocable({}, {});
  made.revoke();
  return made.proxy;
};
const THROWN = {
  "an object as message": () => {
    throw { message: { secret: "SECRET" } };
  },
  "a number as message": () => {
    throw { message: 5 };
  },
  null: () => {
    throw null;
  },
  undefined: () => {
    throw undefined;
  },
  "a text": () => {
    throw "SECRET";
  },
  "a symbol": () => {
    throw Symbol("SECRET");
  },
  "a throwing message": () => {
    throw {
      get message() {
        throw new Error("SECRET");
      },
    };
  },
  "a throwing toString": () => {
    throw {
      toString() {
        throw new Error("SECRET");
      },
    };
  },
  "a revoked proxy": () => {
    throw proxy();
  },
  "an Error": () => {
    throw new Error("SECRET of the database");
  },
  "a surrogate": () => {
    throw new Error("SECRET\ud800");
  },
  "a message of 5 MB": () => {
    throw new Error(`SECRET${"x".repeat(5e6)}`);
  },
  "a BigInt message": () => {
    throw { message: 5n };
  },
  "a function": () => {
    throw () => {};
  },
};
const ROUNDS = [2, 8];

export async function* attempt(stage, size) {
  const behind = simple({ lists: { tools: [tool("open")] } });
  const answered = async (options) => {
    try {
      const { text, status } = await stateless(wrap(behind, {}, options))("tools/list");
      return `${status} ${text}`;
    } catch (error) {
      return `threw ${error}`;
    }
  };
  for (const check of [() => undefined, () => true, async () => {}]) {
    const text = await answered({ checks: check });
    yield control(`a check that gives ${check()} passes`, text.includes('"open"'), text);
  }
  for (let round = 0; round < ROUNDS[size]; round += 1) {
    for (const [what, check] of Object.entries(RETURNED)) {
      const text = await answered({ checks: round % 2 ? [{ name: "odd", check }, () => true] : check });
      yield tried(`a check returns ${what}`, !text.includes('"open"') && !text.startsWith("threw"), text);
    }
    for (const [what, work] of Object.entries(THROWN)) {
      for (const place of ["checks", "identify"]) {
        const text = await answered({ [place]: work });
        yield tried(
          `${place} throws ${what}`,
          !text.includes('"open"') && !text.includes("SECRET") && !text.startsWith("threw"),
          text,
        );
        const later = await answered({ [place]: async () => work() });
        yield tried(
          `${place} rejects with ${what}`,
          !later.includes('"open"') && !later.includes("SECRET") && !later.startsWith("threw"),
          later,
        );
      }
    }
  }
  const after = await answered({});
  yield control("the module still serves", after.includes('"open"'), after);
}
