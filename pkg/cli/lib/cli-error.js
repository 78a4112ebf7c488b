// @ts-check
/** An input that cannot be read or used. The command prints the message and exits with 2. */
export class Unreadable extends Error {
  /**
   * The error in a file, for `--json`.
   * @type {{ code: string, message: string, path?: string, line?: number, column?: number } | undefined}
   */
  refusal;
}
