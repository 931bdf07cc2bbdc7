import { Effect } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import { BuildId, type BuildReservation, type BuildView } from "../../../core/model/Build.ts"
import { NotFound } from "../../../core/model/Problem.ts"
import type { Repository } from "../../../core/model/Repository.ts"
import { sizeChangeText } from "../../../core/rules/amounts.ts"
import { sourceParts } from "../../../core/rules/attempts.ts"
import { Overview } from "../../../core/service/Overview.ts"
import { type Attempts, TestRuns } from "../../../core/service/TestRuns.ts"
import { rightOf } from "../access/capability.ts"
import { paths } from "../access/site.ts"
import { fileRef, flowFilesOf, refPath, sourceMapOf } from "../content/hosted.ts"
import { shownBuild, type ShownBuild } from "../content/shown.ts"
import { embedPage, importedByReplay, replayPage, replaySection } from "../replay/replayPage.ts"
import { forAccount, idInPath, latestRuns } from "../session/account.ts"
import { card, runList } from "../ui/lists.ts"
import { playedRun } from "./previews.ts"
import { counted } from "../ui/words.ts"
import {
  appHtml,
  bundleFacts,
  checkFacts,
  checkPill,
  ciFacts,
  code,
  deviceText,
  type Fact,
  factCard,
  factGroup,
  factList,
  factOf,
  fileSection,
  gitParts,
  keepForm,
  keptFact,
  pill,
  platforms,
  refreshSeconds,
  repositoryHtml,
  repositoryLink,
  repositoryStep,
  statuses,
  statusNotice,
  uploadActions
} from "../ui/facts.ts"
import { html, type Html, joinHtml, shortText, sizeText, timeHtml } from "../ui/html.ts"
import { page, type PageContext, pageTitle } from "../ui/layout.ts"

/** How many of a build's reservations are shown, the newest ones. */
const maxUploads = 20

/** How many of the builds before it, and of the runs of its commit, are shown, and how many of these runs are read. */
const [maxEarlier, maxRuns, maxRead] = [5, 10, 100]

const failedFirst = ([{ run: a }]: Attempts, [{ run: b }]: Attempts): number =>
  Number(b.status === "failed") - Number(a.status === "failed")

/** How many runs a build has in all, with links to their CI runs. */
const ciRunLinks = (base: string, repository: BuildView["repository"], runs: ReadonlyArray<Attempts>): Html => {
  const sources = [...new Set(runs.flatMap(([{ run }]) => run.source ?? []))].slice(0, maxEarlier)
  const links = sources.map(
    (source) =>
      html`<a href="${base + paths.source(repository, source)}"
        ><bdi>${shortText(sourceParts(source).ciRun, 60)}</bdi></a
      >`
  )
  return html`${maxRuns} of
  ${runs.length}${runs.length < maxRead ? "" : " or more"}${links.length === 0 ? "." : html`; all of ${joinHtml(links, ", ")}.`}`
}

