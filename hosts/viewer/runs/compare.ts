/** The page with two compared runs. */
import { DateTime, Effect } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { Principal } from "../../../core/model/ApiKey.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import { TestRunId, type TestRunView } from "../../../core/model/TestRun.ts"
import { testIdOf } from "../../../core/rules/testRuns.ts"
import { Overview } from "../../../core/service/Overview.ts"
import { TestRuns } from "../../../core/service/TestRuns.ts"
import { paths } from "../access/site.ts"
import { forAccount, idIn } from "../session/account.ts"
import {
  alignSteps,
  commonClock,
  type CommonClock,
  type Difference,
  differenceOf,
  marksOf,
  type Pair,
  type Side
} from "../trace/align.ts"
import { clockText, lengthOf, lengthOfRun, markOf, momentOf, signs } from "../trace/steps.ts"
import { type Step, type CompareData } from "../trace/traceData.ts"
import {
  type Keys,
  keysDialog,
  playbackKeys,
  type RunPreview,
  shownRecordings,
  stage,
  timeline,
  traceDataOf,
  transport,
  viewButtons
} from "../trace/page.ts"
import { noSteps } from "../trace/recordedSteps.ts"
import { counted } from "../ui/words.ts"
import { code, diffLink, gitParts, repositoryHtml, repositoryStep, runKinds, runOutcome } from "../ui/facts.ts"
import { html, type Html, joinHtml, durationText, shortText, timeHtml } from "../ui/html.ts"
import { page, type PageContext, pageTitle } from "../ui/layout.ts"
import { statusPills } from "../ui/lists.ts"
import { scriptData } from "../ui/document.ts"
import { deviceOf, failure, previewDeleted, runPreviewFor, runTitle } from "./runs.ts"

const side = Effect.fnUntraced(function* (caller: Principal["Service"], id: string | null) {
  const runs = yield* TestRuns
  const view = yield* runs.read(caller, TestRunId.make(yield* idIn(id ?? "")))
  const linked = yield* (yield* Overview).repository(caller, view.repository)
  return { ...view, linked, preview: yield* runPreviewFor(caller, view) }
})

const show = forAccount(
  ["test_runs"],
  Effect.fnUntraced(function* (caller, context) {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const query = new URL(url, "http://viewer").searchParams
    const { left, right } = yield* Effect.all(
      { left: side(caller, query.get("left")), right: side(caller, query.get("right")) },
      { concurrency: "unbounded" }
    )
    return comparePage(context, left, right)
  })
)

/** Two runs side by side. */
export const routes = [HttpRouter.route("GET", "/compare", show)]

/** One of the two runs: its registration, and its preview's recordings if the key may see them. */
interface Compared extends TestRunView {
  readonly preview: RunPreview | "deleted" | undefined
  readonly linked: Repository
}

/** The compared facts of two runs; equal facts have equal markup. */
const facts: ReadonlyArray<readonly [name: string, of: (view: TestRunView) => Html | string]> = [
  ["Status", ({ run }) => runOutcome(run).label],
  ["Name", ({ run }) => html`<bdi>${runTitle(run)}</bdi>`],
  ["Kind", ({ run: { kind } }) => runKinds[kind]],
  ["Repository", ({ repository }) => repositoryHtml(repository)],
  ["Branch", ({ run: { branch } }) => (branch === undefined ? "–" : code(shortText(branch, 60)))],
  ["Commit", ({ run: { commitSha } }) => (commitSha === undefined ? "–" : code(commitSha.slice(0, 7)))],
  ["App", ({ run: { app } }) => (app === undefined ? "–" : html`<bdi>${app}</bdi>`)],
  ["Device", ({ run: { device } }) => html`<bdi>${(device && deviceOf(device)) ?? "–"}</bdi>`],
  ["Steps", ({ run: { stepCount } }) => String(stepCount ?? "–")],
  ["Duration", ({ run: { durationMs } }) => (durationMs === undefined ? "–" : durationText(durationMs))]
]

