// Alternatives that a developer would write instead. Each takes the parsed list result and returns functions of a
// filter.

/** The code of a typical web developer. */
export function naive({ tools }) {
  return {
    select: ({ groups = [], tags = [], concerns = {} }) =>
      tools.filter(
        (tool) =>
          (groups.length === 0 || groups.some((group) => tool.groups.includes(group))) &&
          tags.every((tag) => tool.tags.includes(tag)) &&
          Object.entries(concerns).every(([name, value]) => {
            const has = tool._meta.concerns[name];
            return has === undefined || has === value;
          }),
      ),
  };
}

/** The code of an expert: a bitset for each facet, compiled filters, reused memory. */
export function bitset({ tools }) {
  const words = Math.ceil(tools.length / 32);
  const sets = new Map();
  const set = (key) => {
    if (!sets.has(key)) sets.set(key, new Uint32Array(words));
    return sets.get(key);
  };
  const add = (key, at) => {
    set(key)[at >>> 5] |= 1 << (at & 31);
  };
  const names = new Set(tools.flatMap((tool) => Object.keys(tool._meta.concerns)));
  tools.forEach((tool, at) => {
    for (const group of tool.groups) add(`g:${group}`, at);
    for (const tag of tool.tags) add(`t:${tag}`, at);
    for (const name of names) {
      const value = tool._meta.concerns[name];
      add(value === undefined ? `c:${name}` : `c:${name}=${value}`, at);
    }
  });
  const all = new Uint32Array(words).fill(0xffffffff);
  if (tools.length % 32 !== 0) all[words - 1] = 2 ** (tools.length % 32) - 1;
  const answer = new Uint32Array(words);

  /** Compiles a filter to a conjunction of clauses. Each clause is a disjunction of bitsets. */
  const compile = ({ groups = [], tags = [], concerns = {} }) => [
    ...(groups.length === 0 ? [] : [groups.map((group) => set(`g:${group}`))]),
    ...tags.map((tag) => [set(`t:${tag}`)]),
    ...Object.entries(concerns).map(([name, value]) => [set(`c:${name}`), set(`c:${name}=${value}`)]),
  ];
  const evaluate = (clauses) => {
    answer.set(all);
    for (const clause of clauses) {
      if (clause.length === 1) {
        const [only] = clause;
        for (let at = 0; at < words; at += 1) answer[at] &= only[at];
      } else {
        for (let at = 0; at < words; at += 1) {
          let any = 0;
          for (let place = 0; place < clause.length; place += 1) any |= clause[place][at];
          answer[at] &= any;
        }
      }
    }
    return answer;
  };
  const count = (clauses) => {
    evaluate(clauses);
    let total = 0;
    for (let at = 0; at < words; at += 1) {
      let bits = answer[at];
      bits -= (bits >>> 1) & 0x55555555;
      bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
      total += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
    }
    return total;
  };
  const each = (clauses, visit) => {
    evaluate(clauses);
    for (let at = 0; at < words; at += 1) {
      for (let bits = answer[at]; bits !== 0; bits &= bits - 1) visit(at * 32 + 31 - Math.clz32(bits & -bits));
    }
  };
  return { compile, count, each };
}

/** The expert's code, which also keeps each tool as the bytes that are sent. */
export function slices(list) {
  const { compile, each, count } = bitset(list);
  const utf8 = new TextEncoder();
  const bytes = list.tools.map((tool) => utf8.encode(JSON.stringify(tool)));
  const [head, tail] = [utf8.encode('{"tools":['), utf8.encode("]}")];
  /** Returns the bytes of the result for a compiled filter, between `head` and `tail`. */
  const write = (filter, head, tail) => {
    const clauses = compile(filter);
    let length = head.length + tail.length;
    let picked = 0;
    each(clauses, (at) => {
      length += bytes[at].length;
      picked += 1;
    });
    const out = new Uint8Array(length + Math.max(0, picked - 1));
    out.set(head);
    let end = head.length;
    each(clauses, (at) => {
      if (end > head.length) out[end++] = 0x2c;
      out.set(bytes[at], end);
      end += bytes[at].length;
    });
    out.set(tail, end);
    return out;
  };
  return {
    count,
    write,
    /** Returns the bytes of the result for a filter as JSON text. */
    answer: (text) => write(JSON.parse(text), head, tail),
  };
}