/** A page about the build that the path names. */
const forBuild = (
  show: (
    context: PageContext,
    shown: ShownBuild,
    around: AroundBuild
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, NotFound>
) =>
  forAccount(
    ["builds"],
    Effect.fnUntraced(function* (caller, context) {
      const build = BuildId.make(yield* idInPath)
      const view = yield* shownBuild(caller, rightOf(caller), build)
      const overview = yield* Overview
      const { owner, repo } = view.repository
      const { app, branch, commitSha, platform } = view.build
      const mayRuns = caller.scopes.includes("test_runs")
      const around = yield* Effect.all(
        {
          linked: overview.repository(caller, { owner, repo }),
          uploads: overview.uploads(caller, build, maxUploads),
          earlier: Effect.map(
            overview.builds(caller, { owner, repo, branch, platform, app, after: build, limit: maxEarlier }),
            ({ builds }) => builds.filter((earlier) => earlier.build.app === app)
          ),
          runs: mayRuns
            ? (yield* TestRuns).list(caller, { owner, repo, filter: { app, commitSha }, limit: maxRead }).pipe(
                Effect.flatMap(({ runs }) =>
                  latestRuns(
                    caller,
                    runs.filter(({ run: { device } }) => (device?.platform ?? platform) === platform)
                  )
                ),
                Effect.map((tests) => tests.toSorted(failedFirst))
              )
            : Effect.undefined,
          played: playedRun(caller)
        },
        { concurrency: "unbounded" }
      )
      return yield* show(context, view, around)
    })
  )

export const routes = [
  HttpRouter.route(
    "GET",
    "/builds/:id",
    forBuild((...facts) => Effect.succeed(buildPage(...facts)))
  ),
  HttpRouter.route(
    "GET",
    "/builds/:id/replay",
    forBuild((context, shown) => {
      const running = runningBuild(shown)
      const { build, repository } = shown
      return running === undefined
        ? Effect.fail(NotFound.default)
        : Effect.succeed(
            replayPage(context, {
              ...running,
              of: `${repository.owner}/${repository.repo}`,
              branch: build.branch,
              commitSha: build.commitSha,
              page: paths.build(build.id),
              kind: "build"
            })
          )
    })
  ),
  HttpRouter.route(
    "GET",
    "/builds/:id/embed",
    forAccount(
      ["builds"],
      Effect.fnUntraced(function* (caller, context) {
        const id = BuildId.make(yield* idInPath)
        const shown = yield* shownBuild(caller, rightOf(caller), id)
        return yield* embedPage(context, paths.replay(paths.build(id)), runningBuild(shown))
      })
    )
  )
]

/** The app of a build, once it is ready. */
export const runningBuild = ({ build, framePath, repository, upload }: ShownBuild) =>
  framePath === undefined
    ? undefined
    : { title: repository.repo, platform: build.platform, device: upload.declaration.deviceSpec, path: framePath }

/** The labelled facts of a build. */
const factsOf = (
  { shared, site }: PageContext,
  { build, repository, status, upload }: ShownBuild
): ReadonlyArray<Fact> => {
  const replay = paths.replay(paths.build(build.id))
  return [
    ["Status", statuses[status].label],
    ["Repository", repositoryHtml(repository)],
    ["Branch", code(build.branch)],
    ["Commit", code(build.commitSha)],
    ...factOf("App", build.app, (app) => html`<bdi>${app}</bdi>`),
    ...(shared === true ? [] : ciFacts(upload.declaration)),
    ["Platform", platforms[build.platform]],
    ...factOf("Device", upload.declaration.deviceSpec, deviceText),
    ...checkFacts(upload.declaration.replayCheck),
    ["Created", timeHtml(build.createdAt)],
    ["Updated", timeHtml(upload.finalizedAt ?? upload.reservedAt)],
    ...factOf("Ready", build.readyAt, timeHtml),
    ...(shared === true ? [] : keptFact(build.keptAt)),
    ...(shared === true ? [] : [["Page", code(site.url + paths.build(build.id))] as const]),
    ...(status === "ready" && shared !== true
      ? [["Replay", html`<a href="${site.base + replay}"><code>${site.url + replay}</code></a>`] as const]
      : [])
  ]
}

/** The uploads of a build, the latest first, with their content and status. */
const uploadSection = (uploads: ReadonlyArray<BuildReservation>): Html | undefined =>
  uploads.length < 2
    ? undefined
    : html`<section class="card" aria-labelledby="uploads">
        <h2 id="uploads">Uploads <span class="count">${uploads.length}</span></h2>
        <ul class="list">
          ${uploads.map(
            ({ declaration, finalizedAt, reservedAt }) =>
              html`<li>
                <span>
                  <span class="name">${timeHtml(reservedAt)}</span>
                  <span class="type">
                    ${sizeText(declaration.bundleSizeBytes)}, ${counted(declaration.files.length, "file")}, SHA-256
                    <code>${declaration.contentHash.slice(0, 12)}…</code>
                  </span>
                </span>
                ${finalizedAt === undefined ? pill("uploading", "Not finished") : ""}
              </li>`
          )}
        </ul>
      </section>`

/** What the page of a build shows beside it to people of its account. */
interface AroundBuild {
  /** Its repository with its settings. */
  readonly linked?: Repository | undefined
  readonly uploads?: ReadonlyArray<BuildReservation>
  /** The builds of its branch and platform before it, the latest first. */
  readonly earlier?: ReadonlyArray<BuildView>
  /** The runs of its commit, app and platform, those that failed first; `undefined` for a key that may not see runs. */
  readonly runs?: ReadonlyArray<Attempts> | undefined
  /** The run whose steps are played on it. */
  readonly played?: Effect.Success<ReturnType<typeof playedRun>>
}

const sizesOf = ({ upload: { declaration } }: BuildView) => ({
  bundle: declaration.bundleSizeBytes,
  total: declaration.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, declaration.bundleSizeBytes)
})

