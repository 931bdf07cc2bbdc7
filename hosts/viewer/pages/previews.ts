import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { Caller } from "../../../core/model/ApiKey.ts"
import { type GitProvenance, type Recording, ShareId } from "../../../core/model/Preview.ts"
import { NotFound } from "../../../core/model/Problem.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import { TestRunId, type TestRunView } from "../../../core/model/TestRun.ts"
import { isBilled } from "../../../core/rules/builds.ts"
import { isFlaky, testIdOf } from "../../../core/rules/testRuns.ts"
import { Overview } from "../../../core/service/Overview.ts"
import { TestRuns } from "../../../core/service/TestRuns.ts"
import { rightOf, type Visitor } from "../access/capability.ts"
import { paths } from "../access/site.ts"
import { bundleRef, fileRef, flowFilesOf, recordingRef, sourceMapOf } from "../content/hosted.ts"
import { firstScreenshot, type Openings, recordingCards, shownPreview, type ShownPreview } from "../content/shown.ts"
import {
  type FirstFlow,
  importedByReplay,
  type Recorded,
  type RecordedRun,
  embedPage,
  replayPage,
  replaySection
} from "../replay/replayPage.ts"
import { forAccount, idInPath, ifAllowed } from "../session/account.ts"
import { recordedSteps, type RecordedSteps } from "../trace/recordedSteps.ts"
import { failingStep, momentOf } from "../trace/steps.ts"
import { counted } from "../ui/words.ts"
import {
  appHtml,
  bundleFacts,
  checkFacts,
  checkPill,
  ciFacts,
  code,
  deviceText,
  factCard,
  factGroup,
  factOf,
  fileSection,
  gitParts,
  keepForm,
  keptFact,
  pill,
  platforms,
  refreshSeconds,
  repositoryLink,
  repositoryStep,
  statuses,
  statusNotice,
  uploadActions
} from "../ui/facts.ts"
import { html, type Html, joinHtml, shortText, timeHtml } from "../ui/html.ts"
import { messagePage, page, type PageContext, pageTitle } from "../ui/layout.ts"
import { runList } from "../ui/lists.ts"

/** The repository that a preview names, if it is linked to the account: a preview may name any repository. */
const linked = Effect.fnUntraced(function* (caller: Caller, named: Pick<Repository, "owner" | "repo">) {
  const overview = yield* Overview
  return yield* overview.repository(caller, named).pipe(Effect.catchTag("NotFound", () => Effect.undefined))
})

const show = forAccount(
  ["preview_upload"],
  Effect.fnUntraced(function* (caller, context) {
    const overview = yield* Overview
    const preview = ShareId.make(yield* idInPath)
    const shown = yield* Effect.catchTag(
      shownPreview(caller.account, rightOf(caller), preview),
      "NotFound",
      () => Effect.undefined
    )
    if (shown === undefined) {
      // Runs are kept when their preview is deleted, so an existing run shows that there was one.
      const [run] = yield* overview.runsOf(caller, preview, 1)
      return run === undefined
        ? yield* NotFound.default
        : previewDeletedPage(context, caller.scopes.includes("test_runs") ? run : undefined)
    }
    const { owner, repo } = shown.preview.declaration.git
    const facts = yield* Effect.all(
      {
        played: playedRun(caller, shown),
        runs: ifAllowed(caller, "test_runs", overview.runsOf(caller, preview, maxRuns + 1)),
        repository: owner === undefined || repo === undefined ? Effect.undefined : linked(caller, { owner, repo })
      },
      { concurrency: "unbounded" }
    )
    return previewPage(context, shown, facts)
  })
)

/** The app of a preview in the full window. */
const showAlone = forAccount(
  ["preview_upload"],
  Effect.fnUntraced(function* (caller, context) {
    const id = ShareId.make(yield* idInPath)
    const shown = yield* shownPreview(caller.account, rightOf(caller), id)
    const running = runningPreview(shown)
    if (running === undefined) return yield* NotFound.default
    const { branch, commitSha, owner, repo } = shown.preview.declaration.git
    return replayPage(context, {
      ...running,
      of: [owner, repo].filter((name) => name !== undefined).join("/") || "no repository",
      branch,
      commitSha,
      page: paths.preview(id),
      kind: "preview"
    })
  })
)

