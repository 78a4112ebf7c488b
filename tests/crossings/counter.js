// Counts what passes between JavaScript and the module of a Worker. It is imported before the build, and replaces the constructor
// of the instance by one that counts. It runs in workerd.

/** Exports by which wasm-bindgen itself manages memory and values. */
const INTERNAL = /^__(?:wbindgen|wbg|externref)/;
/** Exports by which a promise or a timer resumes work of the module. */
const RESUMED = /^wasm_bindgen__convert__closures/;

const zero = () => ({ entries: 0, resumptions: 0, internals: 0, imports: 0, bytesIn: 0, bytesOut: 0 });
let counts = zero();
/** The counts when the first request to a server was sent. */
let atFetch;
let memory;

const isOurs = (view) => ArrayBuffer.isView(view) && view.buffer === memory?.buffer;
/** The glue writes through a view of all memory. Those bytes are counted when they are allocated. */
const isWhole = (view) => view.byteLength === memory.buffer.byteLength;

function countedExport(name, call) {
  if (name === "__wbindgen_malloc") {
    return (size, align) => {
      counts.internals += 1;
      counts.bytesIn += size;
      return call(size, align);
    };
  }
  if (name === "__wbindgen_realloc") {
    return (at, from, to, align) => {
      counts.internals += 1;
      counts.bytesIn += to - from;
      return call(at, from, to, align);
    };
  }
  const kind = INTERNAL.test(name) ? "internals" : RESUMED.test(name) ? "resumptions" : "entries";
  return (...args) => {
    counts[kind] += 1;
    return call(...args);
  };
}

function countedImport(call) {
  return function (...args) {
    counts.imports += 1;
    return call.apply(this, args);
  };
}

const mapped = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));

WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
  construct(Instance, [module, imports]) {
    const wrapped = mapped(imports, (group) =>
      mapped(group, (value) => (typeof value === "function" ? countedImport(value) : value)),
    );
    const { exports } = new Instance(module, wrapped);
    memory = exports.memory;
    return {
      exports: mapped(exports, (value, name) => (typeof value === "function" ? countedExport(name, value) : value)),
    };
  },
});

const { set, slice } = Uint8Array.prototype;
Uint8Array.prototype.set = function (source, at) {
  if (isOurs(this) && !isWhole(this)) counts.bytesIn += source.length;
  if (isOurs(source) && !isOurs(this)) counts.bytesOut += source.byteLength;
  return set.call(this, source, at);
};
Uint8Array.prototype.slice = function (...range) {
  const copy = slice.apply(this, range);
  if (isOurs(this)) counts.bytesOut += copy.byteLength;
  return copy;
};
const { decode } = TextDecoder.prototype;
TextDecoder.prototype.decode = function (bytes, options) {
  if (isOurs(bytes)) counts.bytesOut += bytes.byteLength;
  return decode.call(this, bytes, options);
};
/** Counts the memory that a constructor copies from the module. */
const copying = (Constructor) =>
  new Proxy(Constructor, {
    construct(target, args, as) {
      if (isOurs(args[0])) counts.bytesOut += args[0].byteLength;
      return Reflect.construct(target, args, as);
    },
  });
globalThis.Uint8Array = copying(Uint8Array);
globalThis.Response = copying(Response);

const { fetch } = globalThis;
globalThis.fetch = (...args) => {
  atFetch ??= { ...counts };
  return fetch(...args);
};

/** Returns the counts since the last call of this function. */
export function take() {
  const taken = { ...counts, atFetch };
  counts = zero();
  atFetch = undefined;
  return taken;
}
