// A reporter of Node's test runner: writes the path of each file in which a test failed, a line each.
export default async function* failedFiles(events) {
  for await (const { type, data } of events) if (type === "test:fail" && data.file) yield `${data.file}\n`;
}
