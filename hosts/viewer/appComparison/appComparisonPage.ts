import { DateTime } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { Platform } from "../../../core/model/Build.ts"
import { paths, type Path } from "../access/paths.ts"
import { pairSection } from "../replay/pairSection.ts"
import { gitParts } from "../ui/git.ts"
import { html, joinHtml, type Html } from "../ui/html.ts"
import { page, type PageContext } from "../ui/layout.ts"
import { repositoryStep } from "../ui/repositoryStep.ts"
import { shortText, timeHtml } from "../ui/text.ts"
import { pageTitle } from "../ui/title.ts"

/** A build or preview that an app can be compared with. */
export interface OtherApp {
  readonly id: string
  readonly kind: "build" | "preview"
  readonly branch?: string | undefined
  readonly commitSha?: string | undefined
  readonly createdAt: DateTime.Utc
}

/** One of the two apps. */
export interface ComparedApp extends OtherApp {
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
export const appComparisonPage = (
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