const showEmbedded = forAccount(
  ["preview_upload"],
  Effect.fnUntraced(function* (caller, context) {
    const id = ShareId.make(yield* idInPath)
    const shown = yield* shownPreview(caller.account, rightOf(caller), id)
    return yield* embedPage(context, paths.replay(paths.preview(id)), runningPreview(shown))
  })
)

export const routes = [
  HttpRouter.route("GET", "/previews/:id", show),
  HttpRouter.route("GET", "/previews/:id/replay", showAlone),
  HttpRouter.route("GET", "/previews/:id/embed", showEmbedded)
]

/** The app of a preview, once it is ready. */
export const runningPreview = ({ openings, preview: { declaration } }: ShownPreview) =>
  openings === undefined
    ? undefined
    : {
        title: declaration.git.repo ?? "Preview",
        platform: declaration.platform,
        device: declaration.deviceSpec,
        path: openings.framePath
      }

/** The origin, creation time and target device of a preview. */
const provenance = (
  { shared, site }: PageContext,
  { preview: { declaration, finalizedAt, keptAt, reservedAt, shareId }, status }: ShownPreview
): ReadonlyArray<Html | undefined> => {
  const { deviceSpec, git, platform } = declaration
  return [
    factGroup("Git", [
      ...factOf("Owner", git.owner, (owner) => html`<bdi>${owner}</bdi>`),
      ...factOf("Repository", git.repo, (repo) => html`<bdi>${repo}</bdi>`),
      ...factOf("Branch", git.branch, code),
      ...factOf("Commit", git.commitSha, code),
      ...factOf("Pull request", git.pr, (pr) => `#${pr}`),
      ...factOf("App", git.app, (app) => html`<bdi>${app}</bdi>`),
      ...(shared === true ? [] : ciFacts(git))
    ]),
    factGroup("Preview", [
      ["Status", statuses[status].label],
      ["Created", timeHtml(reservedAt)],
      ...factOf("Ready", finalizedAt, timeHtml),
      ...(shared === true ? [] : keptFact(keptAt)),
      ...(shared === true ? [] : [["Page", code(site.url + paths.preview(shareId))] as const])
    ]),
    factGroup("Replay check", checkFacts(declaration.replayCheck)),
    factGroup("Device", [
      ...factOf("Platform", platform, (one) => platforms[one]),
      ...factOf("Screen", deviceSpec, deviceText)
    ])
  ]
}

/** The content of a preview and its billing, if an account is signed in. */
const particulars = (
  { account }: PageContext,
  { openings, preview }: ShownPreview
): ReadonlyArray<Html | undefined> => [
  factGroup("Bundle", [
    ...bundleFacts(preview.declaration),
    ...factOf("As uploaded", openings?.asUploaded(bundleRef), (url) => html`<a href="${url}">Open the bundle</a>`)
  ]),
  account === undefined
    ? undefined
    : factGroup("Account", [
        ["Name", html`<bdi>${account.name}</bdi>`],
        ["Id", code(account.id)],
        ...factOf("Billing", preview.declaration.billingKind, (kind) =>
          isBilled(preview) ? "Counted as a test run" : code(kind)
        )
      ])
]

const heading = ({ branch }: GitProvenance, repository: Repository | undefined): Html =>
  branch === undefined ? html`Preview` : html`Preview of ${gitParts(repository, { branch })}`

/** The repository that the upload names. */
const declaredRepository = ({ owner, repo }: GitProvenance): Html =>
  repo === undefined ? html`No repository` : html`<bdi>${owner === undefined ? repo : `${owner}/${repo}`}</bdi>`

const recorded = (recordings: ReadonlyArray<Recording>, { load }: Openings): ReadonlyArray<Recorded> =>
  recordings.map(({ contentType, name }, index) => ({ name, contentType, source: load(recordingRef(index)) }))

const flowOf = (
  { shared, site }: PageContext,
  { preview: { declaration, shareId } }: ShownPreview,
  steps: RecordedSteps | undefined
): FirstFlow | undefined => {
  if (steps !== undefined) return steps
  const hasEvents = declaration.recordings.some(({ kind }) => kind === "events")
  return hasEvents && shared !== true ? { url: site.base + paths.replaySteps(paths.preview(shareId)) } : undefined
}

