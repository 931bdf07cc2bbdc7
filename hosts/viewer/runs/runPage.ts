import type { HttpServerResponse } from "effect/http"
import { html, joinHtml, type Html } from "../ui/html.ts"
import { hasApp } from "../../../core/rules/imports.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import type { RunDevice, TestRun, TestRunView } from "../../../core/model/TestRun.ts"
import { testIdOf } from "../../../core/rules/testRuns.ts"
import { paths } from "../access/paths.ts"
import { clockText } from "../trace/clockText.ts"
import { hashOf } from "../trace/moment.ts"
import type { RecordedSteps } from "../trace/recorded/recordedSteps.ts"
import { failingStep, momentOf, type Step } from "../trace/steps.ts"
import {
  appHtml,
  ciFacts,
  code,
  factList,
  factOf,
  repositoryHtml,
  runKinds,
  runStatuses,
  type Fact
} from "../ui/facts.ts"
import { deleteButton } from "../ui/deleteButton.ts"
import { keepButton, keepForm, keptFact } from "../ui/keepButton.ts"
import { page, type PageContext } from "../ui/layout.ts"
import { recordingNames } from "../content/recordingSection.ts"
import { gitParts } from "../ui/git.ts"
import { runName, statusPills } from "../ui/lists.ts"
import { attemptSection } from "./attempts.ts"
import { repositoryLink, repositoryStep } from "../ui/repositoryStep.ts"
import { attemptsNearby, runsNearby, type RunsNearby } from "./runsNearby.ts"
import { durationText, shortText, timeHtml } from "../ui/text.ts"
import { pageTitle } from "../ui/title.ts"
import { trace } from "../trace/page/trace.ts"
import { firstScreenshot } from "../content/shownPreview.ts"
import { shownRecordings, type RunPreview } from "../trace/page/traceData.ts"

/** A device as text: `iPhone 16, ios 18.2`; `undefined` if nothing is known about it. */
const deviceOf = ({ name, osVersion, platform }: RunDevice): string | undefined => {
  const given = (parts: ReadonlyArray<string | undefined>) => parts.filter((part) => part !== undefined)
  const system = given([platform, osVersion]).join(" ")
  return given([name, system === "" ? undefined : system]).join(", ") || undefined
}

const factsOf = (
  { shared, site }: PageContext,
  { repository, run }: TestRunView,
  isOpened: boolean
): ReadonlyArray<Fact> => {
  const preview = paths.preview(run.previewShareId)
  return [
    ["Status", runStatuses[run.status]],
    ["Kind", runKinds[run.kind]],
    ...factOf("Name", run.name, (name) => html`<bdi>${name}</bdi>`),
    ...factOf("Prompt", run.prompt, (prompt) => html`<bdi class="lines">${prompt}</bdi>`),
    ["Repository", repositoryHtml(repository)],
    ...factOf("Branch", run.branch, code),
    ...factOf("Commit", run.commitSha, code),
    ...factOf("App", run.app, (app) => html`<bdi>${app}</bdi>`),
    ...(shared === true ? [] : ciFacts(run)),
    ...factOf("Device", run.device && deviceOf(run.device), (device) => html`<bdi>${device}</bdi>`),
    ...factOf("File", run.file, code),
    ...factOf("Tags", run.tags?.length === 0 ? undefined : run.tags, (tags) => joinHtml(tags.map(code), " ")),
    ...factOf("Steps", run.stepCount, String),
    ...factOf("Duration", run.durationMs, durationText),
    ...factOf("Source", run.source, (source) =>
      shared === true
        ? code(source)
        : html`<a href="${site.base + paths.source(repository, source)}">${code(source)}</a>`
    ),
    ...factOf("Pull request", run.pr, (pr) => `#${pr}`),
    ...factOf("Started", run.startedAt, timeHtml),
    ["Registered", timeHtml(run.createdAt)],
    ...(shared === true ? [] : keptFact(run.keptAt)),
    ...(shared === true
      ? []
      : [
          ["Page", code(site.url + paths.run(run.id))] as const,
          ...(isOpened
            ? [["Preview", html`<a href="${site.base + preview}"><code>${site.url + preview}</code></a>`] as const]
            : [])
        ])
  ]
}

/**
 * Where a run failed. Reports count steps from 0, the page counts from 1. If the failure isn't among the events with
 * which the page was made, the page's script finds it.
 */
const failedStep = (
  { failedStepIndex, stepCount }: TestRun,
  step: Step | undefined,
  moment: (step: Step) => number
): Html => {
  const index = failedStepIndex ?? step?.index
  if (index === undefined) return html`<p class="failed-at" hidden></p>`
  const of = stepCount === undefined ? "" : ` of ${stepCount}`
  const named =
    step === undefined
      ? ""
      : html`, <bdi>${shortText(step.name, 160)}</bdi>,
          <a class="moment" href="${hashOf(moment(step))}">at ${clockText(moment(step))}</a>`
  return html`<p>Step <strong>${index + 1}${of}</strong>${named}</p>`
}

/**
 * The step and the message of a failure: from the registration, else from the events. `heading` is of which run, where the
 * page has several; `canReplay` is whether there is an app to replay its steps on; `moment` is the time of a step on the clock of the page.
 */
