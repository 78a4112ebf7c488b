// @ts-check
// The buttons that copy a part of the page, which `data-copy` names.
import { $ } from "./dom.js";

document.addEventListener("click", async (/** @type {any} */ event) => {
  const id = event.target.dataset?.copy;
  if (!id) return;
  try {
    await navigator.clipboard.writeText($(id).textContent);
    $("said").textContent = `Copied the ${id.split("-").at(-1)}`;
    event.target.classList.add("done");
    setTimeout(() => event.target.classList.remove("done"), 1500);
  } catch {
    getSelection().selectAllChildren($(id));
    $("said").textContent = `The browser does not let this page copy; the ${id.split("-").at(-1)} is selected instead`;
  }
});
