// Policies that read every description, and callers who see different tools under them.
import { NOUNS, VERBS } from "../generate.mjs";

/** Number of roles. Each caller has its own set of them. */
const ROLES = 14;

/** Returns words with which one in a hundred descriptions of the catalog begins. */
export const wordsOf = (at) =>
  `${VERBS[at % VERBS.length]}s one ${NOUNS[Math.floor(at / VERBS.length) % NOUNS.length].replace("_", " ")}`;

/** Returns `count` policies. Each hides the tools with certain words from callers without a role. */
export const policiesOf = (count) =>
  Array.from({ length: count }, (_, at) => ({
    name: `policy-${at}`,
    show: `not description contains "${wordsOf(at)}" or claim.roles="role-${at}"`,
  }));

/** Returns the claims of a caller. Its roles are the bits of its number, so that no two callers have the same roles. */
export const claimsOf = (at) => ({
  sub: `user-${at}`,
  roles: Array.from({ length: ROLES }, (_, role) => `role-${role}`).filter((_, role) => (at >> role) & 1),
});
