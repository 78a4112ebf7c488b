// @ts-check
// The steps of OAuth (`worker/oauth`), with their failures as errors of the command.
import * as bundle from "../../../dist/oauth.js";
import { Unreadable } from "../cli-error.js";

/** @typedef {typeof import("../../../../worker/oauth/index.js")} Steps */

const steps = /** @type {Steps} */ (/** @type {unknown} */ (bundle));

/** The message of a failure, with its code. */
const said = ({ code, message }) => `${message.replace(/\.$/, "")} [${code}]`;

/**
 * Runs a step of the sign-in to a server.
 * @template {keyof Steps} Name
 * @param {string} server
 * @param {Name} name
 * @param {any} input
 * @returns {Promise<Awaited<ReturnType<Steps[Name] extends (...args: any) => any ? Steps[Name] : never>>>}
 * @throws {Unreadable} with the message of the failure
 */
export async function step(server, name, input) {
  try {
    return await /** @type {any} */ (steps[name])(input);
  } catch (error) {
    if (!(error instanceof steps.SignInFailure)) throw error;
    throw new Unreadable(`${server}: ${said(error)}`);
  }
}