/** What the runs are called: by how they ended, or by which was first. */
const namesOf = ({ run: left }: TestRunView, { run: right }: TestRunView): SideNames => {
  const names = { passed: "Pass", failed: "Failure" }
  if (left.status !== right.status) return { left: names[left.status], right: names[right.status] }
  const [earlier, later] = ["Earlier run", "Later run"]
  return DateTime.isGreaterThan(left.createdAt, right.createdAt)
    ? { left: later, right: earlier }
    : { left: earlier, right: later }
}

const factsTable = (names: SideNames, left: TestRunView, right: TestRunView): Html =>
  pairTable(
    "Fact",
    names,
    facts.map(([name, of]) => {
      const [one, other] = [of(left), of(right)]
      const isSame = String(one) === String(other)
      return html`<tr class="${isSame ? "same" : "other"}">
        <th scope="row">${name}</th>
        <td data-of="${names.left}">${one}</td>
        <td data-of="${names.right}">${other}</td>
        <td class="difference">${isSame ? "The same" : "Differs"}</td>
      </tr>`
    })
  )

const importCommand = code("slipway-ci import")

/** The screens of a run, or why there are none. */
const screens = ({ hasPrograms, site }: PageContext, preview: Compared["preview"]): Html => {
  if (preview === undefined)
    return html`<p class="none">A key with the scope <code>preview_upload</code> sees what the preview recorded.</p>`
  if (preview === "deleted") return html`<p class="none">${previewDeleted}</p>`
  const recordings = shownRecordings(preview)
  const none =
    recordings.length === 0
      ? html`<p class="none">
          No recording was uploaded.
          ${hasPrograms === true ? html`<a href="${site.base}/cli">${importCommand}</a>` : importCommand} uploads
          videos, screenshots and logs with the results.
        </p>`
      : html`<p class="none">No video and no screenshots were uploaded.</p>`
  return stage(recordings, { hasViews: false }) ?? none
}

const column = (context: PageContext, side: Side, names: SideNames, { linked, preview, run }: Compared): Html =>
  html`<section class="card side" data-side="${side}" aria-labelledby="${side}">
    <div class="head">
      <h2 id="${side}"><a href="${context.site.base + paths.run(run.id)}">${names[side]}</a></h2>
      ${names[side].endsWith("run") ? statusPills(run) : ""}
      <p class="type">
        ${joinHtml([...gitParts(linked, { branch: run.branch, commitSha: run.commitSha }), timeHtml(run.startedAt ?? run.createdAt)], " · ")}
      </p>
    </div>
    ${screens(context, preview)}
  </section>`

/** A part of a text that a narrow window doesn't show. */
const long = (text: string): Html => html`<span class="long">${text}</span>`

/** How the two screens are laid over each other. The page's script shows these controls. */
const modes = {
  side: html`Side${long(" by side")}`,
  swipe: html`Swipe`,
  onion: html`Onion${long(" skin")}`,
  blink: html`Blink`
}
const modeControls = html`<div class="modes" role="group" aria-label="Comparison of the screens" hidden>
  <div class="views">
    ${Object.entries(modes).map(
      ([mode, label]) =>
        html`<button type="button" class="quiet" data-mode="${mode}" aria-pressed="false">${label}</button>`
    )}
  </div>
  ${viewButtons}
  <label class="switch"><input type="checkbox" class="outline" checked /> Outlines</label>
  <p class="type differing" role="status"></p>
  <input
    type="range"
    class="mix"
    min="0"
    max="100"
    value="50"
    aria-label="How much of the right screen is shown"
    hidden
  />
</div>`
const modeKeys: Keys = [
  [["1", "2", "3", "4"], "Side by side, swipe, onion skin, blink"],
  [["D"], "Outline differences"]
]

/** How many steps differ. `isWhole` if all steps of both runs were compared. */
const summary = (pairs: ReadonlyArray<Pair>, isWhole: boolean): string => {
  const differences = pairs.map(differenceOf).filter((difference) => difference !== "same")
  const differing = differences.length
  const timed = differences.filter((difference) => difference === "faster" || difference === "slower").length
  if (differing === 0)
    return isWhole ? "All steps are the same." : `The first ${counted(pairs.length, "step is", "steps are")} the same.`
  return `${differing} of ${isWhole ? "" : "the first "}${counted(pairs.length, "step")} ${differing === 1 ? "differs" : "differ"}${timed === 0 ? "" : `, ${timed} of them only in duration`}.`
}

