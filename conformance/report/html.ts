import { html, type SafeHtml } from "@remix-run/html-template"
import { excerpt, oneLine, visible, withCodePoints } from "./text.ts"
import { requirements } from "../requirements/index.ts"
import { bySection, type Requirement } from "../requirements/Requirement.ts"
import {
  bySeriousness,
  counted,
  durationText,
  implementationText,
  listed,
  needsFix,
  profileNames,
  rerun,
  resourceNames,
  resourcesText,
  sentencesOf,
  standingOf,
  standings,
  tally,
  tallyText,
  verdictMeanings,
  verdictsIn,
  type CheckResult,
  type Choice,
  type Report,
  type Standing,
  type Verdict
} from "./Report.ts"
import type { Credential, Exchange, Sent } from "../session/Exchange.ts"
import { bodyText, credentialText, curl, requestBody } from "./exchangeText.ts"
import { commandName } from "../config/commandName.ts"
import { createHash } from "node:crypto"

/** A text of the target within a line. Its direction of writing doesn't affect the text beside it. */
export const textHtml = (text: string): SafeHtml => html`<bdi>${withCodePoints(oneLine(text))}</bdi>`

/** The same as code. */
export const code = (text: string): SafeHtml => html`<code><bdi>${oneLine(text)}</bdi></code>`

/** A sentence of the suite, with code between backticks. */
const prose = (text: string): SafeHtml =>
  html`${withCodePoints(oneLine(text))
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`

/** Marks each replaced secret, so that a reader sees which ones are equal. */
const marked = (text: string): SafeHtml =>
  html`${text.split(/(‹redacted \d+›)/).map((part, index) => (index % 2 === 0 ? part : html`<mark>${part}</mark>`))}`

/** Lines of code. */
export const block = (text: string): SafeHtml => html`<pre><code>${marked(visible(text))}</code></pre>`

/** A text as one line of code, with its redacted parts marked. */
const markedCode = (text: string): SafeHtml => html`<code><bdi>${marked(oneLine(text))}</bdi></code>`

/** Where on the page a check is. */
const anchorOf = (checkId: string): string => `check.${checkId}`

/** A named fact. */
export type Fact = readonly [name: string, value: SafeHtml | string]

/** Facts as a list of definitions. */
export const facts = (all: ReadonlyArray<Fact>): SafeHtml =>
  html`<dl class="facts">
    ${all.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`
    )}
  </dl>`

const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" })

/** A time to the minute in UTC. A text that isn't a time is shown unchanged. */
export const timeHtml = (iso: string): SafeHtml => {
  const time = Date.parse(iso)
  return Number.isNaN(time) ? textHtml(iso) : html`<time datetime="${oneLine(iso)}">${format.format(time)} UTC</time>`
}

/** Markup with a separator between its parts. */
const joined = (parts: ReadonlyArray<SafeHtml>, separator: SafeHtml | string): SafeHtml =>
  html`${parts.map((part, index) => (index === 0 ? part : html`${separator}${part}`))}`

/** The most serious standing among results; `undefined` of none. */
const worst = (results: ReadonlyArray<CheckResult>): Standing | undefined =>
  bySeriousness.find((standing) => results.some((one) => standingOf(one) === standing))

const proof = (result: CheckResult): SafeHtml => {
  const { label, mark } = standings[standingOf(result)]
  return html`<span class="proof ${standingOf(result)}"
    ><span class="mark" role="img" aria-label="${label}">${mark}</span>
    <a href="#${anchorOf(result.id)}">${code(result.id)}</a></span
  >`
}

const row = (requirement: Requirement, results: ReadonlyArray<CheckResult>): SafeHtml => {
  const { id, level, section, text } = requirement
  const proofs =
    "unobservable" in requirement
      ? html`<span class="quiet">Can't be seen from outside. ${prose(requirement.unobservable)}</span>`
      : results.length === 0
        ? html`<span class="quiet">Not in this run.</span>`
        : joined(results.map(proof), " ")
  return html`<tr class="${worst(results) ?? ""}">
    <th scope="row">§${section}</th>
    <td>
      ${prose(text)} <span class="quiet"><b class="level">${level}</b> <code>${id}</code></span>
    </td>
    <td>${proofs}</td>
  </tr>`
}

