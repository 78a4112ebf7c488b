// What the simulation assumes and does not measure. The README explains each.

/** Tokens of the host's own prompt, which every turn has. */
export const PROMPT = 500;
/** Tokens of the arguments of a call to a tool of the task, the same in every mode. */
export const ARGUMENTS = 50;
/** Tokens of the result of such a call. */
export const RESULT = 250;
/** Tokens of the answer that ends a task. */
export const ANSWER = 150;
/** How many results of a search the model tries before it gives a step up. */
export const TRIES = 5;
/** Steps of a task, at most. */
export const STEPS = 5;
/** How many groups a filter has for each group that the task needs. */
export const WIDTH = 2;
/** Tools in a group, of tools that come without groups. */
export const GROUP = 20;

/** What a token costs with a prompt cache, in tokens of input that is not cached. */
export const PRICE = { read: 0.1, written: 1.25, output: 5 };
