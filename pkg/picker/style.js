// Constructed, so that a page whose policy allows no inline style allows this.
const CSS = `
/* Names of its own: a page may well set ours from properties of the same plain names. */
:host {
  --_accent: var(--mcp-sieve-accent, light-dark(#0b6b5b, #5fd3bd));
  --_on-accent: var(--mcp-sieve-on-accent, light-dark(#fff, #06221d));
  --_text: var(--mcp-sieve-text, light-dark(#1b2321, #e6ecea));
  --_muted: var(--mcp-sieve-muted, light-dark(#54605d, #a5b3af));
  --_surface: var(--mcp-sieve-surface, light-dark(#fff, #14201d));
  --_line: var(--mcp-sieve-line, light-dark(#7d8a86, #71807b));
  --_danger: var(--mcp-sieve-danger, light-dark(#a3231c, #ffa198));
  --_radius: var(--mcp-sieve-radius, .5rem);
  display: block; color: var(--_text); font: var(--mcp-sieve-font, 400 1rem/1.4 system-ui, sans-serif);
}
:host([hidden]), [hidden] { display: none !important; }
* { box-sizing: border-box; }
.columns { display: flex; flex-wrap: wrap; gap: 1rem; align-items: start; }
.facets { flex: 1 1 16rem; display: grid; gap: 1rem; min-inline-size: 0; }
.results { flex: 3 1 24rem; display: grid; gap: .5rem; min-inline-size: 0; }
.bar, .presets, .chips, .segments { display: flex; flex-wrap: wrap; gap: .35rem; align-items: center; }
.bar { margin-block-end: .25rem; }
:host > .bar, .presets { margin-block-end: .75rem; }
.space { flex: 1; }
.title { display: block; font-weight: 600; margin-block-end: .25rem; padding: 0; }
.title small { display: block; font-weight: 400; color: var(--_muted); }
button, input { font: inherit; color: inherit; background: var(--_surface); border: 1px solid var(--_line); border-radius: var(--_radius); padding: .2rem .6rem; max-inline-size: 100%; }
button { cursor: pointer; min-block-size: 1.9rem; }
button:disabled { cursor: default; opacity: .55; }
button[aria-pressed=true] { background: var(--_accent); color: var(--_on-accent); border-color: var(--_accent); }
button[data-mark=not] { background: var(--_danger); color: var(--_surface); border-color: var(--_danger); }
button[aria-pressed=true] .count { color: inherit; }
.find { flex: 1 1 10rem; min-inline-size: 8rem; }
.count, .default, .note { color: var(--_muted); font-size: .875em; }
.count { margin-inline-start: .4em; font-variant-numeric: tabular-nums; }
/* Numbers and signs are drawn, not written: what a reader hears is the label, and the two agree. */
.count::after { content: attr(data-count); }
.chip[data-mark=must]::before { content: "+ "; }
.chip[data-mark=not]::before { content: "− "; }
.item[aria-expanded=true] .twisty::after { content: "▾"; }
.item[aria-expanded=false] .twisty::after { content: "▸"; }
.item[data-state=on] .box::after { content: "✓"; }
.item[data-state=mixed] .box::after { content: "–"; }
.item[data-state=refused] .box::after, .refuse::after { content: "✕"; }
.tree { display: grid; }
.item { display: flex; align-items: center; gap: .4rem; padding-block: .15rem; padding-inline: calc(var(--_level) * 1.1rem) .25rem; border-radius: var(--_radius); cursor: pointer; }
.item .text { flex: 1; min-inline-size: 0; overflow-wrap: anywhere; }
.item .refuse { visibility: hidden; border: 0; min-block-size: 0; padding: 0 .3rem; background: none; color: var(--_danger); }
.item:hover .refuse, .item:focus .refuse, .item[data-state=refused] .refuse { visibility: visible; }
.item[data-state=refused] .text { text-decoration: line-through; }
.twisty { inline-size: 1em; text-align: center; color: var(--_muted); }
.tree:not(:has([aria-expanded])) .twisty { display: none; }
:host(:dir(rtl)) .twisty { transform: scaleX(-1); }
.box { display: inline-grid; place-items: center; inline-size: 1.15rem; block-size: 1.15rem; border: 1px solid var(--_line); border-radius: .25rem; background: var(--_surface); font-size: .8rem; line-height: 1; cursor: pointer; }
.item:is([data-state=on], [data-state=mixed]) .box, .box[aria-checked=true] { background: var(--_accent); color: var(--_on-accent); border-color: var(--_accent); }
.item[data-state=refused] .box { background: var(--_danger); color: var(--_surface); border-color: var(--_danger); }
fieldset { border: 0; padding: 0; margin: 0; min-inline-size: 0; }
.concerns { display: grid; gap: .75rem; }
.segments label { position: relative; border: 1px solid var(--_line); border-radius: var(--_radius); padding: .2rem .6rem; cursor: pointer; background: var(--_surface); }
.segments label:has(:checked) { background: var(--_accent); color: var(--_on-accent); border-color: var(--_accent); }
.segments label:has(:checked) :is(.count, .default) { color: inherit; }
.segments input { position: absolute; opacity: 0; inset: 0; margin: 0; cursor: pointer; }
.segments label:has(:focus-visible) { outline: 2px solid var(--_accent); outline-offset: 2px; }
.number { display: flex; gap: .5rem; align-items: center; color: var(--_muted); }
.number input { inline-size: 6rem; }
.status { font-weight: 600; }
.alert { margin: 0; color: var(--_danger); }
.none { position: absolute; inset-inline: 0; inset-block-start: 2rem; margin: 0; padding: 1rem; text-align: center; color: var(--_muted); }
.list { position: relative; border: 1px solid var(--_line); border-radius: var(--_radius); background: var(--_surface); overflow: hidden; }
.grid { block-size: var(--mcp-sieve-list-height, 24rem); overflow: auto; position: relative; }
.grid:focus-visible { outline: 2px solid var(--_accent); outline-offset: -2px; }
.head { position: sticky; inset-block-start: 0; z-index: 1; background: var(--_surface); border-block-end: 1px solid var(--_line); font-size: .875em; color: var(--_muted); }
.body { position: relative; }
.row { display: grid; grid-template-columns: 3rem minmax(8rem, 3fr) minmax(4rem, 1fr) 4.5rem 5rem; align-items: center; gap: .25rem; padding-inline: .5rem; }
.body .row { position: absolute; inset-inline: 0; inset-block-start: 0; block-size: 3.4rem; }
.row > * { min-inline-size: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.name { display: grid; }
.label, .note { overflow: hidden; text-overflow: ellipsis; }
.row[data-shown=false] .label { color: var(--_muted); text-decoration: line-through; }
.row[data-shown=false] .box[aria-checked=true] { background: none; color: var(--_muted); border-color: var(--_line); }
.tokens { text-align: end; font-variant-numeric: tabular-nums; }
.use, .favourite { text-align: center; }
.use, .favourite, .header > * { overflow: visible; }
.star { cursor: pointer; padding: .1rem .4rem; }
.star[aria-pressed=true] { color: var(--_accent); }
.grid:focus-visible [data-active] { outline: 2px solid var(--_accent); outline-offset: 1px; border-radius: .25rem; }
:focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; }
@media (prefers-reduced-motion: no-preference) { button, .box, .segments label { transition: background-color .12s; } }
@media (max-width: 40rem) { .row { grid-template-columns: 1.75rem minmax(0, 1fr) 3rem 2rem; padding-inline: .25rem; } .groups, .head .use, .head .favourite { display: none; } .head .name { grid-column: 2; } .head .tokens { grid-column: 3; } }
@media (forced-colors: active) { .box, button, .segments label { border-color: ButtonText; } .item:is([data-state=on], [data-state=mixed]) .box, .box[aria-checked=true], button[aria-pressed=true], .segments label:has(:checked) { background: Highlight; color: HighlightText; } }
`;

let made;

/** One sheet for every element of the page. */
export function sheet() {
  if (made === undefined) {
    made = new CSSStyleSheet();
    made.replaceSync(CSS);
  }
  return made;
}
