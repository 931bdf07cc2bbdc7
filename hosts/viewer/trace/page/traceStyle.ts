import { stylesheet } from "../../ui/document.ts"

/** The stylesheet of a trace and of a comparison, beside that of every page. Lines of lists are 28 pixels high. */
export const traceStyle = stylesheet(`
[hidden] { display: none !important }
main:has(> .trace, > .compare) { max-width: 120rem }
.ways { display: flex; flex-wrap: wrap; gap: .5rem }
.ways .button { padding: .4rem .8rem; border: 1px solid var(--line); background: var(--surface); color: var(--ink); font-size: .9rem; font-weight: 500 }
.title.run .button { margin: 0 }
.nearby { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem 1.5rem; margin-top: .9rem; font-size: .9rem }
.nearby .type { display: inline }
.nearby form { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; min-width: 0 }
.nearby label { margin: 0; font-weight: 400; font-size: inherit }
.nearby select { display: inline-block; width: auto; max-width: 100%; margin: 0; padding: .3rem .5rem; font-size: inherit }
.card.failure { display: grid; gap: .15rem 1.25rem; margin-bottom: 1rem; padding: .8rem 1rem }
.failure p { margin: 0 }
.failure .unsaid { color: var(--muted) }
.failure h2 { margin: 0 }
.failure pre { max-height: 6.5rem; margin-top: .5rem }
.moment { white-space: nowrap }

.trace, .panes, .lists, .compare { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; min-width: 0 }
.trace, .compare { margin-bottom: 1.25rem }
.panes > .card, .lists > .card, .compare > .card { min-width: 0; padding: 1rem }
.trace h2 { margin-bottom: .5rem }
p.none, p.more { margin: 0; color: var(--muted); font-size: .9rem }

.transport {
  position: sticky; bottom: .5rem; z-index: 2; order: 9; display: grid; gap: .35rem .5rem; align-items: center;
  grid-template: "time time" auto "track track" auto "buttons more" auto / auto auto; box-shadow: 0 2px 12px rgb(0 0 0 / .14);
}
.panes > .stage { order: -1 }
.trace > .transport.card, .compare > .transport.card { padding: .6rem .75rem }
.track { position: relative; grid-area: track; min-width: 0; padding: .3rem 0 }
.timeline { display: block; width: 100%; height: 1.5rem; border-radius: 3px; background: var(--sunken) }
.timeline + .timeline { margin-top: .3rem }
.timeline rect { fill: var(--muted); opacity: .55; stroke: var(--surface); vector-effect: non-scaling-stroke }
.timeline .passed { fill: var(--good) }
.timeline .failed { fill: var(--bad); opacity: 1 }
.timeline .warned { fill: var(--wait); opacity: .9 }
.timeline .skipped { fill: var(--line); opacity: 1 }
.timeline.many .bars rect { stroke: none }
.timeline .shots rect { fill: var(--ink); stroke: none; opacity: .9 }
input.scrubber[type="range"] {
  position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; padding: 0; border: 0; border-radius: 4px;
  background: transparent; appearance: none; cursor: pointer; touch-action: pan-y;
}
.scrubber::-webkit-slider-runnable-track { height: 100% }
.scrubber::-moz-range-track { height: 100%; background: transparent }
.scrubber::-webkit-slider-thumb {
  width: 4px; height: 100%; border: 0; border-radius: 2px; background: var(--ink);
  box-shadow: 0 0 0 2px var(--surface); appearance: none;
}
.scrubber::-moz-range-thumb {
  width: 4px; height: 100%; border: 0; border-radius: 2px; background: var(--ink); box-shadow: 0 0 0 2px var(--surface);
}
.buttons { display: flex; grid-area: buttons; align-items: center; gap: .35rem }
.buttons.more { grid-area: more; justify-content: end }
.buttons button.quiet { min-width: 2.4rem; padding: .35rem .6rem }
.buttons .play { border-color: var(--accent) }
.buttons select { width: auto; margin: 0; padding: .3rem .4rem; font-size: .85rem }
.buttons .copy-link { font-size: .85rem }
.time { grid-area: time; font: .8rem/1.2 var(--mono); white-space: nowrap }
dialog { max-width: min(30rem, calc(100vw - 2rem)); border: 1px solid var(--line); color: inherit }
dialog::backdrop { background: rgb(0 0 0 / .45) }
dialog .facts > div { grid-template-columns: 9rem minmax(0, 1fr) }
dialog form { margin-top: 1rem }
kbd {
  display: inline-block; padding: 0 .4rem; border: 1px solid var(--line); border-bottom-width: 2px; border-radius: 5px;
  background: var(--sunken); color: var(--ink); font: .85rem/1.5 var(--mono);
}
.switch { display: flex; align-items: center; gap: .5rem; font-weight: 400 }
.switch input:not([type="hidden"]) { display: inline-block; width: auto; margin: 0 }

.steps ol { margin: 0; padding: 0; list-style: none }
.step { position: relative; border-radius: 8px; content-visibility: auto; contain-intrinsic-size: auto 2.7rem }
.step summary {
  display: grid; grid-template-columns: 1.2rem minmax(0, 1fr) auto; gap: 0 .4rem; align-items: baseline;
  padding: .4rem .5rem .35rem; border-radius: 8px; list-style: none; cursor: pointer;
}
.step summary::-webkit-details-marker { display: none }
.step summary:hover { background: var(--sunken) }
.sign { color: var(--muted); font-weight: 700; text-align: center }
.took { color: var(--muted); font-size: .8rem; font-variant-numeric: tabular-nums; white-space: nowrap }
.passed > .sign, .passed .sign { color: var(--good) }
.failed .sign, .failed .what { color: var(--bad) }
.failed .what { font-weight: 700 }
.step .what { display: -webkit-box; overflow: hidden; -webkit-box-orient: vertical; -webkit-line-clamp: 3 }
.step[aria-current] { content-visibility: visible }
.warned .sign { color: var(--wait) }
.skipped .what { color: var(--muted) }
.bar { grid-column: 1 / -1; display: block; width: 100%; height: 3px; margin-top: .3rem; background: var(--line); border-radius: 2px }
.bar rect { fill: var(--muted) }
.passed .bar rect { fill: var(--good) }
.failed .bar rect { fill: var(--bad) }
.warned .bar rect { fill: var(--wait) }
.step .body { padding: 0 .5rem .6rem 2.1rem; font-size: .85rem }
.step .body p { margin: 0 }
.step .body pre { max-height: 14rem; margin: .4rem 0 0; border-left: 3px solid var(--line) }
.failed .body pre { border-color: var(--bad) }
.how { color: var(--muted) }
.how::first-letter { text-transform: uppercase }
.deep-1 { margin-left: .9rem } .deep-2 { margin-left: 1.8rem } .deep-3 { margin-left: 2.7rem }
.deep-4 { margin-left: 3.6rem } .deep-5 { margin-left: 4.5rem } .deep-6 { margin-left: 5.4rem }
.step[aria-current], .line[aria-current], .pairs tr[aria-current] {
  background: color-mix(in srgb, var(--accent) 14%, var(--surface)); box-shadow: inset 3px 0 0 var(--accent);
}
.step[aria-current] summary:hover { background: transparent }

.screens {
  display: flex; justify-content: center; gap: .75rem; min-height: 0; padding: .75rem; border-radius: 10px;
  background: var(--sunken);
}
.screens figure { display: flex; flex: 0 1 auto; flex-direction: column; min-width: 0; min-height: 0; margin: 0 }
.screens video, .screens img {
  display: block; max-width: 100%; max-height: min(62vh, 36rem); min-height: 0; object-fit: contain;
  object-position: top;
}
.screens .pictures { display: contents }
.screens video { cursor: pointer }
.screens figcaption { margin-top: .35rem; overflow: hidden; color: var(--muted); font-size: .8rem; max-height: 2.6rem }
.screens .state:not(:empty)::before { content: " · " }
.strip { display: flex; gap: .6rem; margin: .9rem 0 0; padding: 3px; overflow-x: auto; list-style: none; font-size: .8rem }
.strip a { display: block; width: 5.5rem; padding: .25rem; border-radius: 8px; color: inherit; text-decoration: none }
.strip a:hover .what { text-decoration: underline }
.strip img { display: block; width: 100%; height: 5rem; object-fit: cover; object-position: top; border: 1px solid var(--line); border-radius: 5px; background: var(--sunken) }
.strip .what { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.strip a[aria-current] { box-shadow: 0 0 0 2px var(--accent); background: color-mix(in srgb, var(--accent) 14%, var(--surface)) }

.happened { display: flex; flex-direction: column }
.head { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem .75rem; margin-bottom: .5rem }
.trace .head h2 { margin: 0 }
.from { margin: 0; color: var(--muted); font-size: .8rem }
.tools { display: flex; flex: 1 1 16rem; gap: .4rem; min-width: 0 }
.log .tools { flex-basis: 6rem; justify-content: end }
.tools input:not([type="hidden"]), .tools select {
  flex: 0 1 auto; width: auto; min-width: 0; margin: 0; padding: .25rem .45rem; font-size: .8rem;
}
.tools input:not([type="hidden"]) { flex: 1 1 6rem }
.tools select { max-width: 9rem }
.log .tools input:not([type="hidden"]) { max-width: 12rem }
.loading { width: 100%; height: .35rem; accent-color: var(--accent) }
.rows { height: 20rem; overflow: auto; contain: content; border: 1px solid var(--line); border-radius: 8px; background: var(--background) }
.all { position: relative; min-height: 1px }
.line {
  position: absolute; top: 0; left: 0; display: flex; gap: .6rem; width: 100%; height: 28px; padding: 0 .6rem;
  overflow: hidden; font: .78rem/28px var(--mono); white-space: pre; cursor: pointer;
}
.line > * { flex: none; overflow: hidden; text-overflow: ellipsis }
@media (max-width: 30rem) { .line { gap: .4rem } .line .type-name { width: 4rem } }
.line .t { color: var(--muted) }
.line .type-name { width: 5.2rem; color: var(--accent) }
.line .name { flex: 1 1 0; min-width: 0 }
.line .status { max-width: 5.5rem; color: var(--muted) }
.line.failed .status, .log .line.failed .name { color: var(--bad); font-weight: 700 }
.line.warned .status, .log .line.warned .name { color: var(--wait); font-weight: 700 }
.line:hover { background: var(--sunken) }
.line[aria-current]:hover { background: color-mix(in srgb, var(--accent) 14%, var(--surface)) }
.detail:empty { display: none }
.detail {
  max-height: 7rem; flex: none; margin-top: .5rem; overflow: auto; font: .78rem/1.5 var(--mono); white-space: pre-wrap;
}
.detail dl { margin: 0 }
.detail dl > div { display: grid; grid-template-columns: 6rem minmax(0, 1fr); gap: .75rem }
.detail dt { font-size: inherit }

.pairs { font-size: .78rem }
.pairs th { overflow-wrap: normal }
.pairs th bdi { overflow-wrap: anywhere }
.pairs th:first-child { width: 28%; padding-left: .5rem }
.pairs th:nth-child(2), .pairs th:nth-child(3) { width: 26% }
.pairs td { padding-right: .5rem }
.pairs pre { max-height: 9rem; padding: .5rem; color: var(--ink); font-size: .75rem }
.pairs .go { margin-left: .4rem; padding: .05rem .5rem; font-size: .78rem }
.pairs .same .difference, .pairs .missing { color: var(--muted) }
.pairs tr:not(.same) .difference { font-weight: 700 }
.pairs td.failed, .pairs .status .difference { color: var(--bad) }
.side h2 { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem }

@media (min-width: 48rem) {
  .title.run { display: flex; flex-wrap: wrap; align-items: end; gap: 0 1.5rem; margin-bottom: 1rem }
  .title.run > * { order: 2; min-width: 0 }
  .title.run h1 { flex: 1 1 calc(100% - 18rem); order: 0 }
  .title.run:not(:has(> .ways)) h1 { flex-basis: 100% }
  .title.run .ways { align-self: start; order: 1; margin: 0 }
  .title.run .at { flex: 1 1 24rem }
  .panes { grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)) }
  .lists { grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)) }
  .steps ~ .lists, .stage ~ .lists { grid-column: 1 / -1 }
  .trace > .transport, .compare > .transport { top: .5rem; bottom: auto; order: 0; grid-column: 1 / -1; box-shadow: none }
  .panes > .stage { order: 0 }
  .transport { grid-template: "buttons time track more" auto / auto auto minmax(0, 1fr) auto; gap: .75rem }
  .compare { grid-template-columns: repeat(2, minmax(0, 1fr)) }
  .compare > .card:not(.side) { grid-column: 1 / -1 }
  .compare .screens video, .compare .screens img { max-height: min(45vh, 28rem) }
  .pairs { font-size: .9rem }
}
@media (min-width: 75rem) {
  main:has(> .trace) { padding-top: 1rem }
  .title.run .nearby { gap: .3rem 1.1rem; margin-top: .4rem; font-size: .85rem }
  .card.failure { grid-template-columns: fit-content(40%) minmax(0, 1fr); grid-template-rows: auto 1fr }
  .failure > :not(pre) { grid-column: 1 }
  .failure pre { grid-column: 2; grid-row: 1 / span 2; max-height: 6.8rem; margin: 0 }
  .trace { gap: .75rem }
  .panes { display: flex; gap: .75rem; height: max(33rem, calc(100vh - 16rem)) }
  .failure + .trace .panes { height: max(33rem, calc(100vh - 23.7rem)) }
  .panes > .card, .lists > .card { padding: .75rem }
  .panes > .steps, .panes > .stage, .lists, .lists > .card { display: flex; flex-direction: column }
  .panes > .steps { flex: 1 1 15rem }
  .panes > .steps ol { flex: 1; min-height: 0; overflow: auto }
  .panes > .stage { flex: 1.3 1 20rem }
  .lists { flex: 1.8 1 20rem; gap: .75rem }
  .lists > .events { flex: 3 1 0; min-height: 0 }
  .lists > .log { flex: 2 1 0; min-height: 0 }
  .lists .rows { flex: 1; height: auto; min-height: 5rem }
  .events .detail { height: 5.5rem }
  .log .detail { max-height: 3.5rem }
  .panes .screens, .compare .screens { flex: 1 }
  .panes .screens figure, .compare .screens figure { flex: 1 1 0 }
  .panes .screens video, .panes .screens img, .compare .screens video, .compare .screens img {
    flex: 1; width: 100%; max-height: none;
  }
  .compare {
    grid-template: "transport transport transport" auto "left steps right" minmax(0, 1fr)
      / minmax(18rem, 1fr) minmax(34rem, 1.3fr) minmax(18rem, 1fr);
    gap: .75rem; height: max(38rem, calc(100vh - 12rem));
  }
  .compare > .transport { grid-area: transport; position: static }
  .compare > .card.side { display: flex; flex-direction: column; padding: .75rem }
  .compare > [data-side="left"] { grid-area: left }
  .compare > [data-side="right"] { grid-area: right }
  .compare > .card.steps { grid-area: steps; overflow: auto; padding: .75rem }
}
/* A low window is filled by what was recorded, below what moves it. */
@media (min-width: 75rem) and (max-height: 50rem) {
  .trace .panes, .failure + .trace .panes { height: max(26rem, calc(100vh - 6rem)) }
}
/* Without a script the lists are links, and take no room. */
@media (scripting: none) {
  .panes, .failure + .trace .panes { height: auto }
  .panes .screens video { max-height: 32rem }
  .lists > .card { flex: none }
}
`)
