// All forms of misbehaviour, by kind.
import { connections } from "./connections.mjs";
import { definitions } from "./definitions.mjs";
import { events } from "./events.mjs";
import { http } from "./http.mjs";
import { lists } from "./lists.mjs";
import { messages } from "./messages.mjs";
import { negotiation } from "./negotiation.mjs";
import { stateless } from "./stateless.mjs";
import { STDIO_FORMS } from "./stdio.mjs";

const plain = [{ name: "plain", about: "nothing is wrong" }];
/** Heading → forms. */
export const KINDS_OF_FORMS = {
  "Lists and pages": [...plain, ...lists],
  Definitions: definitions,
  Messages: messages,
  "Event streams": events,
  HTTP: http,
  Negotiation: negotiation,
  "Sessions and connections": connections,
  "The stateless revision": stateless,
  Stdio: STDIO_FORMS,
};
export const FORMS = Object.values(KINDS_OF_FORMS).flat();
/** The forms that a server over HTTP has. */
export const HTTP_FORMS = FORMS.filter((form) => !STDIO_FORMS.includes(form));
