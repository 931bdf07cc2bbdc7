import type { HttpServerResponse } from "effect/http"
import { html, type Html } from "../ui/html.ts"
import type { TestRunView } from "../../../core/model/TestRun.ts"
import { testIdOf } from "../../../core/rules/testHistory.ts"
import { paths } from "../access/paths.ts"
import { alignSteps, differenceOf, type Pair } from "../trace/align.ts"
import { commonClock, marksOf, type Side } from "../trace/commonClock.ts"
import { lengthOfRun } from "../trace/lengthOfRun.ts"
import type { Step } from "../trace/steps.ts"
import type { CompareData } from "../trace/traceData.ts"
import { compareTable, pairTable } from "./compareTable.ts"
import { code, repositoryHtml, runKinds, runStatuses } from "../ui/facts.ts"
import { page, type PageContext } from "../ui/layout.ts"
import { statusPills } from "../ui/lists.ts"
import { repositoryStep } from "../ui/repositoryStep.ts"
import { previewDeleted, runTitle } from "./runPage.ts"
import { scriptData } from "../ui/scriptData.ts"
import { durationText, shortText, timeHtml } from "../ui/text.ts"
import { pageTitle } from "../ui/title.ts"
import { shownRecordings, traceDataOf, type RunPreview } from "../trace/page/traceData.ts"
import { stage } from "../trace/page/traceStage.ts"
import { timeline } from "../trace/page/traceTimeline.ts"
import { keysDialog, playbackKeys, transport, type Keys } from "../trace/page/traceTransport.ts"

/** One of the two runs: its registration, and its preview's recordings if the key may see them. */
interface Compared extends TestRunView {
  readonly preview: RunPreview | "deleted" | undefined
}

/** The compared facts of two runs; equal facts have equal markup. */
const facts: ReadonlyArray<readonly [name: string, of: (view: TestRunView) => Html | string]> = [
  ["Status", ({ run: { status } }) => runStatuses[status]],
  ["Name", ({ run }) => html`<bdi>${runTitle(run)}</bdi>`],
  ["Kind", ({ run: { kind } }) => runKinds[kind]],
  ["Repository", ({ repository }) => repositoryHtml(repository)],
  ["Branch", ({ run: { branch } }) => (branch === undefined ? "–" : code(shortText(branch, 60)))],
  ["Commit", ({ run: { commitSha } }) => (commitSha === undefined ? "–" : code(commitSha.slice(0, 7)))],
  ["Steps", ({ run: { stepCount } }) => String(stepCount ?? "–")],
  ["Duration", ({ run: { durationMs } }) => (durationMs === undefined ? "–" : durationText(durationMs))],
  ["Failure", ({ run: { failureMessage } }) => html`<bdi class="lines">${shortText(failureMessage ?? "–", 600)}</bdi>`],
  ["Registered", ({ run: { createdAt } }) => timeHtml(createdAt)]
]

const factsTable = (left: TestRunView, right: TestRunView): Html =>
  pairTable(
    "Fact",
    facts.map(([name, of]) => {
      const [one, other] = [of(left), of(right)]
      const isSame = String(one) === String(other)
      return html`<tr class="${isSame ? "same" : "other"}">
        <th scope="row">${name}</th>
        <td>${one}</td>
        <td>${other}</td>
        <td class="difference">${isSame ? "The same" : "Differs"}</td>
      </tr>`
    })
  )

const column = (base: string, side: Side, { preview, run }: Compared): Html =>
  html`<section class="card side" data-side="${side}" aria-labelledby="${side}">
    <div class="head">
      <h2 id="${side}">
        <span class="owner">${side === "left" ? "Left" : "Right"}</span>
        <a href="${base + paths.run(run.id)}" title="${run.branch}"
          >${run.branch === undefined ? "No branch" : code(shortText(run.branch, 60))}</a
        >
        ${statusPills(run)}
      </h2>
      <p class="type">
        ${run.commitSha === undefined ? "" : html`${code(run.commitSha.slice(0, 7))} · `}${timeHtml(run.createdAt)}
      </p>
    </div>
    ${
      preview === undefined
        ? html`<p>A key with the scope <code>preview_upload</code> sees what the preview recorded.</p>`
        : preview === "deleted"
          ? html`<p>${previewDeleted}</p>`
          : stage(shownRecordings(preview)) || html`<p class="none">No video and no screenshots were recorded.</p>`
    }
  </section>`

