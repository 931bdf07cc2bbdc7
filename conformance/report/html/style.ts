import { standings } from "../standing.ts"

/** For each standing that the filter offers, hides the checks of all other standings. */
const filterRules = Object.keys(standings)
  .map(
    (standing) =>
      `#checks:has(#show-${standing}:checked) :is(.check:not(.${standing}), .profile:not(:has(.check.${standing}))) { display: none }`
  )
  .join("\n")

/** The page's only stylesheet. It is written for narrow screens first. Texts of the target may break anywhere. */
export const style = `
:root {
  color-scheme: light dark;
  --background: #f6f6f3;
  --surface: #fff;
  --sunken: #f0f0ec;
  --line: #dcdcd5;
  --ink: #1b2226;
  --muted: #59646a;
  --accent: #0b5f6b;
  --good: #1a6b39;
  --wait: #855000;
  --bad: #a6251d;
  --good-tint: #e6f2e9;
  --wait-tint: #faefdc;
  --bad-tint: #fbe9e7;
  --mark: #ece3ff;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --background: #11161a;
    --surface: #1a2126;
    --sunken: #232b31;
    --line: #313c43;
    --ink: #e7ecee;
    --muted: #9dabb2;
    --accent: #74cdd6;
    --good: #82d6a0;
    --wait: #eebb6c;
    --bad: #ff9d94;
    --good-tint: #17301f;
    --wait-tint: #342810;
    --bad-tint: #3a1b19;
    --mark: #3d3159;
  }
}
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem }
body {
  margin: 0; background: var(--background); color: var(--ink); overflow-wrap: anywhere;
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
a { color: var(--accent); text-underline-offset: .15em }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px }
p { margin: .6rem 0 }
h1, h2, h3, h4, h5 { line-height: 1.25; text-wrap: balance }
h1 { margin: .1rem 0 .9rem; font-size: clamp(1.5rem, 1.1rem + 2vw, 2.4rem); letter-spacing: -.02em }
h2 { margin: 0 0 .75rem; font-size: 1.3rem; letter-spacing: -.01em }
h3 { margin: 0; font-size: 1.05rem }
h3::first-letter { text-transform: uppercase }
h4 { margin: 1.25rem 0 .4rem; font-size: .95rem }
h5 { margin: .9rem 0 .3rem; color: var(--muted); font-size: .85rem; font-weight: 600 }
code { font-family: var(--mono); font-size: .86em }
pre {
  margin: .3rem 0; padding: .7rem .85rem; border-radius: 8px; background: var(--sunken); line-height: 1.5;
  white-space: pre-wrap; tab-size: 2;
}
pre code { font-size: .82rem }
mark { padding: 0 .25em; border-radius: 4px; background: var(--mark); color: inherit }
ul, ol { margin: .4rem 0; padding: 0; list-style: none }
summary { cursor: pointer }
.quiet { color: var(--muted); font-size: .875rem; font-weight: 400 }
.long { white-space: pre-wrap }

body > header, main, footer { width: min(100% - 2rem, 62rem); margin: 0 auto }
body > header { padding-top: 1.5rem }
.brand { margin: 0; font-weight: 700; letter-spacing: -.01em }
.brand span { color: var(--muted); font-weight: 400 }
.brand::before {
  content: ""; display: inline-block; width: 1.1em; height: .62em; margin-right: .45em; background: var(--accent);
  clip-path: polygon(0 0, 100% 0, 82% 100%, 18% 100%);
}
nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; padding-bottom: .9rem; font-size: .95rem }
main { display: grid; gap: 2.5rem; grid-template-columns: minmax(0, 1fr); padding: .5rem 0 2rem }
footer { padding: 1rem 0 2rem; border-top: 1px solid var(--line); color: var(--muted); font-size: .85rem }
.lead { max-width: 46rem; margin: 0 0 1.25rem; font-size: 1.1rem; text-wrap: pretty }

.cards { display: grid; gap: 1rem; margin: 0 0 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)) }
.card { padding: 1.1rem 1.25rem 1.2rem; border: 1px solid var(--line); border-top: 5px solid currentcolor; border-radius: 12px; background: var(--surface) }
.card > * { color: var(--ink) }
.card.conformant, .card.conformant .verdict { color: var(--good) }
.card.partial, .card.partial .verdict { color: var(--wait) }
.card.failed, .card.failed .verdict { color: var(--bad) }
.card h3 { color: var(--muted); font-size: .95rem; font-weight: 500 }
.card .quiet { margin: .5rem 0; color: var(--muted) }
.verdict { margin: .1rem 0 .7rem; font-size: 1.65rem; font-weight: 700; letter-spacing: -.02em; line-height: 1.2 }
.verdict::first-letter { text-transform: uppercase }
.bar { display: block; width: 100%; height: 8px; border-radius: 4px; background: var(--sunken) }
.counts { display: flex; flex-wrap: wrap; gap: .1rem .9rem; margin: 0; font-size: .9rem }
.mark { display: inline-block; width: 1.1em; font-weight: 700; text-align: center }
.passed { --of: var(--good) }
.failed, .no-answer, .suite-fault { --of: var(--bad) }
.warning, .expected-failure { --of: var(--wait) }
.skipped { --of: var(--muted) }
.mark { color: var(--of, var(--ink)) }
rect { fill: var(--of) }

.facts { margin: 0 }
.facts > div { display: grid; grid-template-columns: minmax(0, 1fr); padding: .45rem 0; border-top: 1px solid var(--line) }
.facts > div:first-child { border-top: 0 }
dt { color: var(--muted); font-size: .9rem }
dd { margin: 0 }
.legend > summary, .long-list > summary { padding: .3rem 0; color: var(--accent) }

.failures { display: grid; gap: .9rem }
.failures li { display: grid; grid-template-columns: 1.4rem minmax(0, 1fr) }

.filter { display: flex; flex-wrap: wrap; gap: .45rem; align-items: center; margin: 0 0 1.25rem; padding: 0; border: 0 }
.filter legend { float: left; padding: 0 .4rem 0 0; color: var(--muted); font-size: .9rem }
.filter input { position: absolute; opacity: 0; pointer-events: none }
.filter label { padding: .25rem .8rem; border: 1px solid var(--line); border-radius: 99px; background: var(--surface); font-size: .9rem; cursor: pointer }
.filter b { color: var(--of, var(--muted)) }
.filter input:checked + label { border-color: var(--ink); background: var(--ink); color: var(--surface) }
.filter input:checked + label b { color: inherit }
.filter input:focus-visible + label { outline: 3px solid var(--accent); outline-offset: 2px }
${filterRules}

.profile { margin-bottom: 1.75rem }
.profile h3 { margin-bottom: .6rem }
.check { border: 1px solid var(--line); border-bottom-width: 0; background: var(--surface) }
h3 + .check { border-radius: 10px 10px 0 0 }
.check:last-child { border-bottom-width: 1px; border-radius: 0 0 10px 10px }
.check > summary {
  display: grid; grid-template-columns: 1.4rem minmax(0, 1fr) auto; gap: 0 .5rem; align-items: baseline; padding: .55rem .9rem;
  list-style: none;
}
.check > summary::-webkit-details-marker { display: none }
.check > summary:hover { background: var(--sunken) }
.check[open] > summary { font-weight: 600 }
.check:target { outline: 3px solid var(--accent); outline-offset: -1px }
.name > code { display: block; color: var(--muted); font-weight: 400; font-size: .8rem }
.level { color: var(--muted); font-size: .72rem; font-weight: 600; letter-spacing: .04em }
.inside { padding: 0 .9rem 1rem 2.8rem; border-left: 4px solid var(--of) }
.check[open] { border-color: var(--line) }
.inside > :first-child { margin-top: .2rem }
.sentences { display: grid; gap: .4rem }
.sentences li { padding-left: .8rem; border-left: 3px solid var(--line) }
.exchanges { border: 1px solid var(--line); border-radius: 8px; overflow: hidden }
.exchanges li + li { border-top: 1px solid var(--line) }
.exchange > summary {
  display: grid; grid-template-columns: minmax(0, 1fr) auto auto; gap: .75rem; align-items: baseline; padding: .4rem .8rem; font-size: .9rem;
}
.exchange > summary:hover { background: var(--sunken) }
.exchange[open] { padding-bottom: .6rem }
.exchange > :not(summary) { margin-inline: .8rem }
.request b { margin-right: .3rem; font-size: .8rem }
.exchange > summary .quiet { white-space: nowrap }
.status { padding: 0 .5rem; border-radius: 6px; background: var(--sunken); font-variant-numeric: tabular-nums; font-weight: 600 }
.status.good { background: var(--good-tint); color: var(--good) }
.status.bad { background: var(--bad-tint); color: var(--bad) }

table { width: 100%; border-collapse: collapse; font-size: .9rem }
th, td { padding: .5rem .75rem .5rem 0; border-top: 1px solid var(--line); text-align: start; vertical-align: top }
thead th { border-top: 0; color: var(--muted); font-weight: 500 }
tbody th { font-weight: 600 }
td details summary { color: var(--accent) }
.proof { display: inline-block; margin-right: .5rem }
td a { text-decoration: none }
td a:hover { text-decoration: underline }

@media (max-width: 44rem) {
  .stacks thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  .stacks tr { display: block; padding: .6rem 0; border-top: 1px solid var(--line) }
  .stacks th, .stacks td { display: block; padding: 0; border: 0 }
  .inside { padding-left: .9rem }
}
@media (min-width: 44.01rem) {
  .facts > div { grid-template-columns: 9rem minmax(0, 1fr); gap: 0 1rem; align-items: baseline }
  .choices th:first-child { width: 24rem }
  .sections th:first-child { width: 3.5rem }
  .stacks td:last-child { width: 19rem }
}
@media print {
  @page { margin: 16mm 14mm }
  body { background: #fff; font-size: 10pt }
  body > header, main, footer { width: auto }
  nav, .filter { display: none }
  details::details-content { display: block; content-visibility: visible; height: auto }
  .exchange:not([open])::details-content { display: none }
  .check:is(.passed, .skipped) :is(.exchanges, h4:has(+ .exchanges), .alone) { display: none }
  .card, .check > summary, tr, .failures li { break-inside: avoid }
  h2, h3, h4, h5, summary { break-after: avoid }
  a { color: inherit; text-decoration: none }
}
`
