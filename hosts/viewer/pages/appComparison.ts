import { DateTime, Effect } from "effect"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { Scope } from "../../../core/model/ApiKey.ts"
import { BuildId, type Platform } from "../../../core/model/Build.ts"
import { type GitProvenance, ShareId } from "../../../core/model/Preview.ts"
import { NotFound } from "../../../core/model/Problem.ts"
import { buildStatus } from "../../../core/rules/builds.ts"
import { defaultBranchOf } from "../../../core/rules/testHistory.ts"
import { Overview } from "../../../core/service/Overview.ts"
import { rightOf, type Visitor } from "../access/capability.ts"
import { goTo, type Path, paths, Site } from "../access/site.ts"
import { shownBuild, shownPreview } from "../content/shown.ts"
import { pairSection } from "../replay/replayPage.ts"
import { forAccount, idIn, idInPath } from "../session/account.ts"
import { gitParts, repositoryStep } from "../ui/facts.ts"
import { html, type Html, joinHtml, shortText, timeHtml } from "../ui/html.ts"
import { page, type PageContext, pageTitle } from "../ui/layout.ts"

/** How many other builds and previews are read to choose from, the newest ones. */
const maxOthers = 30

const builtApp = Effect.fnUntraced(function* (caller: Visitor, id: string) {
  const { build, framePath, repository, upload } = yield* shownBuild(caller, rightOf(caller), BuildId.make(id))
  if (framePath === undefined) return yield* NotFound.default
  return {
    id,
    kind: "build",
    page: paths.build(build.id),
    named: repository,
    branch: build.branch,
    commitSha: build.commitSha,
    platform: build.platform,
    createdAt: build.createdAt,
    device: upload.declaration.deviceSpec,
    framePath
  } satisfies ComparedApp
})

const namedBy = ({ owner, repo }: GitProvenance) =>
  owner === undefined || repo === undefined ? undefined : { owner, repo }

const previewedApp = Effect.fnUntraced(function* (caller: Visitor, id: string) {
  const { openings, preview } = yield* shownPreview(caller.account, rightOf(caller), ShareId.make(id))
  if (openings === undefined) return yield* NotFound.default
  const { deviceSpec, git, platform } = preview.declaration
  return {
    id,
    kind: "preview",
    page: paths.preview(preview.shareId),
    named: namedBy(git),
    branch: git.branch,
    commitSha: git.commitSha,
    platform,
    createdAt: preview.reservedAt,
    device: deviceSpec,
    framePath: openings.framePath
  } satisfies ComparedApp
})

/** The build or preview of an id, whichever the account has and the key may see. */
const anyApp = Effect.fnUntraced(function* (caller: Visitor, text: string) {
  const id = yield* idIn(text)
  if (caller.scopes.includes("preview_upload")) {
    const preview = yield* Effect.catchTag(previewedApp(caller, id), "NotFound", () => Effect.undefined)
    if (preview !== undefined) return preview
  }
  return caller.scopes.includes("builds") ? yield* builtApp(caller, id) : yield* NotFound.default
})

/** What an app can be compared with: ready builds and previews of its repository and platform, the newest first. */
const othersOf = Effect.fnUntraced(function* (caller: Visitor, { id, named, platform }: ComparedApp) {
  if (named === undefined) return { others: [], first: undefined }
  const overview = yield* Overview
  const now = yield* DateTime.now
  const { branches, previews, repository } = yield* Effect.all(
    {
      repository: Effect.catchTag(overview.repository(caller, named), "NotFound", () => Effect.succeed({})),
      branches: caller.scopes.includes("builds")
        ? overview.branches(caller, { repository: named, limit: maxOthers })
        : Effect.succeed([]),
      previews: caller.scopes.includes("preview_upload")
        ? Effect.map(
            overview.previews(caller, { ...named, isTestRun: false, limit: maxOthers }),
            (page) => page.previews
          )
        : Effect.succeed([])
    },
    { concurrency: "unbounded" }
  )
  const fits = (of: Platform | undefined): boolean => of === undefined || platform === undefined || of === platform
  const others: ReadonlyArray<OtherApp> = [
    ...branches
      .filter(({ build }) => buildStatus(build, now) === "ready" && fits(build.platform))
      .map(({ build }) => ({ ...build, kind: "build" as const })),
    ...previews
      .filter(({ declaration }) => fits(declaration.platform))
      .map(({ declaration: { git }, reservedAt, shareId }) => ({
        id: shareId,
        kind: "preview" as const,
        branch: git.branch,
        commitSha: git.commitSha,
        createdAt: reservedAt
      }))
  ]
    .filter((other) => other.id !== id)
    .toSorted((one, other) => DateTime.toEpochMillis(other.createdAt) - DateTime.toEpochMillis(one.createdAt))
  const known = others.flatMap(({ branch }) => (branch === undefined ? [] : [{ branch, ciRuns: 0 }]))
  const usual = defaultBranchOf(repository, known)
  return { others, first: others.find(({ branch }) => branch === usual) ?? others[0] }
})