/** The page above both runs. */
const repositories = ({ repository: left }: TestRunView, { repository: right }: TestRunView) =>
  left.owner === right.owner && left.repo === right.repo ? [repositoryStep(left)] : []

/** The page that compares two runs on one clock: registrations, recordings and steps. */
const comparePage = (context: PageContext, left: Compared, right: Compared): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  const of = ({ preview: found, run }: Compared) => {
    const preview = found === "deleted" ? undefined : found
    const recorded = preview?.recorded ?? noSteps
    const data = traceDataOf(run, preview === undefined ? [] : shownRecordings(preview), recorded)
    return { data, ...recorded, length: lengthOfRun(data) }
  }
  const [one, other] = [of(left), of(right)]
  const pairs = alignSteps(one.steps, other.steps)
  const isWhole = one.isWhole && other.isWhole
  const lengths = { left: one.length, right: other.length }
  const marks = marksOf(pairs)
  const clock = commonClock(marks, lengths)
  const drawn = (side: Side, steps: ReadonlyArray<Step>) =>
    timeline(
      steps.map((step) => ({
        ...step,
        from: clock.timeOf(side, step.from),
        to: step.to === undefined ? undefined : clock.timeOf(side, step.to)
      })),
      [],
      clock.length
    )
  const data: CompareData = {
    left: { recordings: one.data.recordings },
    right: { recordings: other.data.recordings },
    lengths,
    marks
  }
  const names = namesOf(left, right)
  const isRecorded = one.data.recordings.length + other.data.recordings.length > 0
  const sides = [
    { side: "left", ...left, recorded: one },
    { side: "right", ...right, recorded: other }
  ] as const
  const isSame = runTitle(left.run) === runTitle(right.run)
  const name = isSame ? runTitle(left.run) : `${runTitle(left.run)} and ${runTitle(right.run)}`
  return page(context, {
    title: `Compare ${shortText(name, 60)}`,
    script: isRecorded ? "compare" : undefined,
    styles: ["trace", "compare"],
    trail: repositories(left, right),
    main: html`${pageTitle({
        heading: html`Compare <bdi>${name}</bdi>`,
        actions: html`${
            left.linked.id === right.linked.id
              ? (diffLink(left.linked, left.run.commitSha, right.run.commitSha, html`class="button quiet"`) ?? "")
              : ""
          }
          ${
            testIdOf(left.run) === testIdOf(right.run)
              ? html`<a class="button quiet" href="${base + paths.test(testIdOf(right.run), right.run.branch)}"
                  >History of this test</a
                >`
              : ""
          } <a class="button quiet" href="${base + paths.compare(right.run.id, left.run.id)}">Swap sides</a>`
      })}
      <div class="compare" id="compare">
        <div class="failures">
          ${sides.map(({ recorded, run, side }) =>
            failure(context, run, recorded, {
              heading:
                left.run.status === right.run.status
                  ? `Failure message of the ${inText(names[side])}`
                  : "Failure message",
              id: `failure-${side}`,
              moment: (step) => clock.timeOf(side, momentOf(step))
            })
          )}
        </div>
        ${isRecorded ? transport([drawn("left", one.steps), drawn("right", other.steps)]) : ""}
        <div class="both">
          ${isRecorded ? modeControls : ""}
          <div class="sides">${column(context, "left", names, left)} ${column(context, "right", names, right)}</div>
        </div>
        ${
          pairs.length === 0 && isWhole
            ? ""
            : html`<section class="card steps" tabindex="0" aria-labelledby="steps">
                <h2 id="steps">Steps <span class="count">${pairs.length}</span></h2>
                ${
                  pairs.length === 0
                    ? ""
                    : html`<p class="type">
                        ${summary(pairs, isWhole)} Both runs play on one clock: at each step, the faster run waits.
                      </p>`
                }
                ${pairs.length === 0 ? "" : compareTable(pairs, clock, names, [left.run.failureMessage, right.run.failureMessage])}
                ${isWhole ? "" : html`<p class="more">One of the runs has more steps than are compared here.</p>`}
              </section>`
        }
      </div>
      <section class="card" aria-labelledby="facts">
        <h2 id="facts">Facts</h2>
        ${factsTable(names, left, right)}
      </section>
      ${isRecorded ? html`${keysDialog([...playbackKeys, ...modeKeys])} ${scriptData("compare-data", data)}` : ""}`
  })
}