/** The builds before this one, and how much larger this one is. */
const earlierSection = (base: string, now: BuildView, earlier: ReadonlyArray<BuildView>): Html | undefined => {
  const size = sizesOf(now)
  return earlier.length === 0
    ? undefined
    : card(
        "earlier",
        "Earlier builds of the branch",
        html`<ul class="list">
          ${earlier.map((view) => {
            const before = sizesOf(view)
            return html`<li>
              <a href="${base + paths.build(view.build.id)}">
                <span class="name">${code(view.build.commitSha.slice(0, 7))}</span>
                <span class="type">${timeHtml(view.build.createdAt)} · ${sizeText(before.total)}</span>
              </a>
              <span class="type">
                This build: ${sizeChangeText(size.total, before.total)}<br />
                Its bundle: ${sizeChangeText(size.bundle, before.bundle)}
              </span>
            </li>`
          })}
        </ul>`
      )
}

/** The facts of a build and, if it is ready, the running build. */
export const buildPage = (
  context: PageContext,
  shown: ShownBuild,
  { earlier = [], linked, played, runs = [], uploads = [] }: AroundBuild = {}
): HttpServerResponse.HttpServerResponse => {
  const { build, filesPath, framePath, repository, status, upload } = shown
  const { declaration } = upload
  const branch = shortText(build.branch, 60)
  const platform = platforms[build.platform]
  return page(context, {
    title: `${platform} build of ${branch}, ${repository.repo}`,
    preview:
      context.shared === true
        ? { title: `${platform} build of ${branch}`, description: statuses[status].label, site_name: context.site.name }
        : undefined,
    trail: context.shared === true ? [] : [repositoryStep(repository)],
    refreshSeconds: refreshSeconds(status),
    script: status === "uploading" ? "ready" : framePath === undefined ? undefined : "replay",
    worker: framePath === undefined ? undefined : "listener",
    imported: framePath === undefined ? undefined : importedByReplay(sourceMapOf(declaration)),
    styles: ["replay"],
    main: html`${pageTitle({
        heading: html`${platform} build of ${gitParts(linked, { branch: build.branch })}`,
        status: status === "ready" ? checkPill(declaration.replayCheck) : pill(status, statuses[status].label),
        at: joinHtml(
          [
            context.shared === true ? repositoryHtml(repository) : repositoryLink(context.site.base, repository),
            ...appHtml(build),
            // A share link names no people.
            ...gitParts(linked, { ...(context.shared === true ? {} : declaration), commitSha: build.commitSha }),
            timeHtml(build.createdAt)
          ],
          " · "
        ),
        actions: uploadActions(context, {
          isOpened: framePath !== undefined,
          keptAt: build.keptAt,
          path: paths.build(build.id)
        }),
        watched: status,
        below: html`${statusNotice(status)}
        ${context.shared === true || framePath === undefined ? "" : keepForm(context, paths.build(build.id), build.keptAt)}`
      })}
      <div class="columns">
        ${framePath === undefined ? "" : replaySection(context, { title: repository.repo, platform: build.platform, device: declaration.deviceSpec, path: framePath, sourceMap: sourceMapOf(declaration), flowFiles: flowFilesOf(declaration.files), ...played })}
        <div class="stack">
          ${factCard(framePath === undefined, factList(factsOf(context, shown)))}
          ${
            runs.length === 0
              ? ""
              : card(
                  "runs",
                  "Test runs of this commit",
                  html`${runList(context.site.base, runs.slice(0, maxRuns), { withRepository: false })}
                  ${runs.length <= maxRuns ? "" : html`<p class="type">${ciRunLinks(context.site.base, repository, runs)}</p>`}`
                )
          }
          ${earlierSection(context.site.base, shown, earlier)} ${uploadSection(uploads)}
        </div>
      </div>
      <div class="columns split below">
        ${fileSection(declaration.files, ({ path }) => (filesPath === undefined ? undefined : { asUploaded: filesPath + refPath(fileRef(path)) }))}
        <div class="card">${factGroup("Bundle", bundleFacts(declaration))}</div>
      </div>`
  })
}
