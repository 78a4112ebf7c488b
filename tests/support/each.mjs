/** Runs `use` for every element, `atATime` at a time. Returns the results in order. */
export async function eachOf(elements, use, atATime) {
  const results = [];
  const left = [...elements.entries()];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) results[next[0]] = await use(next[1]);
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  return results;
}