/** Every sentence of the interface with the checks that proved it in this run. */
const sentencesHtml = ({ checks }: Pick<Report, "checks">): SafeHtml => {
  const rows = requirements
    .toSorted(bySection)
    .map((requirement) => ({ requirement, results: checks.filter((one) => one.requirements.includes(requirement.id)) }))
  const musts = rows.filter(({ requirement }) => requirement.level === "MUST" && "checks" in requirement)
  const seen = musts.filter(({ results }) => results.length > 0)
  const kept = seen.filter(({ results }) => worst(results) === "passed")
  const unseen = requirements.filter((one) => "unobservable" in one).length
  return html`<section aria-labelledby="sentences">
    <h2 id="sentences">The interface, sentence by sentence</h2>
    <p>
      The interface has ${counted(rows.length, "sentence")}. Of the ${musts.length} that bind and show from outside,
      this run looked at <b>${seen.length}</b> and saw all of <b>${kept.length}</b> kept. ${unseen} can't be seen from
      outside, and no verdict depends on them.
    </p>
    <details class="long-list">
      <summary>Every sentence and its checks</summary>
      <table class="stacks sections">
        <thead>
          <tr>
            <th scope="col">Section</th>
            <th scope="col">Sentence</th>
            <th scope="col">Checks</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(({ requirement, results }) => row(requirement, results))}
        </tbody>
      </table>
    </details>
  </section>`
}

/** For each standing that the filter offers, hides the checks of all other standings. */
const filterRules = Object.keys(standings)
  .map(
    (standing) =>
      `#checks:has(#show-${standing}:checked) :is(.check:not(.${standing}), .profile:not(:has(.check.${standing}))) { display: none }`
  )
  .join("\n")

/** A filter shows what is folded without one, and not what else is folded with it. */
const unfolded = `#checks:not(:has(#show-all:checked)) .folded::details-content { display: block; content-visibility: visible; height: auto }
#checks:not(:has(#show-all:checked)) .folded > summary { display: none }`

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
.card.partial, .card.partial .verdict, .card.inconclusive, .card.inconclusive .verdict { color: var(--wait) }
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
.failures > li { display: grid; grid-template-columns: 1.4rem minmax(0, 1fr) }
.failures summary { color: var(--accent) }

.filter { display: flex; flex-wrap: wrap; gap: .45rem; align-items: center; margin: 0 0 1.25rem; padding: 0; border: 0 }
.filter legend { float: left; padding: 0 .4rem 0 0; color: var(--muted); font-size: .9rem }
.filter input { position: absolute; opacity: 0; pointer-events: none }
.filter label { padding: .25rem .8rem; border: 1px solid var(--line); border-radius: 99px; background: var(--surface); font-size: .9rem; cursor: pointer }
.filter b { color: var(--of, var(--muted)) }
.filter input:checked + label { border-color: var(--ink); background: var(--ink); color: var(--surface) }
.filter input:checked + label b { color: inherit }
.filter input:focus-visible + label { outline: 3px solid var(--accent); outline-offset: 2px }
${filterRules}
${unfolded}

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

/** How many characters are shown of a body. */
const maxBodyLength = 6000

/** A URL without the base URL of the target. */
const shortUrl = (url: string, base: string): string => (url.startsWith(`${base}/`) ? url.slice(base.length) : url)

const shortCredential = (as: Credential): string =>
  typeof as === "string" ? `${as === "none" ? "no" : as} key` : `${as.account} · ${as.key}`

const kindOf = (status: number): string => (status >= 500 ? "bad" : status < 300 ? "good" : "plain")