/** How the two screens are laid over each other. The page's script shows these controls. */
const modes = { side: "Side by side", swipe: "Swipe", onion: "Onion skin", blink: "Blink" }
const modeControls = html`<div class="modes" role="group" aria-label="Comparison of the screens" hidden>
  <div class="views">
    ${Object.entries(modes).map(
      ([mode, label]) =>
        html`<button type="button" class="quiet" data-mode="${mode}" aria-pressed="false">${label}</button>`
    )}
  </div>
  <input
    type="range"
    class="mix"
    min="0"
    max="100"
    value="50"
    aria-label="How much of the right screen is shown"
    hidden
  />
  <label class="switch"><input type="checkbox" class="outline" checked /> Outline differences</label>
  <p class="type differing" role="status"></p>
</div>`
const modeKeys: Keys = [
  [["1", "2", "3", "4"], "Side by side, swipe, onion skin, blink"],
  [["D"], "Outline differences"]
]

/** How many steps differ. `isWhole` if all steps of both runs were compared. */
const summary = (pairs: ReadonlyArray<Pair>, isWhole: boolean): string => {
  const differing = pairs.filter((pair) => differenceOf(pair) !== "same").length
  if (pairs.length === 0) return "No steps are known of either run."
  if (differing === 0) return isWhole ? "All steps are the same." : `The first ${pairs.length} steps are the same.`
  return `${differing} of ${isWhole ? "" : "the first "}${pairs.length} steps ${differing === 1 ? "differs" : "differ"}.`
}

/** The page above both runs. */
const repositories = ({ repository: left }: TestRunView, { repository: right }: TestRunView) =>
  left.owner === right.owner && left.repo === right.repo ? [repositoryStep(left)] : []

/** The page that compares two runs on one clock: registrations, recordings and steps. */
export const comparePage = (
  context: PageContext,
  left: Compared,
  right: Compared
): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  const of = ({ preview: found, run }: Compared) => {
    const preview = found === "deleted" ? undefined : found
    const recorded = preview?.recorded ?? { steps: [], isWhole: true }
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
  const isSame = runTitle(left.run) === runTitle(right.run)
  const name = isSame ? runTitle(left.run) : `${runTitle(left.run)} and ${runTitle(right.run)}`
  return page(context, {
    title: `Compare ${shortText(name, 60)}`,
    script: one.data.recordings.length + other.data.recordings.length === 0 ? undefined : "compare",
    styles: ["trace", "compare"],
    trail: repositories(left, right),
    main: html`${pageTitle({
        heading: html`Compare <bdi>${name}</bdi>`,
        at: html`${runStatuses[left.run.status]} on the left, ${runStatuses[right.run.status].toLowerCase()} on the
        right. ${summary(pairs, isWhole)}`,
        actions: html`${
            testIdOf(left.run) === testIdOf(right.run)
              ? html`<a class="button quiet" href="${base + paths.test(testIdOf(right.run), right.run.branch)}"
                  >History of this test</a
                >`
              : ""
          } <a class="button quiet" href="${base + paths.compare(right.run.id, left.run.id)}">Swap sides</a>`
      })}
      <div class="compare" id="compare">
        ${transport([drawn("left", one.steps), drawn("right", other.steps)])} ${modeControls}
        <div class="sides">${column(base, "left", left)} ${column(base, "right", right)}</div>
        <section class="card steps" tabindex="0" aria-labelledby="steps">
          <h2 id="steps">Steps <span class="count">${pairs.length}</span></h2>
          ${pairs.length === 0 ? html`<p class="none">No steps are known of either run.</p>` : compareTable(pairs, clock)}
          ${isWhole ? "" : html`<p class="more">One of the runs has more steps than are compared here.</p>`}
        </section>
      </div>
      <section class="card" aria-labelledby="facts">
        <h2 id="facts">Facts</h2>
        ${factsTable(left, right)}
      </section>
      ${keysDialog([...playbackKeys, ...modeKeys])} ${scriptData("compare-data", data)}`
  })
}