const route = (
  path: "/builds/:id/compare" | "/previews/:id/compare",
  scopes: ReadonlyArray<Scope>,
  read: (caller: Visitor, id: string) => ReturnType<typeof builtApp> | ReturnType<typeof previewedApp>
) =>
  HttpRouter.route(
    "GET",
    path,
    forAccount(
      scopes,
      Effect.fnUntraced(function* (caller, context) {
        const { url } = yield* HttpServerRequest.HttpServerRequest
        const wanted = new URL(url, "http://viewer").searchParams.get("with")
        const app: ComparedApp = yield* read(caller, yield* idInPath)
        const { first, others } = yield* othersOf(caller, app)
        if (wanted === null && first !== undefined) {
          return goTo(yield* Site, paths.compareApps(app.page, first.id))
        }
        return appComparisonPage(context, app, wanted === null ? undefined : yield* anyApp(caller, wanted), others)
      })
    )
  )

/** Two apps side by side. */
export const routes = [
  route("/builds/:id/compare", ["builds"], builtApp),
  route("/previews/:id/compare", ["preview_upload"], previewedApp)
]

/** A build or preview that an app can be compared with. */
interface OtherApp {
  readonly id: string
  readonly kind: "build" | "preview"
  readonly branch?: string | undefined
  readonly commitSha?: string | undefined
  readonly createdAt: DateTime.Utc
}

/** One of the two apps. */
interface ComparedApp extends OtherApp {
  readonly page: Path
  /** The repository that the upload names. */
  readonly named: { readonly owner: string; readonly repo: string } | undefined
  readonly platform: Platform | undefined
  readonly device: { readonly width?: number; readonly height?: number } | undefined
  readonly framePath: string
}

const kinds = { build: "Build", preview: "Preview" }

const captionOf = (base: string, app: ComparedApp): Html =>
  html`<a href="${base + app.page}">${kinds[app.kind]}</a>
    ${joinHtml([...gitParts(undefined, app), timeHtml(app.createdAt)], " · ")}`

/** What an app is called in the list to choose from, as text. */
const labelOf = ({ branch, commitSha, createdAt, kind }: OtherApp): string =>
  [
    kinds[kind],
    branch === undefined ? undefined : shortText(branch, 60),
    commitSha?.slice(0, 7),
    DateTime.formatIso(createdAt).slice(0, 16).replace("T", " ")
  ]
    .filter((one) => one !== undefined)
    .join(" · ")

const chooser = (
  base: string,
  app: ComparedApp,
  other: ComparedApp | undefined,
  others: ReadonlyArray<OtherApp>
): Html => {
  const listed = other === undefined || others.some(({ id }) => id === other.id) ? others : [other, ...others]
  return html`<form class="comparing" method="get" action="${base + paths.compareApps(app.page)}">
    <label
      >Compare with
      <select name="with">
        ${listed.map(
          (one) => html`<option value="${one.id}" ${one.id === other?.id ? "selected" : ""}>${labelOf(one)}</option>`
        )}
      </select></label
    >
    <button class="quiet">Compare</button>
  </form>`
}

/** The page with an app beside another, if there is another. */
const appComparisonPage = (
  context: PageContext,
  app: ComparedApp,
  other: ComparedApp | undefined,
  others: ReadonlyArray<OtherApp>
): HttpServerResponse.HttpServerResponse => {
  const { base } = context.site
  const name = app.named?.repo ?? "Preview"
  const side = (one: ComparedApp) => ({
    title: one.branch ?? name,
    path: one.framePath,
    platform: one.platform,
    device: one.device,
    caption: captionOf(base, one)
  })
  return page(context, {
    title: `Compare ${app.branch === undefined ? name : `${shortText(app.branch, 60)}, ${name}`}`,
    trail: app.named === undefined ? [] : [repositoryStep(app.named)],
    script: other === undefined ? undefined : "replayPair",
    worker: other === undefined ? undefined : "listener",
    styles: ["replayPair"],
    main: html`${pageTitle({
      heading: html`Compare <bdi>${name}</bdi>`,
      actions: html`${
          other === undefined
            ? ""
            : html`<a class="button quiet" href="${base + paths.compareApps(other.page, app.id)}">Swap sides</a>`
        } <a class="button quiet" href="${base + app.page}">Back to the ${app.kind}</a>`
    })}
    ${
      other === undefined && others.length === 0
        ? html`<p class="none">
            There is nothing to compare it with: its repository has no other ready build or preview for its platform.
          </p>`
        : chooser(base, app, other, others)
    }
    ${other === undefined ? "" : pairSection(context, side(app), side(other))}`
  })
}
