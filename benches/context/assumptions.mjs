// Assumptions of the simulation, which it does not measure. The README explains each.

/** Tokens of the host's own prompt, which every turn contains. */
export const PROMPT = 500;
/** Tokens of the arguments of a call to a tool of the task, the same in every mode. */
export const ARGUMENTS = 50;
/** Tokens of the result of such a call. */
export const RESULT = 250;
/** Tokens of the model's answer that ends a task. */
export const ANSWER = 150;
/** Number of search results that the model tries before it gives up on a step. */
export const TRIES = 5;
/** Maximum number of steps of a task. */
export const STEPS = 5;
/** Number of groups in a filter for each group that the task needs. */
export const WIDTH = 2;
/** Number of tools in a group, for catalogs without groups. */
export const GROUP = 20;

/** Price of a token with a prompt cache, in uncached input tokens. */
export const PRICE = { read: 0.1, written: 1.25, output: 5 };
