// @ts-check
/** An input that cannot be read or used. The command prints the message and exits with 2. */
export class Unreadable extends Error {
  /**
   * The error in a file, for `--json`.
   * @type {{ code: string, message: string, path?: string, line?: number, column?: number } | undefined}
   */
  refusal;
  /** The message as it is printed, line by line. */
  lines = [this.message];

  /**
   * An error about several things, each of which is printed on a line.
   * @param {string} problem
   * @param {string[]} things
   */
  static listing(problem, things) {
    const error = new Unreadable(`${problem}: ${things.join(", ")}`);
    if (things.length > 1) error.lines = [`${problem}:`, ...things.map((thing) => `  ${thing}`)];
    return error;
  }
}
