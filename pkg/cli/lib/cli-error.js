// @ts-check
/** What cannot be read, or is no use: the command says so and ends with 2. */
export class Unreadable extends Error {
  /**
   * What was refused in a file, for `--json`.
   * @type {{ code: string, message: string, path?: string, line?: number, column?: number } | undefined}
   */
  refusal;
}