/** The first video of the recordings, where the steps of its run are played. */
const recordedRun = ({ openings, preview }: ShownPreview, recorded: RecordedSteps): RecordedRun | undefined => {
  const index = preview.declaration.recordings.findIndex(
    ({ contentType, kind }) => kind === "video" && /^video\//i.test(contentType)
  )
  const video = preview.declaration.recordings[index]
  if (openings === undefined || video === undefined) return undefined
  const { moments, steps } = recorded
  const end = failingStep(steps, undefined) ?? steps.at(-1)
  const inVideo = (moment: number): number => Math.max(0, Math.round(moment - (video.startedAtMs ?? 0)))
  return {
    source: openings.load(recordingRef(index)),
    moments: moments.map(inVideo),
    last: inVideo(end === undefined ? (moments.at(-1) ?? 0) : momentOf(end))
  }
}

/** The steps of a run, and its video, which a page plays on its app. */
interface PlayedRun {
  readonly flow: RecordedSteps
  readonly recordedRun: RecordedRun | undefined
}

/**
 * What `?steps` in the address of a page asks to play on its app: the recorded run of its own preview, or that of an id, which may be of
 * another preview of the account.
 */
export const playedRun = Effect.fnUntraced(function* (caller: Visitor, current?: ShownPreview) {
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const id = new URL(url, "http://viewer").searchParams.get("steps")
  if (id === null) return undefined
  const mayRead = caller.scopes.includes("test_runs") && caller.scopes.includes("preview_upload")
  const shown =
    id === ""
      ? current
      : mayRead
        ? yield* (yield* TestRuns).read(caller, TestRunId.make(id)).pipe(
            Effect.flatMap(({ run }) => shownPreview(caller.account, rightOf(caller), run.previewShareId)),
            Effect.catchTag("NotFound", () => Effect.undefined)
          )
        : undefined
  if (shown === undefined) return undefined
  const flow = yield* recordedSteps(shown.preview)
  return { flow, recordedRun: recordedRun(shown, flow) } satisfies PlayedRun
})

/** How many of the runs of a preview are shown, the newest. Whether there are more is known if one more is given. */
const maxRuns = 20

/**
 * How the tests ended that ran on the preview, as a link to the run that decided it. The latest run of a test decides whether it
 * failed; one that also failed is flaky. Among more runs than are read, only failures are reported.
 */
const outcome = (base: string, runs: ReadonlyArray<TestRunView>): Html | undefined => {
  const none = (): Array<TestRunView> => []
  const [tests, failed, quarantined, flaky] = [none(), none(), none(), none()]
  for (const [latest, ...earlier] of Map.groupBy(runs, ({ run }) => testIdOf(run)).values()) {
    if (latest === undefined) continue
    tests.push(latest)
    if (latest.run.quarantined === true) quarantined.push(latest)
    else if (latest.run.status === "failed") failed.push(latest)
    else if (isFlaky(latest.run) || earlier.some(({ run }) => run.status === "failed")) flaky.push(latest)
  }
  const worst = Object.entries({ failed, quarantined, flaky }).find(([, some]) => some.length > 0)
  const [status, of] = worst ?? ["passed", tests]
  const isWhole = runs.length <= maxRuns
  const [first, ...others] = of
  if (first === undefined || (!isWhole && status !== "failed")) return undefined
  const path = others.length === 0 ? base + paths.run(first.run.id) : "#runs"
  const label =
    tests.length === 1
      ? `Test ${status}`
      : status === "passed" || !isWhole
        ? `${counted(of.length, "test")} ${status}`
        : `${of.length} of ${tests.length} tests ${status}`
  return html`<a class="pill ${status}" href="${path}">${label}</a>`
}

/** The runs of a preview. They are near the top, because people who come from a run go back to it. */
const runSection = (base: string, runs: ReadonlyArray<TestRunView>): Html | undefined =>
  runs.length === 0
    ? undefined
    : html`<section class="card" aria-labelledby="runs">
        <h2 id="runs">Test runs <span class="count">${runs.length > maxRuns ? `${maxRuns}+` : runs.length}</span></h2>
        ${runList(
          base,
          runs.slice(0, maxRuns).map((run) => [run]),
          { withRepository: false }
        )}
      </section>`