const headerText = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${oneLine(value)}`)
    .join("\n")

const part = (name: string, headers: string, body: string): SafeHtml | undefined =>
  headers === "" && body === ""
    ? undefined
    : html`<h5>${name}</h5>
        ${headers === "" ? "" : block(headers)} ${body === "" ? "" : block(body)}`

/** Whose key was sent, when the answer came, and how the URL was changed. */
const circumstances = ({ at, request: { as, tamper }, retries }: Exchange): string =>
  [
    `${credentialText(as)}; answered ${at} ms after the check began`,
    retries === undefined ? "" : `, after the target had asked ${counted(retries, "time")} to retry later`,
    tamper === undefined ? "." : `. The ${tamper} in the URL was altered before it was sent.`
  ].join("")

/** A request that had no answer, unfolded. */
const unansweredHtml = ({ config }: Pick<Report, "config">, request: Sent): SafeHtml =>
  html`<li>
    <details class="exchange" open>
      <summary>
        <span class="request"><b>${oneLine(request.method)}</b> ${markedCode(shortUrl(request.url, config.url))}</span>
        <span class="quiet">${shortCredential(request.as)}</span>
        <span class="status bad">no answer</span>
      </summary>
      ${part("Request", headerText(request.headers), requestBody(request, maxBodyLength))}
      <h5>As a command</h5>
      ${block(curl({ request }, config.bindings.key))}
    </details>
  </li>`

/** One request and its answer, which unfold from one line. */
const exchangeHtml = (
  { config }: Pick<Report, "config">,
  exchange: Exchange,
  options: { readonly isOpen: boolean }
): SafeHtml => {
  const { answer, request } = exchange
  const { status } = answer
  return html`<li>
    <details class="exchange" ${options.isOpen ? "open" : ""}>
      <summary>
        <span class="request"><b>${oneLine(request.method)}</b> ${markedCode(shortUrl(request.url, config.url))}</span>
        <span class="quiet">${shortCredential(request.as)}</span>
        <span class="status ${kindOf(status)}">${status}</span>
      </summary>
      <p class="quiet">${circumstances(exchange)}</p>
      ${part("Request", headerText(request.headers), requestBody(request, maxBodyLength))}
      ${part(`Answer ${status}`, headerText(answer.headers), bodyText(answer.text, maxBodyLength))}
      <h5>As a command</h5>
      ${block(curl(exchange, config.bindings.key))}
    </details>
  </li>`
}

/** How many characters are shown of what came. */
const maxTextLength = 4000

const long = (text: string): SafeHtml =>
  html`<span class="long"
    ><bdi
      >${visible(excerpt(text, maxTextLength))
        .split(/`([^`]+)`/)
        .map((part, index) =>
          index % 2 === 0 ? withCodePoints(part) : html`<code>${withCodePoints(part)}</code>`
        )}</bdi
    ></span
  >`

const factsOf = ({ blockedBy, level, outcome, reason, violation }: CheckResult): ReadonlyArray<Fact> => {
  const { label } = standings[standingOf({ level, outcome })]
  return [
    ...(outcome === "passed" ? [] : [["Outcome", html`${label}`] as const]),
    ...(blockedBy === undefined
      ? []
      : [["By", html`<a href="#${anchorOf(blockedBy)}">${visible(blockedBy)}</a>`] as const]),
    ...(violation === undefined
      ? []
      : [["Expected", long(violation.expected)] as const, ["Came", long(violation.came)] as const]),
    ...(reason === undefined
      ? []
      : [["Reason", html`<span class="long"><bdi>${prose(excerpt(reason, maxTextLength))}</bdi></span>`] as const])
  ]
}

/** Of a check that passed, only their ids: their texts are in the section of all sentences. */
const sentences = (result: CheckResult): SafeHtml => {
  const all = sentencesOf(result)
  return all.length === 0
    ? html`<p class="quiet">
        It proves no sentence: the target must answer consistently what the interface leaves open.
      </p>`
    : html`<h4>${all.length === 1 ? "The sentence" : "The sentences"} of the interface</h4>
        <ul class="sentences">
          ${all.map(
            ({ from, id, level, section, text }) =>
              html`<li>
                ${result.outcome === "passed" ? "" : html`<b class="level">${level}</b> ${prose(text)}`}
                <span class="quiet"
                  >§${section}${from === undefined ? "" : `, follows from §${from.join(", §")}`},
                  <code>${id}</code></span
                >
              </li>`
          )}
        </ul>`
}

/** How many exchanges are shown of a check that failed, and of another one: a page of all would be too large to send. */
const maxExchanges = { failed: 2, other: 1 } as const

/** The last exchanges of a check that didn't pass. The recording has all of them. */
const exchanges = (report: Report, result: CheckResult): SafeHtml | undefined => {
  const { exchanges, outcome, unanswered } = result
  if (exchanges.length === 0 && unanswered === undefined) return undefined
  const shown = outcome === "passed" ? [] : exchanges.slice(-maxExchanges[needsFix(result) ? "failed" : "other"])
  const opened = needsFix(result) && unanswered === undefined ? shown.length - 1 : shown.length
  const others = exchanges.length - shown.length
  return html`<h4>${counted(exchanges.length, "exchange")}</h4>
    ${others === 0 ? "" : html`<p class="quiet">${shown.length === 0 ? "They" : `The first ${others}`} are in report.json.</p>`}
    ${
      shown.length === 0 && unanswered === undefined
        ? ""
        : html`<ol class="exchanges">
            ${shown.map((one, index) => exchangeHtml(report, one, { isOpen: index === opened }))}
            ${unanswered === undefined ? "" : unansweredHtml(report, unanswered)}
          </ol>`
    }`
}

