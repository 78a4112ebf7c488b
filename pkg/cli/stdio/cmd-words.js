// @ts-check
// Words of a command line for cmd.exe, which Windows needs to start programs such as `npx.cmd`.

/** Words that cmd.exe and programs read as they are. */
const PLAIN = /^[A-Za-z0-9#$*+./:?@\\_-]+$/;
/** A percent sign that begins no variable: cmd.exe keeps the first one and puts no character of `cd` in place of the rest. */
const PERCENT = "%%cd:~,%";

/**
 * Returns a word so that the program gets it unchanged, also where cmd.exe reads it twice, since the program is a batch file.
 *
 * Between quotes, cmd.exe reads `&`, `|`, `<`, `>` and `^` as they are. A quote in the word is doubled, so that cmd.exe is still
 * between quotes behind it. Programs read two quotes as one, and backslashes before a quote in pairs.
 * @param {string} word
 */
export function cmdWord(word) {
  if (PLAIN.test(word)) return word;
  const inner = word.replaceAll(/(\\*)"/g, '$1$1""').replace(/\\+$/, "$&$&");
  return `"${inner.replaceAll("%", PERCENT)}"`;
}