/**
 * A preview's facts in groups, its runs and, if it is ready, the running preview. It links to the repository if that
 * belongs to the account.
 */
export const previewPage = (
  context: PageContext,
  shown: ShownPreview,
  {
    played,
    repository,
    runs = []
  }: {
    readonly repository?: Repository | undefined
    readonly runs?: ReadonlyArray<TestRunView> | undefined
    readonly played?: PlayedRun | undefined
  } = {}
): HttpServerResponse.HttpServerResponse => {
  const { openings, preview, status } = shown
  const { base } = context.site
  const { deviceSpec, files, git, platform, recordings } = preview.declaration
  const title = git.repo ?? "Preview"
  return page(context, {
    title: git.branch === undefined ? `Preview of ${title}` : `Preview of ${shortText(git.branch, 60)}, ${title}`,
    preview:
      context.shared === true
        ? {
            title: git.branch === undefined ? "Preview" : `Preview of ${shortText(git.branch, 60)}`,
            description: statuses[status].label,
            site_name: context.site.name,
            ...firstScreenshot(context.site, shown)
          }
        : undefined,
    trail: repository === undefined ? [] : [repositoryStep(repository)],
    refreshSeconds: refreshSeconds(status),
    script: status === "uploading" ? "ready" : openings === undefined ? undefined : "replay",
    worker: openings === undefined ? undefined : "listener",
    imported: openings === undefined ? undefined : importedByReplay(sourceMapOf(preview.declaration)),
    styles: ["recordings", "replay"],
    main: html`${pageTitle({
        heading: heading(git, repository),
        status: html`${outcome(base, runs)}
        ${status === "ready" ? checkPill(preview.declaration.replayCheck) : pill(status, statuses[status].label)}`,
        at: joinHtml(
          [
            ...(repository === undefined ? [declaredRepository(git)] : [repositoryLink(base, repository)]),
            ...appHtml(git),
            ...(platform === undefined ? [] : [html`${platforms[platform]}`]),
            ...gitParts(
              repository,
              // A share link names no people.
              context.shared === true ? { commitSha: git.commitSha, pr: git.pr } : { ...git, branch: undefined }
            ),
            timeHtml(preview.reservedAt)
          ],
          " · "
        ),
        actions: uploadActions(context, {
          isOpened: openings !== undefined,
          keptAt: preview.keptAt,
          path: paths.preview(preview.shareId)
        }),
        watched: status,
        below: html`${statusNotice(status)}
        ${
          context.shared === true || openings === undefined
            ? ""
            : keepForm(context, paths.preview(preview.shareId), preview.keptAt)
        }`
      })}
      <div class="columns">
        ${openings === undefined ? "" : replaySection(context, { title, platform, device: deviceSpec, path: openings.framePath, sourceMap: sourceMapOf(preview.declaration), flowFiles: flowFilesOf(preview.declaration.files), recordings: recorded(recordings, openings), flow: flowOf(context, shown, played?.flow), recordedRun: played?.recordedRun })}
        <div class="stack">
          ${runSection(base, runs)}
          ${factCard(openings === undefined, html`<div class="groups">${provenance(context, shown)}</div>`)}
        </div>
      </div>
      <div class="stack below">
        ${recordingCards(recordings, openings)}
        <div class="columns split">
          ${fileSection(files, ({ path }) =>
            openings === undefined
              ? undefined
              : { view: openings.view(fileRef(path)), asUploaded: openings.asUploaded(fileRef(path)) }
          )}
          <div class="card groups">${particulars(context, shown)}</div>
        </div>
      </div>`
  })
}

/** The page of a deleted preview that still has runs: `run` is the newest, if the caller may see it. */
const previewDeletedPage = (
  context: PageContext,
  run: TestRunView | undefined
): HttpServerResponse.HttpServerResponse =>
  messagePage(context, {
    status: 410,
    title: "This preview was deleted",
    text: "Its bundle, its files and its recordings were deleted. Its test runs are kept.",
    link: run && { to: paths.run(run.run.id), label: "See the test run" }
  })