/** A check, folded to a line: with one unfolded, the page of a run that failed would be too long to read. */
const checkHtml = (report: Report, result: CheckResult, configFile: string | undefined): SafeHtml => {
  const { durationMs, id, level, title } = result
  const standing = standingOf(result)
  const { label, mark } = standings[standing]
  const known = factsOf(result)
  return html`<details class="check ${standing}" id="${anchorOf(id)}">
    <summary>
      <span class="mark" role="img" aria-label="${label}">${mark}</span>
      <span class="name"><bdi>${prose(title)}</bdi> <code>${visible(id)}</code></span>
      <span class="level">${level}</span>
    </summary>
    <div class="inside">
      ${known.length === 0 ? "" : facts(known)} ${sentences(result)} ${exchanges(report, result)}
      <div class="alone">
        ${
          standing === "passed"
            ? ""
            : html`<h4>To make this check alone</h4>
                ${block(rerun(report, id, configFile))}`
        }
        <p class="quiet">It took ${durationText(durationMs)}.</p>
      </div>
    </div>
  </details>`
}

const choice = (value: string, label: string, count: number, isChosen: boolean): SafeHtml =>
  html`<input type="radio" name="shown" id="show-${value}" ${isChosen ? "checked" : ""} /><label
      for="show-${value}"
      class="${value}"
      >${label} <b>${count}</b></label
    >`

/** The filter that chooses which checks are shown. It needs no script. */
const filter = ({ checks }: Report): SafeHtml =>
  html`<fieldset class="filter">
    <legend>Show</legend>
    ${choice("all", "All", checks.length, true)}
    ${tally(checks).map(({ count, standing }) => choice(standing, standings[standing].label, count, false))}
  </fieldset>`

/** How many checks of a profile that didn't pass are shown without a filter. The list of what failed has all of them. */
const mostShown = 3

/** Every check of the run by its profile. */
const checksHtml = (report: Report, configFile: string | undefined): SafeHtml =>
  html`<section id="checks" aria-labelledby="checks-title">
    <h2 id="checks-title">Checks</h2>
    ${filter(report)}
    ${verdictsIn(report).map(({ name, profile }) => {
      const results = report.checks.filter((one) => one.profile === profile)
      const isQuiet = (one: CheckResult) => ["passed", "skipped", "blocked"].includes(standingOf(one))
      const shown = results.filter((one) => !isQuiet(one)).slice(0, mostShown)
      const folded = results.filter((one) => !shown.includes(one))
      const show = (some: ReadonlyArray<CheckResult>) => some.map((one) => checkHtml(report, one, configFile))
      return html`<section class="profile" aria-labelledby="${profile}">
        <h3 id="${profile}">${name} <span class="quiet">${tallyText(results)}</span></h3>
        ${show(shown)}
        ${
          folded.length === 0
            ? ""
            : html`<details class="long-list folded">
                <summary>${tallyText(folded)}</summary>
                ${show(folded)}
              </details>`
        }
      </section>`
    })}
  </section>`

const checkLinks = (checks: ReadonlyArray<string>): SafeHtml => {
  const links = checks.map((id) => html`<a href="#${anchorOf(id)}">${code(id)}</a>`)
  return links.length < 4
    ? joined(links, ", ")
    : html`<details>
        <summary>${links.length} checks</summary>
        ${joined(links, ", ")}
      </details>`
}

const choiceRow = ({ answers, silence }: Choice): SafeHtml =>
  html`<tr class="${answers.length > 1 ? "failed" : ""}">
    <th scope="row">${code(silence)}</th>
    <td>
      ${joined(
        answers.map(({ answer }) => code(excerpt(JSON.stringify(answer), 300))),
        html` <b>and</b> `
      )}
    </td>
    <td>
      ${joined(
        answers.map(({ checks }) => checkLinks(checks)),
        html` <b>and</b> `
      )}
    </td>
  </tr>`

