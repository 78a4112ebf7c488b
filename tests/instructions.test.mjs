// Counts of instructions from a profile of callgrind.
import assert from "node:assert/strict";
import test from "node:test";
import { ownInstructions } from "../benches/instructions/run.mjs";

const PROGRAM = "/work/program";
const PROFILE = `events: Ir

ob=(1) ${PROGRAM}
fl=(1) ???
fn=(1) measured
0 5
cob=(2) /lib/libc.so.6
cfi=(2) ???
cfn=(2) memcpy
calls=3 0
0 900
0 7
cfn=(3) inner
calls=1 0
0 40

fn=(3) inner
0 30
+3 10

ob=(2)
fl=(2)
fn=(2) memcpy
0 900

ob=(1)
fl=(1)
fn=(4) last
* 2

totals: 954
`;

test("counts what functions of one object execute themselves", () => {
  assert.equal(ownInstructions(PROFILE, PROGRAM), 5 + 7 + 30 + 10 + 2);
  assert.equal(ownInstructions(PROFILE, "/lib/libc.so.6"), 900);
});

test("counts nothing of an object that the profile does not name", () => {
  assert.equal(ownInstructions(PROFILE, "/work/another"), 0);
  assert.equal(ownInstructions("", PROGRAM), 0);
});
