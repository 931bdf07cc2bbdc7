/** The page of a test run. */
import { DateTime, Effect, Option } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import type { Caller, Reader } from "../../../core/model/ApiKey.ts"
import { Platform } from "../../../core/model/Build.ts"
import { NotFound, type InvalidRequest, type Unavailable } from "../../../core/model/Problem.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import {
  type RunAttempt,
  type RunDevice,
  type TestRun,
  TestRunId,
  type TestRunView
} from "../../../core/model/TestRun.ts"
import type { PastRun, TestHistory } from "../../../core/model/TestHistory.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { attemptName } from "../../../core/rules/attempts.ts"
import { hasApp } from "../../../core/rules/imports.ts"
import { defaultBranchOf } from "../../../core/rules/testHistory.ts"
import { startOf, testIdOf } from "../../../core/rules/testRuns.ts"
import { Builds } from "../../../core/service/Builds.ts"
import { Overview } from "../../../core/service/Overview.ts"
import { Previews } from "../../../core/service/Previews.ts"
import { TestHistories } from "../../../core/service/TestHistories.ts"
import { type Attempts, TestRuns } from "../../../core/service/TestRuns.ts"
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
import { html, type Html, joinHtml, durationText, shortText, timeHtml } from "../ui/html.ts"
import { attemptLink, platformText, runName, statusPills } from "../ui/lists.ts"

/** How many earlier runs of a test are offered to compare with. */
const maxEarlier = 20

/** The runs of the test of a run before and after it; `passed` are those that passed, first on its branch, then on any. */
const runsNearby = Effect.fnUntraced(function* (caller: Caller, { run }: TestRunView) {
  const histories = yield* TestHistories
  const id = testIdOf(run)
  const loaded = yield* Effect.all(
    {
      neighbours: (yield* Overview).neighbours(caller, run.id),
      all: histories.findEach(caller, [id]),
      onBranch: run.branch === undefined ? Effect.succeed([]) : histories.findEach(caller, [id], run.branch)
    },
    { concurrency: "unbounded" }
  )
  const start = startOf(run)
  const before = ([history]: ReadonlyArray<TestHistory>) =>
    (history?.results ?? [])
      .flatMap(({ runs }) => runs)
      .filter(({ at, runId }) => at < start || (at === start && runId < run.id))
      .toSorted((a, b) => b.at - a.at || (a.runId < b.runId ? 1 : -1))
  const isPass = ({ status }: PastRun): boolean => status === "passed"
  const earlier = before(loaded.all)
  return {
    previous: Option.getOrUndefined(loaded.neighbours.previous),
    next: Option.getOrUndefined(loaded.neighbours.next),
    earlier: earlier.slice(0, maxEarlier),
    passed: { onBranch: before(loaded.onBranch).find(isPass), onAny: earlier.filter(isPass) }
  }
})

/** The run that passed before on the branch of a run, else on the default branch, else on any. */
const lastPass = (
  repository: Pick<Repository, "defaultBranch">,
  { onAny, onBranch }: Effect.Success<ReturnType<typeof runsNearby>>["passed"]
): PastRun | undefined => {
  const branches = onAny.flatMap(({ branch }) => (branch === undefined ? [] : [{ branch, ciRuns: 1 }]))
  const base = defaultBranchOf(repository, branches)
  return onBranch ?? onAny.find(({ branch }) => branch === base) ?? onAny[0]
}

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

/** How many of the newest uploads of a repository are examined for a commit, besides its builds of the branch. */
const maxUploads = 50

/** The app of a commit: a build, else a preview. */
export interface CommitApp {
  readonly name: "build" | "preview"
  readonly path: Path
  readonly app: string | undefined
  readonly platform: Platform | undefined
}

/** An app on a platform; `undefined` is any platform. */
type Wanted = Pick<CommitApp, "app" | "platform">

