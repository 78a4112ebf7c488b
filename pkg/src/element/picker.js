// @ts-check
// The element `<mcp-sieve-picker>`. It imports no engine: the sieve that it is given brings one.
import { SievePickerElement } from "./picker/element.js";

export { SievePickerElement };

// A server that renders pages has no elements, and a page may have two copies of this.
if (globalThis.customElements && !customElements.get("mcp-sieve-picker"))
  customElements.define("mcp-sieve-picker", SievePickerElement);
