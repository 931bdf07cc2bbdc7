/** The page of a test run. */
import { DateTime, Effect, Option } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import type { Caller, Reader } from "../../../core/model/ApiKey.ts"
import { NotFound } from "../../../core/model/Problem.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import {
  type RunAttempt,
  type RunDevice,
  type TestRun,
  TestRunId,
  type TestRunView
} from "../../../core/model/TestRun.ts"
import { attemptName } from "../../../core/rules/attempts.ts"
import { hasApp } from "../../../core/rules/imports.ts"
import { toCursor } from "../../../core/rules/pages.ts"
import { testIdOf } from "../../../core/rules/testRuns.ts"
import { Overview } from "../../../core/service/Overview.ts"
import { Previews } from "../../../core/service/Previews.ts"
import { type Attempts, TestRuns } from "../../../core/service/TestRuns.ts"
import { decoded } from "../../../core/service/withInput.ts"
import { type Grant, rightOf, type Visitor } from "../access/capability.ts"
import { type Path, paths } from "../access/site.ts"
import { firstScreenshot, recordingNames, shownPreview } from "../content/shown.ts"
import { forAccount, idInPath } from "../session/account.ts"
import { clockText, failingStep, hashOf, momentOf } from "../trace/steps.ts"
import { type Step } from "../trace/traceData.ts"
import { type RunPreview, shownRecordings, trace } from "../trace/page.ts"
import { recordedSteps, type RecordedSteps } from "../trace/recordedSteps.ts"
import { page, type PageContext, pageTitle } from "../ui/layout.ts"
import {
  appHtml,
  ciFacts,
  code,
  deleteButton,
  type Fact,
  factList,
  factOf,
  gitParts,
  keepButton,
  keepForm,
  keptFact,
  repositoryHtml,
  repositoryLink,
  repositoryStep,
  runKinds,
  runOutcome,
  runStatuses
} from "../ui/facts.ts"
import { html, type Html, joinHtml } from "../ui/html.ts"
import { attemptLink, runName, statusPills } from "../ui/lists.ts"
import { durationText, shortText, timeHtml } from "../ui/text.ts"

/** How many of a repository's latest runs are searched for ones of the same name, and how many of those are offered. */
const earlierRuns = { looked: 100, shown: 20 }

const nameOf = ({ run }: TestRunView): string | undefined => run.name ?? run.prompt

/** The runs beside one, of the same repository and name. */
const runsNearby = Effect.fnUntraced(function* (caller: Caller, view: TestRunView) {
  const overview = yield* Overview
  const runs = yield* TestRuns
  const { repository, run } = view
  const before = runs
    .list(
      caller,
      decoded({ ...repository, filter: { kind: run.kind }, limit: earlierRuns.looked, cursor: toCursor(run) })
    )
    .pipe(Effect.catchTag("InvalidRequest", Effect.die))
  const { earlier, neighbours } = yield* Effect.all(
    { earlier: before, neighbours: overview.neighbours(caller, run.id) },
    { concurrency: "unbounded" }
  )
  return {
    previous: Option.getOrUndefined(neighbours.previous),
    next: Option.getOrUndefined(neighbours.next),
    earlier: earlier.runs.filter((other) => nameOf(other) === nameOf(view)).slice(0, earlierRuns.shown)
  }
})

/** What a run shows of its preview, or that it was deleted: a run stays when its preview is. */
export const orDeleted = <A, E, R>(shown: Effect.Effect<A, E | NotFound, R>) =>
  Effect.catchIf(
    shown,
    (error) => error instanceof NotFound,
    () => Effect.succeed("deleted" as const)
  )

/** The preview of a run as {@link shownPreview} returns it, with the steps from its events. */
export const runPreview = Effect.fnUntraced(function* (
  account: Reader["account"],
  by: Grant,
  { run }: TestRunView,
  sharedAt?: string
) {
  const shown = yield* shownPreview(account, by, run.previewShareId, sharedAt)
  return { ...shown, recorded: yield* recordedSteps(shown.preview) }
})

