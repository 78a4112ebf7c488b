// @ts-check

/** A server that is not able to run a function: another server may be. */
export class Failure extends Error {}

/** A call that the function or the server has refused: another server is not asked. */
export class Refused extends Error {}