/** What the target does where the interface leaves it open. */
const choicesHtml = ({ choices }: Pick<Report, "choices">): SafeHtml => {
  const broken = choices.filter(({ answers }) => answers.length > 1).length
  return html`<section aria-labelledby="choices">
    <h2 id="choices">Where the interface is silent</h2>
    <p>
      The interface leaves some answers open, such as most status codes. None of these answers is right or wrong. The
      target only has to answer the same situation in the same way throughout the run. It made
      <b>${counted(choices.length, "choice")}</b> and
      ${broken === 0 ? "kept to each of them" : `did not keep to ${broken} of them`}.
    </p>
    ${
      choices.length === 0
        ? ""
        : html`<details class="long-list" ${broken === 0 ? "" : "open"}>
            <summary>The register of choices</summary>
            <table class="stacks choices">
              <thead>
                <tr>
                  <th scope="col">Situation</th>
                  <th scope="col">Answer</th>
                  <th scope="col">Seen by</th>
                </tr>
              </thead>
              <tbody>
                ${choices.toSorted((one, other) => other.answers.length - one.answers.length).map(choiceRow)}
              </tbody>
            </table>
          </details>`
    }
  </section>`
}

const link = ({ id, level, title }: CheckResult): SafeHtml =>
  html`<a href="#${anchorOf(id)}"><bdi>${prose(title)}</bdi></a> <span class="quiet">${level} ${code(id)}</span>`

/** What checks have in common that came of the same: what blocks them, the sentence that they expected, or why they weren't made. */
const causeOf = ({ blockedBy, level, outcome, reason = "", violation }: CheckResult): string => {
  const { expected = reason } = violation ?? {}
  // A drawn sequence names the sentence at the end.
  const cause = /\[[\w.-]+\]$/.exec(expected)?.[0] ?? (expected === "" ? blockedBy : expected)
  return `${standingOf({ level, outcome })} ${cause}`
}

/** The checks of one cause, which is said once. */
const item = (results: ReadonlyArray<CheckResult>): SafeHtml | undefined => {
  const [first] = results
  if (first === undefined) return undefined
  const { reason, violation } = first
  const standing = standingOf(first)
  const { label, mark } = standings[standing]
  const cause =
    violation === undefined
      ? prose(excerpt(reason ?? "", 300))
      : results.length === 1
        ? prose(excerpt(violation.came, 180))
        : html`${prose(excerpt(violation.expected, 300))}
            <span class="quiet">${prose(excerpt(violation.came, 180))}</span>`
  return html`<li class="${standing}">
    <span class="mark" role="img" aria-label="${label}">${mark}</span>
    <span>
      ${
        results.length === 1
          ? html`${link(first)}<br />${cause}`
          : html`${cause}
              <details>
                <summary>${counted(results.length, "check")}</summary>
                <ul>
                  ${results.map((one) => html`<li>${link(one)}</li>`)}
                </ul>
              </details>`
      }
    </span>
  </li>`
}

/** How many causes are shown unfolded, those of most checks first. */
const mostCauses = 6

