// Policies that read every description, and callers whom they show different tools.
import { NOUNS, VERBS } from "../generate.mjs";

/** Callers differ in so many roles, each caller in its own set of them. */
const ROLES = 14;

/** Words that one in a hundred descriptions of the catalog begins with. */
export const wordsOf = (at) =>
  `${VERBS[at % VERBS.length]}s one ${NOUNS[Math.floor(at / VERBS.length) % NOUNS.length].replace("_", " ")}`;

/** Policies that hide the tools of some words from callers without a role. */
export const policiesOf = (count) =>
  Array.from({ length: count }, (_, at) => ({
    name: `policy-${at}`,
    show: `not description contains "${wordsOf(at)}" or claim.roles="role-${at}"`,
  }));

/** The claims of a caller. Its roles are the bits of its number, so that no two callers have the same roles. */
export const claimsOf = (at) => ({
  sub: `user-${at}`,
  roles: Array.from({ length: ROLES }, (_, role) => `role-${role}`).filter((_, role) => (at >> role) & 1),
});