/** What a run needs of its commit. */
export const wantedBy = ({ app, device }: TestRun): Wanted => ({
  app,
  platform: device?.platform === "ios" || device?.platform === "android" ? device.platform : undefined
})

/** Finds what was uploaded of a commit to run its tests on, each once: imported runs have no app of their own. */
export const appsOfCommit = Effect.fnUntraced(function* (
  caller: Caller,
  {
    branch,
    commitSha,
    owner,
    repo
  }: Pick<Repository, "owner" | "repo"> & {
    readonly branch?: string | undefined
    readonly commitSha?: TestRun["commitSha"] | undefined
  },
  all: ReadonlyArray<Wanted>
): Effect.fn.Return<ReadonlyArray<CommitApp>, InvalidRequest | Unavailable, Builds | Overview> {
  if (commitSha === undefined) return []
  const named = { owner, repo }
  const overview = yield* Overview
  const builds = yield* Builds
  const [mayBuilds, mayPreviews] = (["builds", "preview_upload"] as const).map((scope) => caller.scopes.includes(scope))
  const newest = yield* Effect.all({
    builds:
      mayBuilds === true ? overview.builds(caller, { ...named, limit: maxUploads }) : Effect.succeed({ builds: [] }),
    previews:
      mayPreviews === true
        ? overview.previews(caller, { ...named, isTestRun: false, limit: maxUploads })
        : Effect.succeed({ previews: [] })
  })
  const ofBranch = Effect.fnUntraced(function* ({ app, platform }: Wanted) {
    if (branch === undefined || mayBuilds !== true) return []
    const ready = yield* Effect.forEach(platform === undefined ? Platform.literals : [platform], (one) =>
      builds.findReady(caller, {
        ...named,
        identity: { branch, commitSha, platform: one, ...withoutUndefined({ app }) }
      })
    )
    return ready.flatMap(Option.toArray)
  })
  const apps = yield* Effect.forEach(all, (wanted) =>
    Effect.map(ofBranch(wanted), (exact): ReadonlyArray<CommitApp> => {
      const fits = (one: { readonly commitSha?: string | undefined } & Partial<Wanted>) =>
        one.commitSha === commitSha &&
        one.app === wanted.app &&
        (wanted.platform === undefined || one.platform === undefined || one.platform === wanted.platform)
      const [build] = [
        ...exact,
        ...newest.builds.builds.map(({ build }) => build).filter((one) => one.readyAt !== undefined && fits(one))
      ]
      if (build !== undefined) {
        return [{ name: "build", path: paths.build(build.id), app: build.app, platform: build.platform }]
      }
      const preview = newest.previews.previews.find(({ declaration: { git, platform } }) => fits({ ...git, platform }))
      return preview === undefined ? [] : [{ name: "preview", path: paths.preview(preview.shareId), ...wanted }]
    })
  )
  return Array.from(new Map(apps.flat().map((one) => [one.path, one])).values())
})

const show = forAccount(
  ["test_runs"],
  Effect.fnUntraced(function* (caller, context) {
    const runs = yield* TestRuns
    const view = yield* runs.read(caller, TestRunId.make(yield* idInPath))
    const { linked, nearby, preview, tests } = yield* Effect.all(
      {
        linked: (yield* Overview).repository(caller, view.repository),
        nearby: runsNearby(caller, view),
        preview: runPreviewFor(caller, view),
        tests: runs.attempts(caller, [view])
      },
      { concurrency: "unbounded" }
    )
    const isAppMissing = preview === "deleted" || (preview !== undefined && !hasApp(preview.preview))
    const apps = isAppMissing
      ? yield* appsOfCommit(caller, { ...view.repository, ...view.run }, [wantedBy(view.run)])
      : []
    return runPage(context, { ...view, repository: linked }, preview, {
      ...nearby,
      lastPassed: lastPass(linked, nearby.passed),
      attempts: tests[0] ?? [view],
      app: apps[0]
    })
  })
)

