// Tables of figures.

export const count = (number) => (number === undefined ? "–" : Math.round(number).toLocaleString("en"));
export const rowOf = (name, taken, columns) => [name, ...columns.map((column) => count(taken.get(column)))];
export const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
