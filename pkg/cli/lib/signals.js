// @ts-check

/**
 * Returns `wanted`, a promise that resolves at a signal or `stop()`, and rejects with the error that `end` gets.
 */
export function awaited() {
  let settle;
  const wanted = new Promise((done, fail) => (settle = { done, fail }));
  // It may fail before it is waited for.
  wanted.catch(() => {});
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => settle.done());
  return { wanted, stop: () => settle.done(), end: (error) => settle.fail(error) };
}
