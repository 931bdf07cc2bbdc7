import { stylesheet } from "./document.ts"

/** The one stylesheet of the viewer's pages. Narrow screens first; anyone's text may break anywhere. */
export const style = stylesheet(`
:root {
  color-scheme: light dark;
  --background: #f4f3ef;
  --surface: #fff;
  --sunken: #f4f3ef;
  --line: #dedbd3;
  --ink: #1a2327;
  --muted: #5a666b;
  --accent: #0a6570;
  --on-accent: #fff;
  --good: #1c6b3a;
  --wait: #8a5200;
  --bad: #a3261f;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --bezel: #20292d;
}
@media (prefers-color-scheme: dark) {
  :root {
    --background: #12171a;
    --surface: #1b2226;
    --sunken: #232c31;
    --line: #303b41;
    --ink: #e8edee;
    --muted: #9fadb3;
    --accent: #6fcfd3;
    --on-accent: #08292c;
    --good: #7fd79f;
    --wait: #f0bb66;
    --bad: #ff9c92;
    --bezel: #05080a;
  }
}
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100% }
body {
  margin: 0; background: var(--background); color: var(--ink); overflow-wrap: anywhere;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
a { color: var(--accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px }
h1 { margin: 0; font-size: clamp(1.5rem, 1.2rem + 1.5vw, 2.1rem); line-height: 1.2; letter-spacing: -.015em }
h2 { margin: 0 0 .75rem; font-size: 1.05rem; line-height: 1.3 }
p { margin: .6rem 0 0 }
code { font-family: var(--mono); font-size: .875em }

.top {
  display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .25rem 1rem;
  padding: .6rem 1rem; border-bottom: 1px solid var(--line); background: var(--surface);
}
.brand { color: var(--ink); font-weight: 700; letter-spacing: -.01em; text-decoration: none }
.brand::before {
  content: ""; display: inline-block; width: 1.1em; height: .62em; margin-right: .45em; background: var(--accent);
  clip-path: polygon(0 0, 100% 0, 82% 100%, 18% 100%);
}
.brand, .trail a { display: inline-block; padding: .15rem 0 }
.trail { order: 3; flex: 1 1 100%; min-width: 0; font-size: .9rem }
.trail:not(:has(a + a)) { order: 0; flex: 1 1 0 }
.trail a { color: var(--ink); text-decoration: none }
.trail a:hover { text-decoration: underline }
.trail a + a::before { content: "›"; padding: 0 .5em; color: var(--muted) }
.who { margin: 0; color: var(--muted); font-size: .9rem }
div.who { display: flex; align-items: center; gap: .75rem }
.who a { padding: .15rem 0; color: var(--ink) }
main { max-width: 82rem; margin: 0 auto; padding: 1.5rem 1rem 3rem }

.card { padding: 1.25rem; border: 1px solid var(--line); border-radius: 14px; background: var(--surface) }
.narrow { display: block; max-width: 26rem; margin: 8vh auto 0; padding: 1.75rem }
.narrow h1 { font-size: 1.5rem }
.narrow p { color: var(--muted) }
.narrow strong { color: var(--ink) }

label { display: block; margin-top: 1.25rem; font-weight: 600; font-size: .9rem }
input:not([type="hidden"]), select {
  display: block; width: 100%; margin: .35rem 0 1rem; padding: .65rem .75rem; border: 1px solid var(--muted);
  border-radius: 8px; background: var(--background); color: inherit; font: inherit;
}
input:not([type="hidden"]) { font-family: var(--mono) }
input[aria-invalid] { border-color: var(--bad) }
::placeholder { color: var(--muted); opacity: 1 }
button, .button {
  display: inline-block; padding: .6rem 1.1rem; border: 0; border-radius: 8px; background: var(--accent);
  color: var(--on-accent); font: inherit; font-weight: 600; line-height: 1.3; text-decoration: none; cursor: pointer;
}
button:hover, .button:hover { filter: brightness(1.12) }
.narrow > button { width: 100% }
.narrow .button { margin-top: .5rem; color: var(--on-accent) }
button.quiet {
  padding: .35rem .75rem; border: 1px solid var(--line); background: transparent; color: var(--ink); font-weight: 500;
  white-space: nowrap;
}
.narrow .problem, .notice {
  padding: .6rem .8rem; border-left: 3px solid var(--bad); border-radius: 4px; background: var(--sunken);
  color: var(--bad);
}
.notice { max-width: 44rem; border-color: var(--wait); color: var(--ink) }

.title { margin-bottom: 1.5rem }
.owner { color: var(--muted); font-weight: 400 }
.at { color: var(--muted) }
.title .button { margin-top: .4rem }
.at code { color: var(--ink) }
.pill {
  display: inline-block; margin-right: .35rem; padding: .05rem .6rem; border: 1px solid currentcolor;
  border-radius: 99px; color: var(--muted); font-size: .85rem; font-weight: 600;
}
.pill.ready, .pill.passed { color: var(--good) }
.pill.uploading { color: var(--wait) }
.pill.expired, .pill.failed { color: var(--bad) }

.columns { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.25rem; align-items: start }
main:has(> .below):not(:has(.device)) > :is(.columns, .below) { max-width: 60rem }
.below { margin-top: 1.25rem }
.stack, .below { grid-template-columns: minmax(0, 1fr) }
.facts { margin: 0 }
.facts > div {
  display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: 0 1rem; align-items: baseline; padding: .45rem 0;
  border-top: 1px solid var(--line);
}
.facts > div:first-child { border-top: 0; padding-top: 0 }
.facts > div:last-child { padding-bottom: 0 }
dt { color: var(--muted); font-size: .9rem }
dd { margin: 0 }

.list { margin: 0; padding: 0; list-style: none }
.list > li {
  display: flex; align-items: center; justify-content: space-between; gap: .75rem; padding: .55rem 0;
  border-top: 1px solid var(--line);
}
.list > li:first-child { border-top: 0; padding-top: 0 }
.list > li:last-child { padding-bottom: 0 }
.list > li > :first-child { flex: 1; min-width: 0; color: inherit; text-decoration: none }
.list a:hover .name { text-decoration: underline }
.list .name { display: block; font-weight: 600 }
.list a .name { color: var(--accent) }
.list .type { font-size: .85rem }
.list .pill { margin: 0; flex: none }
.list time, .unbroken { white-space: nowrap }
.list.repositories { display: flex; flex-wrap: wrap; gap: .1rem 1.25rem }
.list.repositories > li { max-width: 100%; padding: .2rem 0; border: 0 }

.chips { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0; padding: 0; list-style: none }
.chips a {
  display: block; padding: .2rem .75rem; border: 1px solid var(--line); border-radius: 99px; color: inherit;
  font-size: .9rem; text-decoration: none;
}
.chips a:hover { border-color: var(--accent) }
.chips a[aria-current] { border-color: var(--accent); background: var(--accent); color: var(--on-accent) }

.filters { display: flex; flex-wrap: wrap; gap: 1rem 1.5rem }
fieldset { display: flex; flex: 1 1 9rem; flex-wrap: wrap; gap: .5rem .75rem; min-width: 0; margin: 0; padding: 0; border: 0 }
fieldset:has(label + label) { flex-grow: 4; flex-basis: 20rem }
legend { padding: 0 0 .25rem; color: var(--muted); font-size: .85rem }
.filters label { flex: 1 1 7rem; margin: 0; font-weight: 500; font-size: .85rem }
.filters input:not([type="hidden"]), .filters select { height: 2.4rem; margin: .2rem 0 0; padding: .4rem .5rem; font-size: .9rem }
.filters .actions { display: flex; align-self: end; align-items: center; gap: .75rem }
.filters button { padding: .45rem 1rem }
.stack { display: grid; gap: 1.25rem }
.made { border-color: var(--good) }
.copy { display: grid; grid-template-columns: 1fr auto; gap: 0 .75rem; align-items: end }
.copy label { grid-column: 1 / -1 }
.copy input:not([type="hidden"]) { margin: .35rem 0 0; font-size: .85rem }
.qr { margin-top: 1rem }
.qr svg { display: block; width: 11rem; height: auto; padding: .5rem; border-radius: 8px; background: #fff }
.browse { display: grid; gap: 1rem; margin-bottom: 1.25rem }
.paging { display: flex; gap: 1rem; margin-top: .9rem; padding-top: .75rem; border-top: 1px solid var(--line) }

table { width: 100%; border-collapse: collapse; table-layout: fixed; font-size: .9rem }
th, td { padding: .5rem .5rem .5rem 0; border-top: 1px solid var(--line); text-align: start; vertical-align: top }
thead th { border-top: 0; padding-top: 0; color: var(--muted); font-weight: 500 }
tbody th { font-weight: 600 }
th:nth-child(2) { width: 9rem }
td { padding-right: 0; font-variant-numeric: tabular-nums }
.type { display: block; color: var(--muted); font-size: .8rem; font-weight: 400; line-height: 1.4 }
.count { color: var(--muted); font-weight: 400 }
.details { display: flex; flex-wrap: wrap; gap: 0 1.25rem; align-items: baseline }
.details a { font-size: .85rem }
.digests { margin-top: .75rem; padding-top: .5rem; border-top: 1px solid var(--line); font-size: .85rem }
.digests summary { width: fit-content; padding: .15rem 0; color: var(--muted); cursor: pointer }
.digests dl { display: grid; gap: .6rem; margin: .5rem 0 0 }
.digests code { font-size: .95em }

.groups { display: grid; gap: 1.5rem }
.groups h2 { margin-bottom: .4rem }
.lines { white-space: pre-line }
.failure { border-left: 4px solid var(--bad) }
.failure > * { margin-bottom: 0 }
pre {
  max-height: 30rem; margin: .75rem 0 0; padding: .75rem .9rem; overflow: auto; border-radius: 8px;
  background: var(--sunken); font: .85rem/1.5 var(--mono); white-space: pre-wrap;
}

.recordings {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 9rem), 1fr)); gap: 1.25rem 1rem;
  margin: 0; padding: 0; list-style: none; font-size: .9rem;
}
.recordings .name { display: -webkit-box; overflow: hidden; font-weight: 600; -webkit-box-orient: vertical; -webkit-line-clamp: 4 }
.look { display: block; text-decoration: none }
.look .name { text-decoration: underline }
.thumbnail {
  position: relative; display: grid; place-items: center; height: 10rem; margin-bottom: .5rem; overflow: hidden;
  border: 1px solid var(--line); border-radius: 8px; background: var(--sunken); color: var(--muted);
}
.look:hover .thumbnail { border-color: var(--accent) }
.thumbnail :is(img, video) { display: block; width: 100%; height: 100%; min-height: 0; object-fit: contain }
.thumbnail.other { font: 1rem var(--mono) }
.thumbnail.video::after {
  content: "▶︎"; position: absolute; width: 2.4rem; padding-left: .15rem; border-radius: 50%; background: rgb(0 0 0 / .65);
  color: #fff; line-height: 2.4rem; text-align: center;
}

@media (min-width: 48rem) {
  .trail { order: 0; flex: 1 1 0 }
  .files th:nth-child(2) { width: 22rem }
  .title:has(> .doing) { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 1.5rem }
  .title > :not(.doing) { grid-column: 1 }
  .title > .doing { grid-column: 2; grid-row: 1 / span 2; align-self: center; margin: 0 }
  .columns.home, .columns.pair { max-width: none; grid-template-columns: repeat(2, minmax(0, 1fr)) }
  .columns.home > :first-child { grid-column: 1 / -1 }
}
@media (min-width: 60rem) {
  .columns.split { grid-template-columns: minmax(0, 5fr) minmax(0, 3fr) }
}
@media (min-width: 75rem) {
  .list.repositories { display: block }
  .list.repositories > li { padding: .4rem 0 }
  .columns.home { grid-template-columns: minmax(14rem, 1fr) minmax(0, 2fr) minmax(0, 2fr) }
  .columns.home > :first-child { grid-column: auto }
}
.unseen {
  position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap;
}
`)
