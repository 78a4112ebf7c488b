/** Runs `work` on every item, `width` at a time, and yields the results in the order of the items. */
export async function* parallel(items, work, width = 8) {
  const pending = [];
  for (const item of items) {
    pending.push(Promise.resolve(item).then(work));
    pending.at(-1).catch(() => {});
    if (pending.length >= width) yield await pending.shift();
  }
  for (const result of pending) yield await result;
}