/** Like {@link runPreview}, but `"deleted"` when the preview was, and nothing for a key that may not see previews. */
export const runPreviewFor = Effect.fnUntraced(function* (caller: Visitor, view: TestRunView) {
  const shown = caller.scopes.includes("preview_upload")
    ? runPreview(caller.account, rightOf(caller), view)
    : Effect.as((yield* Previews).read(caller, view.run.previewShareId), undefined)
  return yield* orDeleted(shown)
})

/** How many of the newest uploads of a repository are examined for the app of a run. */
const maxUploads = 50

/** The build, else the preview, with the same commit, platform and app as a run. Imported runs have no app of their own. */
const appOf = Effect.fnUntraced(function* (caller: Caller, { repository, run }: TestRunView) {
  const { app, branch, commitSha, device } = run
  if (commitSha === undefined) return undefined
  const overview = yield* Overview
  const platform = device?.platform === "ios" || device?.platform === "android" ? device.platform : undefined
  const { builds } = caller.scopes.includes("builds")
    ? yield* overview.builds(caller, { ...repository, branch, platform, app, limit: maxUploads })
    : { builds: [] }
  const build = builds.find(
    ({ build }) => build.commitSha === commitSha && build.app === app && build.readyAt !== undefined
  )
  if (build !== undefined) return { name: "build", path: paths.build(build.build.id) } as const
  const { previews } = caller.scopes.includes("preview_upload")
    ? yield* overview.previews(caller, { ...repository, isTestRun: false, limit: maxUploads })
    : { previews: [] }
  const preview = previews.find(
    ({ declaration }) =>
      declaration.git.commitSha === commitSha &&
      declaration.git.app === app &&
      (platform === undefined || declaration.platform === undefined || declaration.platform === platform)
  )
  return preview && ({ name: "preview", path: paths.preview(preview.shareId) } as const)
})

const show = forAccount(
  ["test_runs"],
  Effect.fnUntraced(function* (caller, context) {
    const runs = yield* TestRuns
    const view = yield* runs.read(caller, TestRunId.make(yield* idInPath))
    const { app, linked, nearby, preview, tests } = yield* Effect.all(
      {
        app: appOf(caller, view),
        linked: (yield* Overview).repository(caller, view.repository),
        nearby: runsNearby(caller, view),
        preview: runPreviewFor(caller, view),
        tests: runs.attempts(caller, [view])
      },
      { concurrency: "unbounded" }
    )
    return runPage(context, { ...view, repository: linked }, preview, { ...nearby, attempts: tests[0] ?? [view], app })
  })
)

