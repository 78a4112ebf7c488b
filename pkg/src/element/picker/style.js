// @ts-check
// Constructed, so that a page whose policy allows no inline style allows this.
const CSS = `
/* Colors come in pairs, one for each color scheme, and text stands on the element's own surface: whatever the page around
   it looks like, the two match. Names of its own: a page may well set ours from properties of the same plain names. */
:host {
  --_accent: var(--mcp-sieve-accent, light-dark(#0b6b5b, #5fd3bd));
  --_on-accent: var(--mcp-sieve-on-accent, light-dark(#fff, #06221d));
  --_text: var(--mcp-sieve-text, light-dark(#1b2321, #e6ecea));
  --_muted: var(--mcp-sieve-muted, light-dark(#54605d, #a5b3af));
  --_surface: var(--mcp-sieve-surface, light-dark(#fff, #14201d));
  --_line: var(--mcp-sieve-line, light-dark(#7d8a86, #71807b));
  --_danger: var(--mcp-sieve-danger, light-dark(#a3231c, #ffa198));
  --_radius: var(--mcp-sieve-radius, .5rem);
  --_height: var(--mcp-sieve-list-height, 24rem);
  --_faint: color-mix(in srgb, var(--_line) 40%, var(--_surface));
  --_tint: color-mix(in srgb, var(--_accent) 9%, var(--_surface));
  display: block; min-inline-size: 0;
}
:host([theme=light]) { color-scheme: light; }
:host([theme=dark]) { color-scheme: dark; }
:host(:not([theme=light], [theme=dark])) .root[data-scheme=light] { color-scheme: light; }
:host(:not([theme=light], [theme=dark])) .root[data-scheme=dark] { color-scheme: dark; }
:host([hidden]), [hidden] { display: none !important; }
/* As wide as it would like to be where nothing else gives it a width: what is inside is laid out by that width. */
:host::before { content: "- - - -"; display: block; block-size: 0; overflow: hidden; visibility: hidden; word-spacing: 15rem; }
/* Nothing is inherited from the page but what it means for everything: its direction and its color scheme. */
.root {
  all: initial; display: block; container: picker / inline-size; color-scheme: inherit; visibility: inherit; pointer-events: inherit;
  font: var(--mcp-sieve-font, 400 1rem/1.4 system-ui, sans-serif); color: var(--_text); background: var(--_surface);
  padding: var(--mcp-sieve-padding, 1rem); border-radius: min(var(--_radius), .75rem);
}
* { box-sizing: border-box; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1rem; margin-block-end: .75rem; }
.status { flex: 1 1 auto; font-size: 1.25em; font-weight: 650; line-height: 1.3; font-variant-numeric: tabular-nums; }
.steps { display: flex; gap: .25rem; margin-inline-start: -.5rem; }
.presets { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .75rem; margin-block-end: .75rem; }
.budget { margin-block-end: 1rem; border: 1px solid var(--_faint); border-radius: var(--_radius); }
.line { display: flex; gap: .25rem .75rem; padding: .5rem .75rem; cursor: pointer; border-radius: inherit; }
.line:hover { background: var(--_tint); }
.line::before { content: "▸"; content: "▸" / ""; inline-size: .8em; margin-inline-end: -.25rem; color: var(--_muted); }
[open] > .line::before { content: "▾"; content: "▾" / ""; }
.line::-webkit-details-marker { display: none; }
.line .gauges { flex: 1; }
details > :is(.bounds, .hosts, .disclosure) { margin: .5rem .75rem .75rem; }
.bounds { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; }
.bound { display: flex; align-items: center; gap: .5rem; color: var(--_muted); }
.bound input { inline-size: 6.5rem; color: var(--_text); }
.bounds .dropped { margin-inline-start: auto; }
.gauges { display: grid; gap: .5rem 1.5rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); }
.gauge { display: grid; gap: .125rem; align-content: start; min-inline-size: 0; }
details:not([open]) .marks { display: none; }
.reading { font-variant-numeric: tabular-nums; }
.track { display: flex; block-size: .5rem; border: 1px solid var(--_line); border-radius: .375rem; overflow: hidden; background: var(--_surface); }
.used { background: var(--_accent); }
.lost { background: repeating-linear-gradient(135deg, var(--_line) 0 .1875rem, transparent .1875rem .4375rem); }
.track[data-beyond=true] { border-inline-end-style: dashed; border-inline-end-width: .25rem; }
.marks { position: relative; block-size: 1.125rem; margin-block-start: -.25rem; font-size: .8125em; color: var(--_muted); font-variant-numeric: tabular-nums; }
.marks:empty { display: none; }
.mark { position: absolute; padding-inline-start: .25rem; border-inline-start: 1px solid var(--_line); line-height: 1.5; white-space: nowrap; }
.mark.own { inset-block-start: -1.125rem; block-size: 1.25rem; border-inline-start: .1875rem solid var(--_text); padding: 0; }
.marks:not(:has(.mark:not(.own))) { block-size: 0; }
.hosts, .modes { list-style: none; padding: 0; }
.modes { margin: 0; }
.hosts { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; font-size: .9375em; }
.hosts li::before { content: "✕"; content: "✕" / ""; display: inline-block; inline-size: 1.25em; color: var(--_danger); }
.hosts li[data-fits=true]::before { content: "✓"; content: "✓" / ""; color: var(--_accent); }
.disclosure, .modes { display: flex; flex-wrap: wrap; gap: 0 .5em; font-variant-numeric: tabular-nums; }
.modes li + li::before { content: "· "; content: "· " / ""; color: var(--_muted); }
.modes b { font-weight: 650; }
.buttons { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr); gap: .75rem 1.5rem; }
.facets { display: grid; gap: 1.25rem; align-content: start; min-inline-size: 0; }
.facets:not([data-open]), .side { display: none; }
.results { display: flex; flex-direction: column; gap: .75rem; min-inline-size: 0; }
@container picker (inline-size >= 44rem) {
  .columns:has(> :is(.facets:not([hidden]), .side)) { grid-template-columns: minmax(15rem, 1fr) minmax(0, 2.6fr); }
  .facets, .facets:not([data-open]), .side { display: grid; }
  .filters { display: none; }
}

.title { font-weight: 650; }
.facet > .title { display: block; margin-block-end: .25rem; }
.subtitle { display: block; font-weight: 550; font-size: .9375em; }
.subtitle::first-letter { text-transform: uppercase; }
.concerns { display: grid; gap: .75rem; }
small, .count, .note, code, .hits, .server { color: var(--_muted); font-size: .875em; }
.muted { color: var(--_muted); }
small.about { display: block; line-height: 1.3; margin-block-end: .125rem; }
small.about:empty { display: none; }
code { font-family: ui-monospace, monospace; font-size: .8125em; margin-inline-end: .5em; }
code:empty, .server:empty { display: none; }
.server { margin-inline-end: .5em; padding-inline: .375em; border: 1px solid var(--_faint); border-radius: .25rem; }
.icon { inline-size: 1em; block-size: 1em; fill: none; stroke: currentColor; stroke-width: 1.6; stroke-linecap: round; stroke-linejoin: round; vertical-align: -.125em; margin-inline-end: .35em; }

button, input { font: inherit; color: inherit; background: var(--_surface); border: 1px solid var(--_line); border-radius: var(--_radius); padding: .2rem .7rem; max-inline-size: 100%; min-block-size: 2rem; }
button { cursor: pointer; }
button:is(:disabled, [aria-disabled=true]) { cursor: default; }
button:is(:disabled, [aria-disabled=true]):not(.sign) { opacity: .55; }
button:hover:enabled { border-color: var(--_accent); }
button[aria-pressed=true] { background: var(--_accent); color: var(--_on-accent); border-color: var(--_accent); }
.favorites[aria-pressed=true] .icon { fill: currentColor; }
.steps button { border-color: transparent; background: none; padding-inline: .5rem; color: var(--_muted); }
.steps button:hover:enabled:not([aria-disabled=true]) { color: var(--_accent); background: var(--_tint); }
:host(:dir(rtl)) .steps .icon { transform: scaleX(-1); }
.filters { justify-self: start; }
.filters::before { content: "▸"; content: "▸" / ""; display: inline-block; inline-size: 1.1em; }
.filters[aria-expanded=true]::before { content: "▾"; content: "▾" / ""; }
.query { border-style: dashed; }
.field { position: relative; flex: 1 1 12rem; display: flex; min-inline-size: 0; }
.find { flex: 1; min-inline-size: 0; }
.field:has(.hits:not(:empty)) .find { padding-inline-end: 7rem; }
.hits { position: absolute; inset-inline-end: .7rem; inset-block: 0; display: flex; align-items: center; pointer-events: none; }
.find::-webkit-search-cancel-button { display: none; }
::placeholder { color: var(--_muted); opacity: 1; }
.number { display: flex; gap: .5rem; align-items: center; color: var(--_muted); }
.number input { inline-size: 6rem; color: var(--_text); }

.tabs { display: flex; flex-wrap: wrap; gap: 0 1.25rem; border-block-end: 1px solid var(--_faint); }
.tab { border: 0; border-block-end: 3px solid transparent; border-radius: 0; background: none; padding: .25rem .125rem; color: var(--_muted); margin-block-end: -1px; }
.tab[aria-selected=true] { color: var(--_text); font-weight: 650; border-color: var(--_accent); }
.tab:hover:enabled { color: var(--_text); }

.values, .tree { display: grid; }
.value { display: flex; align-items: center; gap: .25rem; min-block-size: 1.75rem; padding-inline: calc(var(--_level, 0) * 1rem + .375rem) .125rem; margin-inline: -.375rem -.125rem; border-radius: .375rem; cursor: pointer; }
.value:hover { background: var(--_tint); }
.value .text { flex: 1; min-inline-size: 0; overflow-wrap: anywhere; line-height: 1.2; }
.value[data-mark=must] .text { color: var(--_accent); font-weight: 650; }
.value[data-mark=not] .text { color: var(--_danger); text-decoration: line-through; }
.value[data-mark=any][data-none] .text { color: var(--_muted); }
.count { font-variant-numeric: tabular-nums; }
.tab .count { margin-inline-start: .4em; font-weight: 400; }
.own { display: flex; flex-wrap: wrap; gap: .375rem; min-inline-size: 0; margin-block-start: .5rem; }
.own label { flex: 1 0 100%; color: var(--_muted); overflow-wrap: anywhere; }
.own input { flex: 1 1 6rem; min-inline-size: 0; }
.value .count { margin-inline-end: .25rem; }
/* Numbers and signs are drawn, not written: what a reader hears is the label, and the two agree. */
.count::after { content: attr(data-count); }
.signs { display: inline-flex; flex: none; border: 1px solid var(--_faint); border-radius: min(var(--_radius), .375rem); overflow: clip; background: var(--_surface); }
.sign { inline-size: 1.75rem; min-block-size: 1.5rem; padding: 0; border: 0; border-radius: 0; background: none; color: var(--_muted); line-height: 1; font-weight: 650; }
.sign + .sign { border-inline-start: 1px solid var(--_faint); }
.sign.must::before { content: "+"; }
.sign.must[aria-pressed=mixed]::before { content: "±"; }
.sign.not::before { content: "−"; }
.sign:hover:enabled { color: var(--_accent); background: var(--_tint); }
.sign.not:hover:enabled { color: var(--_danger); }
.sign[aria-pressed=mixed] { color: var(--_accent); background: var(--_tint); }
.sign.must[aria-pressed=true] { background: var(--_accent); color: var(--_on-accent); }
.sign.not[aria-pressed=true] { background: var(--_danger); color: var(--_surface); }
/* The row is a switch by itself. Its signs are seen where the pointer or the keyboard is, and where something is chosen. */
@media (hover: hover) {
  .value:not(:hover, :focus-within) .signs:not(:has([aria-pressed=true], [aria-pressed=mixed])) { opacity: 0; }
}
.twisty { flex: none; inline-size: 1.5rem; min-block-size: 1.5rem; display: grid; place-items: center; margin-inline-start: -.375rem; color: var(--_muted); }
.value[aria-expanded=true] .twisty::after { content: "▾"; }
.value[aria-expanded=false] .twisty::after { content: "▸"; }
.tree:not(:has([aria-expanded])) .twisty { display: none; }
:host(:dir(rtl)) .twisty { transform: scaleX(-1); }

.alert { margin: 0 0 .75rem; color: var(--_danger); overflow-wrap: anywhere; }
.panel { flex: 1; display: flex; }
.list { position: relative; flex: 1; container: list / inline-size; min-block-size: var(--_height); border: 1px solid var(--_line); border-radius: min(var(--_radius), .75rem); overflow: clip; }
/* As high as the tabs, the search and the list that take its place. */
.side + .list { min-block-size: calc(var(--_height) + 6rem); }
.none button { color: var(--_text); }
.none { display: grid; justify-items: center; gap: .75rem; margin: 0; padding: 3rem 1rem; text-align: center; color: var(--_muted); overflow-wrap: anywhere; }
[data-scrolls] > .grid { position: absolute; inset: 0; overflow: auto; }
.head { position: sticky; inset-block-start: 0; z-index: 1; background: var(--_surface); border-block-end: 1px solid var(--_faint); font-size: .875em; color: var(--_muted); }
.body { position: relative; }
.row { display: grid; grid-template-columns: 2.5rem minmax(0, 1fr) minmax(4rem, .3fr) 4rem 5.5rem; align-items: center; gap: .5rem; padding-inline: .5rem; }
.header { padding-block: .25rem; }
.body .row { position: absolute; inset-inline: 0; inset-block-start: 0; block-size: 3.25rem; scroll-margin-block-start: 2rem; }
.body .row + .row::before { content: ""; position: absolute; inset-inline: .5rem; inset-block-start: 0; border-block-start: 1px solid color-mix(in srgb, var(--_faint) 50%, var(--_surface)); }
.row > *, .row .label, .row .about { min-inline-size: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.name { display: grid; }
.body .groups { font-size: .875em; color: var(--_muted); }
.row[data-shown=false] .label { color: var(--_muted); }
.row[data-shown=false] .note { color: var(--_text); }
.list:not([data-grouped]) .row { grid-template-columns: 2.5rem minmax(0, 1fr) 4rem 5.5rem; }
.list:not([data-grouped]) .row > .groups { display: none; }
.tokens { text-align: end; font-variant-numeric: tabular-nums; }
.row .use, .row .favorite { text-align: center; overflow: visible; }
.widget { display: inline-grid; place-items: center; inline-size: 1.75rem; block-size: 1.75rem; cursor: pointer; border-radius: .375rem; }
.box::before { content: ""; display: grid; place-items: center; inline-size: 1.125rem; block-size: 1.125rem; border: 1px solid var(--_line); border-radius: .25rem; font-size: .8125rem; line-height: 1; }
.box[aria-checked=true]::before { content: "✓"; background: var(--_accent); color: var(--_on-accent); border-color: var(--_accent); }
.box[aria-disabled=true] { cursor: default; }
.box[aria-disabled=true]::before { opacity: .5; }
.star { color: var(--_muted); font-size: 1.125em; }
.star[aria-pressed=true] { color: var(--_accent); }
@container list (inline-size < 36rem) {
  .row, .list:not([data-grouped]) .row { grid-template-columns: 1.75rem minmax(0, 1fr) 3.25rem 1.75rem; padding-inline: .375rem; }
  .row .groups, .head :is(.use, .favorite), .row[data-shown=false] code { display: none; }
  /* Names and reasons have two lines each: there is no other place to read them without a mouse. */
  .body .row { block-size: 6rem; }
  .row :is(.label, .about) { white-space: normal; overflow-wrap: anywhere; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; }
  .head .name { grid-column: 2; }
  .head .tokens { grid-column: 3; }
}
@container picker (inline-size < 30rem) {
  .line { flex-wrap: wrap; }
  .line .gauges { flex-basis: 100%; font-size: .875em; }
  details:not([open]) .gauges { grid-template-columns: 1fr 1fr; gap: 1rem; }
  .steps button:not(.clear) span { display: none; }
  .steps .icon { margin: 0; }
}

.bones { display: grid; gap: 1.25rem; padding: 1rem .5rem; }
.bones i { block-size: .875rem; border-radius: .25rem; background: var(--_faint); opacity: .5; }
.bones i:nth-child(3n) { inline-size: 70%; }
.bones i:nth-child(3n + 1) { inline-size: 85%; }

:focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; }
:is(.grid, .sign):focus-visible { outline-offset: -2px; }
.sign[aria-pressed=true]:focus-visible { outline-color: var(--_surface); }
.grid:focus-visible [data-active] { outline: 2px solid var(--_accent); outline-offset: 1px; border-radius: .25rem; }
@media (prefers-reduced-motion: no-preference) {
  button, .value { transition: background-color .12s; }
  .bones i { animation: pulse 1.6s ease-in-out infinite alternate; }
}
@keyframes pulse { to { opacity: .2; } }
@media (forced-colors: active) {
  .box::before, button, .signs { border-color: ButtonText; }
  .box[aria-checked=true]::before, button[aria-pressed=true], .sign:is(.must, .not)[aria-pressed=true] { forced-color-adjust: none; background: Highlight; color: HighlightText; }
  .tab[aria-selected=true] { border-color: Highlight; }
  .bones i, .lost { background: GrayText; }
  .used { forced-color-adjust: none; background: Highlight; }
}
`;

let made;

/** Returns the style sheet that all elements of the page share. */
export function sheet() {
  if (made === undefined) {
    made = new CSSStyleSheet();
    made.replaceSync(CSS);
  }
  return made;
}
