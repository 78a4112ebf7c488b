// @ts-check
// The list request of a choice. The link to this page has it in its fragment, so that nothing is asked again.
import { $ } from "./dom.js";

function draw() {
  const shown = new URLSearchParams(location.hash.slice(1));
  $("request").hidden = !shown.has("request");
  $("shown-request").textContent = shown.get("request") ?? "";
  $("headers").textContent = shown.get("headers") ?? "";
}

addEventListener("hashchange", draw);
draw();