const shownName = 160

/** What the two runs are called, as the headings of columns. */
type SideNames = Readonly<Record<Side, string>>

/** The name of a side in a sentence. */
const inText = (name: string): string => name.toLowerCase()

/** How two steps differ, in words. */
const differenceText = (difference: Difference, { left, right }: Pair, names: SideNames): string => {
  if (difference === "only-left") return `Only in the ${inText(names.left)}`
  if (difference === "only-right") return `Only in the ${inText(names.right)}`
  if (left === undefined || right === undefined || difference === "same") return "The same"
  if (difference === "status") return `${shortText(left.status, 40)} → ${shortText(right.status, 40)}`
  if (difference === "message") return "Other message"
  const change = durationText(Math.abs(lengthOf(right) - lengthOf(left)))
  return `${change} ${difference} in the ${inText(names.right)}`
}

/** A step of a run. The message of a failure that the page shows above is not shown again. */
const cell = (step: Step | undefined, name: string, failureMessage: string | undefined): Html => {
  if (step === undefined)
    return html`<td class="missing" data-of="${name}">–<span class="unseen"> not there</span></td>`
  const mark = markOf(step)
  return html`<td class="${mark}" data-of="${name}">
    <span class="sign" aria-hidden="true">${signs[mark]}</span>
    <bdi>${shortText(step.status, 40)}</bdi>
    <span class="type"
      ><span class="from">at ${clockText(step.from)}${step.to === undefined ? "" : ","} </span
      >${step.to === undefined ? "" : durationText(lengthOf(step))}</span
    >
    ${step.message === undefined || step.message === failureMessage ? "" : html`<pre dir="auto" role="group" tabindex="0" aria-label="Message">${step.message}</pre>`}
  </td>`
}

/** The time of a pair of steps on the shared clock: the later one, because the other run waits. */
const timeOf = ({ left, right }: Pair, clock: CommonClock, of: (step: Step) => number): number =>
  Math.max(
    left === undefined ? 0 : clock.timeOf("left", of(left)),
    right === undefined ? 0 : clock.timeOf("right", of(right))
  )

const row = (
  pair: Pair,
  clock: CommonClock,
  names: SideNames,
  [ofLeft, ofRight]: ReadonlyArray<string | undefined>
): Html => {
  const { left, right } = pair
  const difference = differenceOf(pair)
  const [begin, moment] = [timeOf(pair, clock, ({ from }) => from), timeOf(pair, clock, momentOf)]
  const name = shortText(left?.name ?? right?.name ?? "", shownName)
  return html`<tr class="${difference}" data-t="${begin}" data-moment="${moment}">
    <th scope="row">
      <button type="button" class="go" disabled><bdi>${name}</bdi></button>
    </th>
    ${cell(left, names.left, ofLeft)} ${cell(right, names.right, ofRight)}
    <td class="difference">${differenceText(difference, pair, names)}</td>
  </tr>`
}

/** A table of pairs described by `of`, with the left value, the right value and the difference. */
const pairTable = (of: string, names: SideNames, rows: ReadonlyArray<Html>): Html =>
  html`<div class="fit">
    <table class="pairs">
      <thead>
        <tr>
          <th scope="col">${of}</th>
          <th scope="col">${names.left}</th>
          <th scope="col">${names.right}</th>
          <th scope="col">Difference</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`

/** The steps of two runs with matching ones side by side, and their differences. */
const compareTable = (
  pairs: ReadonlyArray<Pair>,
  clock: CommonClock,
  names: SideNames,
  failureMessages: ReadonlyArray<string | undefined>
): Html =>
  pairTable(
    "Step",
    names,
    pairs.map((pair) => row(pair, clock, names, failureMessages))
  )