export const failure = (
  { shared, site }: PageContext,
  run: TestRun,
  recorded: RecordedSteps | undefined,
  { canReplay = true, heading = "Failure", id = "failure", moment = momentOf } = {}
): Html | undefined => {
  if (run.status === "passed") return undefined
  const step = recorded === undefined ? undefined : failingStep(recorded.steps, run.failedStepIndex)
  const message = run.failureMessage ?? step?.message
  return html`<section class="card failure" aria-labelledby="${id}">
    <h2 id="${id}">${heading}</h2>
    <button type="button" class="quiet copy" hidden>Copy</button>
    ${failedStep(run, step, moment)}
    ${
      message === undefined
        ? html`<p class="unsaid">No message was registered.</p>`
        : html`<pre dir="auto" role="group" tabindex="0" aria-labelledby="${id}">${message}</pre>`
    }
    ${
      !canReplay || shared === true || recorded === undefined || recorded.commands.length === 0
        ? ""
        : html`<p>
            <a href="${site.base + paths.replaySteps(run.previewShareId)}">Replay these steps on the preview</a>
          </p>`
    }
  </section>`
}

/** The notice on the page of a run whose preview was deleted. */
export const previewDeleted =
  "The preview of this run was deleted, and with it what was recorded. The run itself is kept."

/** The title of a run's page. */
export const runTitle = (run: TestRun): string => shortText(runName(run), 160)

/** The trace of a run: its registration, and its preview's recordings. */
export const runPage = (
  context: PageContext,
  view: TestRunView & { readonly repository: Pick<Repository, "webUrl"> },
  found: RunPreview | "deleted" | undefined,
  nearby?: RunsNearby
): HttpServerResponse.HttpServerResponse => {
  const { repository, run } = view
  const { base } = context.site
  const name = runTitle(run)
  const isDeleted = found === "deleted"
  const preview = found === "deleted" ? undefined : found
  const recordings = preview === undefined ? [] : shownRecordings(preview)
  const isOpened = !isDeleted && (preview === undefined || hasApp(preview.preview))
  const hasTrace = preview !== undefined && recordings.some(({ kind }) => kind !== "other")
  return page(context, {
    status: isDeleted ? 410 : 200,
    title: `${runStatuses[run.status]}: ${shortText(name, 60)}`,
    preview:
      context.shared === true
        ? {
            title: `${runStatuses[run.status]}: ${name}`,
            description: `${runKinds[run.kind]} run`,
            site_name: "Slipway",
            ...firstScreenshot(context.site, preview)
          }
        : undefined,
    script: hasTrace ? "trace" : undefined,
    styles: ["recordings", "trace"],
    trail: [repositoryStep(repository)],
    main: html`${pageTitle({
        heading: html`<bdi>${name}</bdi>`,
        status: statusPills(run),
        at: joinHtml(
          [
            ...appHtml(run),
            html`${runKinds[run.kind]} run`,
            context.shared === true ? repositoryHtml(repository) : repositoryLink(base, repository),
            // A share link names no people.
            ...(context.shared === true
              ? gitParts(undefined, { branch: run.branch, commitSha: run.commitSha, pr: run.pr })
              : gitParts(repository, run)),
            ...(run.durationMs === undefined ? [] : [html`${durationText(run.durationMs)}`]),
            timeHtml(run.createdAt)
          ],
          " · "
        ),
        actions:
          context.shared === true
            ? undefined
            : html`${
                  isOpened
                    ? html`<a class="button quiet" href="${base + paths.preview(run.previewShareId)}">Preview</a>`
                    : ""
                }
                <a class="button quiet" href="${base + paths.test(testIdOf(run), run.branch)}"
                  >History<span class="unseen"> of this test</span></a
                >
                ${keepButton(context, run.keptAt)} ${deleteButton(context, paths.run(run.id))}
                ${
                  preview?.openings === undefined
                    ? ""
                    : html`<a class="button quiet" href="${base + paths.shares(paths.run(run.id))}">Share</a>`
                }`,
        below: html`${context.shared === true ? "" : keepForm(context, paths.run(run.id), run.keptAt)}
        ${
          nearby === undefined
            ? ""
            : html`${attemptsNearby(base, run.id, nearby.attempts)} ${runsNearby(base, run, nearby)}`
        }`
      })}
      ${isDeleted ? html`<p class="notice" role="status">${previewDeleted}</p>` : ""} ${attemptSection(run)}
      ${
        hasTrace
          ? trace(run, recordings, preview.recorded, failure(context, run, preview.recorded, { canReplay: isOpened }))
          : failure(context, run, preview?.recorded)
      }
      <div class="stack">
        <section class="card" aria-labelledby="facts">
          <h2 id="facts">Facts</h2>
          ${factList(factsOf(context, view, isOpened))}
        </section>
        ${
          preview === undefined
            ? html`<section class="card" aria-labelledby="recordings">
                <h2 id="recordings">Recordings</h2>
                ${
                  isDeleted
                    ? html`<p>They were deleted with the preview.</p>`
                    : html`<p>A key with the scope <code>preview_upload</code> sees what the preview recorded.</p>`
                }
              </section>`
            : recordingNames(preview.preview.declaration.recordings, preview.openings)
        }
      </div>`
  })
}
