// @ts-check
// Opens an address in the browser of the user. No shell reads it.
import { spawn } from "node:child_process";

/** The programs of systems that open an address, with what stands before it. */
const OPENERS = {
  darwin: ["open"],
  // `start` is a word of a shell, which would read `&` in an address.
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/**
 * Returns the program that opens addresses, with what stands before the address; nothing where no window can open, such as in a
 * session over SSH.
 * @param {Record<string, string | undefined>} environment
 * @param {string} platform
 * @returns {string[] | undefined}
 */
export function openerOf(environment, platform) {
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME } = environment;
  // A variable with more than a program, such as a list or `%s`, is for programs that read it themselves.
  if (BROWSER && !/[%:;\s]/.test(BROWSER.replace(/^[A-Za-z]:\\/, ""))) return [BROWSER];
  if (Object.hasOwn(OPENERS, platform)) return OPENERS[platform];
  return BROWSER || DISPLAY || WAYLAND_DISPLAY || WSL_DISTRO_NAME ? ["xdg-open"] : undefined;
}

/**
 * Opens an address. Returns whether a program was started for it.
 * @param {string} url
 * @param {Record<string, string | undefined>} [environment]
 * @param {string} [platform]
 * @returns {Promise<boolean>}
 */
export async function openBrowser(url, environment = process.env, platform = process.platform) {
  // Programs take other words for options or files.
  if (!/^https?:\/\//i.test(url)) return false;
  const [program, ...before] = openerOf(environment, platform) ?? [];
  if (program === undefined) return false;
  return new Promise((done) => {
    const child = spawn(program, [...before, url], { stdio: "ignore", detached: true, shell: false });
    child.once("error", () => done(false));
    child.once("spawn", () => {
      child.unref();
      done(true);
    });
  });
}
