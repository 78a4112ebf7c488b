// @ts-check
// Changes to preferences, merged into what another tab has stored since.

/** Maximum number of names that are switched off, of all kinds: a filter has 256 terms. */
const MAX_OFF = 255;
/** Maximum number of favorites, and of pins, of all kinds, as the engine reads them. */
const MAX_NAMES = 1000;

/**
 * Returns the preferences `stored` with what changed from `before` to `now`: names that were added or removed, and concerns
 * and bounds that were set or removed. All are texts of the same version. Returns `undefined` if that makes too many names.
 */
export function mergedPreferences(before, now, stored) {
  if (before === stored) return now;
  const texts = [before, now, stored].map((text) => JSON.parse(text));
  const part = (name) => texts.map((text) => text[name] ?? {});
  const disabled = names(part("disabled"));
  const favorites = names(part("favorites"));
  const pins = names(part("pins"), latestFirst);
  const count = (kinds) => Object.values(kinds).flat().length;
  if (count(disabled) > MAX_OFF || count(favorites) > MAX_NAMES || count(pins) > MAX_NAMES) return undefined;
  const limit = settings(part("limit"));
  return JSON.stringify({
    version: texts[1].version,
    disabled,
    favorites,
    ...(count(pins) > 0 && { pins }),
    concerns: settings(part("concerns")),
    ...(Object.keys(limit).length > 0 && { limit }),
  });
}

/**
 * Takes back the concerns and bounds of a choice that are missing in `stored`, although they were stored before. Returns whether
 * that changed the choice.
 */
export function withdraw(picker, before, stored) {
  const [had, has] = [before, stored].map((text) => JSON.parse(text));
  const gone = Object.keys(had.concerns ?? {}).filter((name) => !Object.hasOwn(has.concerns ?? {}, name));
  const changes = gone.map((name) => picker.setConcern(name, null));
  if (had.limit && !has.limit) changes.push(picker.setLimit({}));
  return changes.includes(true);
}

const keysOf = (objects) => [...new Set(objects.flatMap(Object.keys))];

const sorted = (kept, added) => [...new Set([...kept, ...added])].sort();
const latestFirst = (kept, added) => [...new Set([...added, ...kept])];

/** Names by kind, in the order that `merge` gives those that are kept and those that are added. */
function names(objects, merge = sorted) {
  const kinds = keysOf(objects).map((kind) => {
    const [before, now, stored] = objects.map((one) => one[kind] ?? []);
    const added = now.filter((name) => !before.includes(name));
    const removed = before.filter((name) => !now.includes(name));
    const kept = stored.filter((name) => !removed.includes(name));
    return [kind, merge(kept, added)];
  });
  return Object.fromEntries(kinds.filter(([, list]) => list.length > 0));
}

/** Values by name. */
function settings(/** @type {object[]} */ [before, now, stored]) {
  const own = keysOf([before, now]).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]));
  // A member that is `undefined` is not written.
  return { ...stored, ...Object.fromEntries(own.map((name) => [name, now[name]])) };
}