const list = (id: string, title: string, results: ReadonlyArray<CheckResult>): SafeHtml | undefined => {
  if (results.length === 0) return undefined
  const causes = [...Map.groupBy(results, causeOf).values()].toSorted((one, other) => other.length - one.length)
  const [shown, others] = [causes.slice(0, mostCauses), causes.slice(mostCauses)]
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    <ul class="failures">
      ${shown.map(item)}
    </ul>
    ${
      others.length === 0
        ? ""
        : html`<details class="long-list">
            <summary>${counted(others.length, "more cause")}</summary>
            <ul class="failures">
              ${others.map(item)}
            </ul>
          </details>`
    }
  </section>`
}

/** What failed and what needs attention, each in two lines with a link to its check on the page. */
const failuresHtml = ({ checks }: Report): SafeHtml =>
  html`${list("failures", "What failed", checks.filter(needsFix))}${list(
    "look",
    "What needs attention",
    checks.filter((one) => ["blocked", "expected-failure", "warning", "skipped"].includes(standingOf(one)))
  )}`

const fateOf = (cleanup: Report["cleanup"]): string =>
  cleanup === undefined
    ? "They are left there: the interface has no way to remove them."
    : `Afterwards ${counted(cleanup.removed, "resource")} were deleted, and ${cleanup.left.length} remain.`

/** What the run made on the target, and whether it is still there. */
const ledgerHtml = ({ cleanup, ledger, run }: Pick<Report, "cleanup" | "ledger" | "run">): SafeHtml =>
  html`<section aria-labelledby="ledger">
    <h2 id="ledger">What the run made on the target</h2>
    ${
      ledger.length === 0
        ? html`<p>Nothing.</p>`
        : html`<p>
              ${resourcesText(ledger)}. ${fateOf(cleanup)} Their branches have the names that a team gives. The run
              changed nothing else.
            </p>
            <details class="long-list">
              <summary>The ledger of run ${code(run.id)}</summary>
              ${block(ledger.map(({ check, id, url, what }) => `${resourceNames[what]} ${url?.includes(id) === true ? url : `${url ?? ""} ${id}`.trim()} ${check}`).join("\n"))}
            </details>`
    }
  </section>`

const repository = ({ owner, repo }: { readonly owner: string; readonly repo: string }): SafeHtml =>
  code(`${owner}/${repo}`)

/** What was run, and how to judge the recording again. */
const provenanceHtml = ({ config, interface: { digest }, run, suite }: Report): SafeHtml => {
  const { a, b } = config.accounts
  return html`<section aria-labelledby="provenance">
    <h2 id="provenance">How to verify this report</h2>
    <p>
      This page shows a report in JSON. With that file anybody can judge the run again, without the target, without its
      keys and without trusting its author: each check is run against the recorded answers, and outcomes, verdicts and
      digests are compared.
    </p>
    ${block(`npx ${commandName} verify report.json`)}
    <p>
      Version ${textHtml(suite.version)} of the suite made the report, and only that version can judge it. It shows
      whether the answers mean what the report says. Only a run of your own can show whether the target really gave
      these answers.
    </p>
    <details class="long-list">
      <summary>Suite ${code(suite.version)}, run ${code(run.id)}, accounts and digests</summary>
      ${facts([
        ["Suite", html`Slipway ${code(suite.version)}`],
        ["Suite digest", code(suite.digest)],
        ["Interface digest", code(digest)],
        ["Run", code(run.id)],
        ["Started", timeHtml(run.startedAt)],
        ["Took", html`${durationText(run.durationMs)}`],
        ["Implementation", textHtml(implementationText({ config }) || "not named")],
        ["Target", code(config.url)],
        ["Profiles", html`${listed(config.profiles.map((profile) => profileNames[profile]))}`],
        ["Account a", html`linked ${repository(a.linked)}, not linked ${repository(a.unlinked)}`],
        [
          "Account b",
          html`${b.linked.owner === a.linked.owner && b.linked.repo === a.linked.repo ? "no repository" : html`linked ${repository(b.linked)}`},
          not linked ${repository(b.unlinked)}`
        ],
        ["Reads may lag", config.windowMs === 0 ? "not at all" : html`by ${durationText(config.windowMs)}`],
        ["Writes", run.readOnly ? "none: only checks that create nothing were run" : "yes"]
      ])}
    </details>
    <details class="long-list">
      <summary>The requests and answers that the interface leaves open, as the config has them</summary>
      ${block(JSON.stringify(config.bindings, undefined, 2))}
    </details>
  </section>`
}

const marks: Readonly<Record<Verdict, string>> = { conformant: "✓", partial: "◐", inconclusive: "?", failed: "✗" }

/** A bar with a length for each standing. It uses attributes, because the page's policy forbids inline styles. */
const bar = (results: ReadonlyArray<CheckResult>): SafeHtml => {
  let x = 0
  const parts = tally(results).map(({ count, standing }) => {
    const part = html`<rect class="${standing}" x="${x}" width="${count}" height="1" />`
    x += count
    return part
  })
  return html`<svg
    class="bar"
    viewBox="0 0 ${Math.max(1, results.length)} 1"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    ${parts}
  </svg>`
}

const card = (report: Report, { name, profile, verdict }: ReturnType<typeof verdictsIn>[number]): SafeHtml => {
  const results = report.checks.filter((one) => one.profile === profile)
  const binding = results.filter(({ level }) => level === "MUST")
  const passed = binding.filter(({ outcome }) => outcome === "passed").length
  return html`<li class="card ${verdict}">
    <h3>${name}</h3>
    <p class="verdict"><span aria-hidden="true">${marks[verdict]}</span> ${verdict}</p>
    ${bar(results)}
    <p class="quiet">${passed} of ${binding.length} binding checks passed</p>
    <ul class="counts">
      ${tally(results).map(
        ({ count, standing }) =>
          html`<li class="${standing}">
            <span class="mark" aria-hidden="true">${standings[standing].mark}</span> ${count}
            ${standings[standing].count}
          </li>`
      )}
    </ul>
  </li>`
}

const adjectives: Readonly<Record<Verdict, string>> = {
  conformant: "conformant",
  partial: "partly conformant",
  inconclusive: "inconclusive",
  failed: "not conformant"
}

/** `conformant in builds and previews, not conformant in test runs`. */
const verdictText = (report: Pick<Report, "config" | "verdicts">): string =>
  [...Map.groupBy(verdictsIn(report), ({ verdict }) => verdict)]
    .map(([verdict, here]) => `${adjectives[verdict]} in ${listed(here.map(({ name }) => name))}`)
    .join(", ")

/** The verdicts and the counts, at the top of the page. */
const verdictsHtml = (report: Report): SafeHtml => {
  const { checks, config, run, suite } = report
  const exchanges = checks.reduce((sum, one) => sum + one.exchanges.length, 0)
  return html`<section aria-labelledby="verdicts">
    <h2 id="verdicts">Verdict</h2>
    <p class="lead">
      On ${timeHtml(run.startedAt)}, Slipway's conformance suite ${textHtml(suite.version)} made
      ${counted(checks.length, "check")} of <b>${textHtml(config.url)}</b> in ${durationText(run.durationMs)}, with
      ${counted(exchanges, "request")}. The target is <b>${verdictText(report)}</b>.
    </p>
    <ul class="cards">
      ${verdictsIn(report).map((one) => card(report, one))}
    </ul>
    <details class="legend">
      <summary>What the words mean</summary>
      <dl class="facts">
        ${Object.entries(verdictMeanings).map(
          ([verdict, meaning]) =>
            html`<div>
              <dt>${verdict}</dt>
              <dd>${meaning}.</dd>
            </div>`
        )}
        <div>
          <dt>MUST</dt>
          <dd>
            a sentence that binds without exception. A SHOULD binds unless there is good reason against it; its failure
            is only a warning.
          </dd>
        </div>
        <div>
          <dt><mark>‹redacted 1›</mark></dt>
          <dd>
            a key, token or signature, removed when the run was recorded. Within a check, equal numbers stand for equal
            secrets.
          </dd>
        </div>
      </dl>
    </details>
  </section>`
}

/** The content security policy: the page may use its one stylesheet, load nothing and run nothing. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'"
].join("; ")

/** The exact text whose digest is in the policy. With one more space the browser would refuse it. */
const styleElement = html.raw`${`<style>${style}</style>`}`

const links: ReadonlyArray<readonly [string, string]> = [
  ["verdicts", "Verdict"],
  ["checks", "Checks"],
  ["choices", "Choices"],
  ["sentences", "Sentences"],
  ["ledger", "Made there"],
  ["provenance", "Verify"]
]

/**
 * A run as one page that needs nothing else: no request leaves it and no script is in it. For people, on a screen of any
 * width, light or dark, and on paper.
 */
export const renderHtml = (report: Report, options: { readonly configFile?: string } = {}): string =>
  String(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta http-equiv="content-security-policy" content="${policy}" />
          <meta name="color-scheme" content="light dark" />
          <meta name="referrer" content="no-referrer" />
          <link rel="icon" href="data:," />
          <title>${oneLine(report.config.url)}: ${verdictText(report)} · Slipway conformance</title>
          ${styleElement}
        </head>
        <body>
          <header>
            <p class="brand">Slipway <span>conformance report</span></p>
            <h1>${textHtml(report.config.url.replace(/^https?:\/\//, ""))}</h1>
            <nav aria-label="On this page">
              <ul>
                ${links.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`)}
              </ul>
            </nav>
          </header>
          <main>
            ${verdictsHtml(report)} ${failuresHtml(report)} ${checksHtml(report, options.configFile)}
            ${choicesHtml(report)} ${sentencesHtml(report)} ${ledgerHtml(report)} ${provenanceHtml(report)}
          </main>
          <footer>
            <p>
              Run <code>${oneLine(report.run.id)}</code> · suite
              <code>${oneLine(report.suite.digest.slice(0, 12))}</code> · interface
              <code>${oneLine(report.interface.digest.slice(0, 12))}</code>
            </p>
          </footer>
        </body>
      </html> `
    // Indentation between tags is a tenth of the page.
  ).replaceAll(/>\n\s+</g, ">\n<")
