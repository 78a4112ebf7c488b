// A reporter for Node's test runner. It writes the path of each file in which a test failed, one a line.
export default async function* failedFiles(events) {
  for await (const { type, data } of events) if (type === "test:fail" && data.file) yield `${data.file}\n`;
}