export const routes = [HttpRouter.route("GET", "/runs/:id", show)]

/** A device as text: `iPhone 16, ios 18.2`; `undefined` if nothing is known about it. */
export const deviceOf = ({ name, osVersion, platform }: RunDevice): string | undefined => {
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
 * page has several; `replayOn` is the app to replay its steps on; `moment` is the time of a step on the clock of the page.
 */
export const failure = (
  { shared, site }: PageContext,
  run: TestRun,
  recorded: RecordedSteps | undefined,
  {
    heading = "Failure",
    id = "failure",
    moment = momentOf,
    replayOn
  }: {
    readonly heading?: string
    readonly id?: string
    readonly moment?: (step: Step) => number
    readonly replayOn?: { readonly name: CommitApp["name"]; readonly path: Path } | undefined
  } = {}
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
      replayOn === undefined || shared === true || recorded === undefined || recorded.commands.length === 0
        ? ""
        : html`<p>
            <a href="${site.base + replayOn.path}">Replay these steps on the ${replayOn.name}</a>
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
  const replayOn = isOpened
    ? ({ name: "preview", path: paths.replaySteps(paths.preview(run.previewShareId)) } as const)
    : nearby?.app && { name: nearby.app.name, path: paths.replaySteps(nearby.app.path, run.id) }
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
            ...(run.device?.platform === undefined ? [] : [html`<bdi>${platformText(run.device.platform)}</bdi>`]),
            html`${runKinds[run.kind]} run`,
            context.shared === true ? repositoryHtml(repository) : repositoryLink(base, repository),
            // A share link names no people.
            ...(context.shared === true
              ? gitParts(undefined, { branch: run.branch, commitSha: run.commitSha, pr: run.pr })
              : gitParts(repository, run)),
            ...(run.durationMs === undefined ? [] : [html`${durationText(run.durationMs)}`]),
            timeHtml(run.startedAt ?? run.createdAt)
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
          ? trace(run, recordings, preview.recorded, failure(context, run, preview.recorded, { replayOn }))
          : failure(context, run, preview?.recorded, { replayOn })
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
  readonly earlier: ReadonlyArray<PastRun>
  readonly lastPassed: PastRun | undefined
  /** The attempts at the test in its CI run. */
  readonly attempts: Attempts
  /** The page with the app of its commit; `undefined` if none was uploaded. */
  readonly app?: CommitApp | undefined
}

const link = (base: string, { run }: TestRunView, label: string, rel: "prev" | "next"): Html =>
  html`<a href="${base + paths.run(run.id)}" rel="${rel}">${label}</a>
    <span class="type">${runOutcome(run).label}, ${timeHtml(run.startedAt ?? run.createdAt)}</span>`

const option = ({ at, branch, commitSha, runId, status }: PastRun): Html => {
  const began = DateTime.formatIso(DateTime.makeUnsafe(at)).slice(0, 16).replace("T", " ")
  const of = [
    ...(branch === undefined ? [] : [` on ${shortText(branch, 40)}`]),
    ...(commitSha === undefined ? [] : [` at ${commitSha.slice(0, 7)}`])
  ]
  return html`<option value="${runId}">${runStatuses[status]}, ${began} UTC${of.join("")}</option>`
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
  { lastPassed, next, previous }: NearbyRuns
): Html => {
  if (status === "passed" && next?.run.status === "failed") {
    return html`<a class="button" href="${base + paths.compare(id, next.run.id)}"
      >Compare with the next run, which failed</a
    >`
  }
  const other = lastPassed?.runId ?? previous?.run.id
  if (other === undefined) return html``
  const isPass = lastPassed !== undefined || previous?.run.status === "passed"
  return html`<a
    class="button${status === "passed" && isPass ? " quiet" : ""}"
    href="${base + paths.compare(other, id)}"
    >Compare with the ${isPass ? "last one that passed" : "previous run"}</a
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