export const routes = [HttpRouter.route("GET", "/runs/:id", show)]

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
    ["Status", runOutcome(run).label],
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
  nearby?: NearbyRuns
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
    title: `${runOutcome(run).label}: ${shortText(name, 60)}`,
    preview:
      context.shared === true
        ? {
            title: `${runOutcome(run).label}: ${name}`,
            description: `${runKinds[run.kind]} run`,
            site_name: context.site.name,
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
                    : nearby?.app === undefined
                      ? ""
                      : html`<a class="button quiet" href="${base + nearby.app.path}">Open the ${nearby.app.name}</a>`
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
            : html`${attemptsNearby(base, run.id, nearby.attempts)} ${nearbyHtml(base, run, nearby)}`
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

/** The runs beside one, of the same repository and name. */
interface NearbyRuns {
  readonly previous: TestRunView | undefined
  readonly next: TestRunView | undefined
  /** The runs before it, the latest first. */
  readonly earlier: ReadonlyArray<TestRunView>
  /** The attempts at the test in its CI run. */
  readonly attempts: Attempts
  /** The page with the app of its commit; `undefined` if none was uploaded. */
  readonly app?: { readonly name: "build" | "preview"; readonly path: Path } | undefined
}

const link = (base: string, { run }: TestRunView, label: string, rel: "prev" | "next"): Html =>
  html`<a href="${base + paths.run(run.id)}" rel="${rel}">${label}</a>
    <span class="type">${runOutcome(run).label}, ${timeHtml(run.createdAt)}</span>`

const option = ({ run }: TestRunView): Html => {
  const made = DateTime.formatIso(run.createdAt).slice(0, 16).replace("T", " ")
  const of = [
    ...(run.branch === undefined ? [] : [` on ${shortText(run.branch, 40)}`]),
    ...(run.commitSha === undefined ? [] : [` at ${run.commitSha.slice(0, 7)}`])
  ]
  return html`<option value="${run.id}">${runOutcome(run).label}, ${made} UTC${of.join("")}</option>`
}

/** The attempts at a test in its CI run, where there are several; of one that was replaced, that it was. */
const attemptsNearby = (base: string, id: string, attempts: Attempts): Html | undefined => {
  const latest = attempts.length - 1
  const tabs = attempts.map(
    ({ run }, index) =>
      html`<a href="${base + paths.run(run.id)}" ${run.id === id ? html`aria-current="page"` : ""}
        >${attemptName(run, latest - index)}
        <span class="${runOutcome(run).outcome}">${runOutcome(run).label.toLowerCase()}</span></a
      >`
  )
  const [{ run }] = attempts
  return latest === 0
    ? undefined
    : html`${
          run.id === id
            ? ""
            : html`<p class="notice" role="status">
                A later attempt of this CI run replaced this run: ${attemptLink(base, run, latest)}.
              </p>`
        }
        <nav class="tabs attempts" aria-label="Attempts in this CI run">${tabs.toReversed()}</nav>`
}

/** The comparison that a run suggests: of a failure with the last run that passed, if possible. Only one with a failure stands out. */
const comparison = (
  base: string,
  { id, status }: Pick<TestRun, "id" | "status">,
  { earlier, next, previous }: NearbyRuns
): Html => {
  if (status === "passed" && next?.run.status === "failed") {
    return html`<a class="button" href="${base + paths.compare(id, next.run.id)}"
      >Compare with the next run, which failed</a
    >`
  }
  const other = earlier.find(({ run }) => run.status === "passed") ?? previous
  if (other === undefined) return html``
  const isQuiet = status === "passed" && other.run.status === "passed"
  return html`<a class="button${isQuiet ? " quiet" : ""}" href="${base + paths.compare(other.run.id, id)}"
    >Compare with the ${other.run.status === "passed" ? "last one that passed" : "previous run"}</a
  >`
}

/** Links from a run to others of the same name: the previous and the next one, and comparisons. */
const nearbyHtml = (base: string, run: Pick<TestRun, "id" | "status">, nearby: NearbyRuns): Html | undefined => {
  const { earlier, next, previous } = nearby
  if (earlier.length === 0 && previous === undefined && next === undefined) return undefined
  return html`<nav class="nearby" aria-label="Runs of this name">
    ${comparison(base, run, nearby)}
    ${previous === undefined ? "" : html`<span>${link(base, previous, "Previous run", "prev")}</span>`}
    ${next === undefined ? "" : html`<span>${link(base, next, "Next run", "next")}</span>`}
    ${
      earlier.length < 2
        ? ""
        : html`<details>
            <summary>Compare with another run</summary>
            <form method="get" action="${base}/compare">
              <label for="left">Compare with</label>
              <select id="left" name="left">
                ${earlier.map(option)}
              </select>
              <input type="hidden" name="right" value="${run.id}" />
              <button class="quiet">Compare</button>
            </form>
          </details>`
    }
  </nav>`
}

const attempt = ({ durationMs, failureMessage, status }: RunAttempt, index: number): Html =>
  html`<li>
    <span class="pill ${status}">${runStatuses[status]}</span>
    ${durationMs === undefined ? "" : html`<span class="type">${durationText(durationMs)}</span>`}
    ${failureMessage === undefined ? "" : html`<pre dir="auto" role="group" tabindex="0" aria-label="Failure of attempt ${index + 1}">${failureMessage}</pre>`}
  </li>`

/** The attempts at a test that was tried more than once, the first one first. */
const attemptSection = ({ attempts = [] }: TestRun): Html | undefined =>
  attempts.length < 2
    ? undefined
    : html`<section class="card attempts" aria-labelledby="attempts">
        <h2 id="attempts">Attempts <span class="count">${attempts.length}</span></h2>
        <ol>
          ${attempts.map(attempt)}
        </ol>
      </section>`
