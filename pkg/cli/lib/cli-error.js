/** What cannot be read, or is no use: the command says so and ends with 2. */
export class Unreadable extends Error {}
