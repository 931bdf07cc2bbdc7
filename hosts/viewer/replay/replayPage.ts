import type { HttpServerResponse } from "effect/http"
import { html, type Html } from "../ui/html.ts"
import type { BuildView } from "../../../core/model/Build.ts"
import { paths } from "../access/paths.ts"
import { shownType } from "../content/contentType.ts"
import { frameAllows } from "../content/contentPolicy.ts"
import { document } from "../ui/document.ts"
import { contentOrigin, iconUrl, scriptOf, type PageContext } from "../ui/layout.ts"
import { shortText } from "../ui/text.ts"

/** A recording that is shown if an app can't run. */
export interface Recorded {
  readonly name: string
  readonly contentType: string
  readonly source: string
}

/** A running bundle: its title, the path of its documents, and its target screen. */
interface Running {
  readonly title: string
  readonly path: string
  readonly device: { readonly width?: number; readonly height?: number } | undefined
  /** Its recordings. */
  readonly recordings?: ReadonlyArray<Recorded> | undefined
}

/** The default screen, in CSS pixels. */
const commonDevice = { width: 390, height: 844 }

const screenOf = ({ device }: Running): { readonly width: number; readonly height: number } => {
  const { height, width } = { ...commonDevice, ...device }
  return { width: Math.round(width), height: Math.round(height) }
}

/**
 * The frame that runs a bundle. It may run scripts, but has no origin, opens no windows and can't navigate the page.
 */
const replayFrame = (running: Running): Html => {
  const { height, width } = screenOf(running)
  return html`<iframe
    src="${running.path}"
    title="${running.title} running"
    sandbox="allow-scripts"
    allow="${frameAllows}"
    referrerpolicy="no-referrer"
    width="${width}"
    height="${height}"
  ></iframe>`
}

const tool = (name: string, label: string): Html =>
  html`<button type="button" class="quiet" data-do="${name}">${label}</button>`

const toggle = (name: string, label: string): Html =>
  html`<button type="button" class="quiet" data-do="${name}" aria-pressed="false">${label}</button>`

/** How many recordings are shown if an app can't run. */
const mostRecordings = 3

const recordedFigure = ({ contentType, name, source }: Recorded): ReadonlyArray<Html> => {
  const type = shownType(contentType, name)
  const caption = html`<figcaption><bdi>${name}</bdi></figcaption>`
  if (/^image\//i.test(type)) return [html`<figure><img src="${source}" alt="${name}" />${caption}</figure>`]
  return /^video\//i.test(type)
    ? [html`<figure><video src="${source}" aria-label="${name}" controls playsinline></video>${caption}</figure>`]
    : []
}

const recordedInstead = (recordings: ReadonlyArray<Recorded>): Html | undefined => {
  const shown = recordings.flatMap(recordedFigure).slice(0, mostRecordings)
  return shown.length === 0
    ? undefined
    : html`<h3>Its recordings</h3>
        ${shown}
        <p><a href="#recordings">All recordings</a></p>`
}

/**
 * The frame as a part of a page. The controls beside it need the page's script and are hidden without it. The template
 * contains what is shown if the app can't run.
 */
export const replaySection = (context: PageContext, running: Running): Html => {
  const { height, width } = screenOf(running)
  return html`<section
    class="device"
    aria-labelledby="replay"
    data-width="${width}"
    data-height="${height}"
    data-listener="${scriptOf(context, "listener").url}"
  >
    <h2 id="replay" class="unseen">Replay</h2>
    <div class="tools" role="group" aria-label="Device" hidden>
      <p class="state" role="status"></p>
      ${toggle("rotate", "Rotate")} ${toggle("dark", "Dark")} ${toggle("size", "Actual size")}
      ${tool("alone", "Full screen")} ${tool("reload", "Reload")} ${tool("stop", "Stop")}
    </div>
    <p class="found" hidden></p>
    <details class="missing" hidden>
      <summary>What the app asked for that isn’t there</summary>
      <ul></ul>
    </details>
    <div class="notice trouble" role="alert" hidden>
      <p></p>
      <pre class="why" dir="auto"></pre>
    </div>
    <div class="stage">
      <div class="screen">${replayFrame(running)}</div>
      <button type="button" class="leave" title="Esc" hidden>
        <span><strong>An uploaded app</strong>, not a part of Slipway</span>
        <span>Leave<span class="unseen"> the full screen</span> ✕</span>
      </button>
      <div class="instead" hidden></div>
      <section class="console" aria-labelledby="console" hidden>
        <div class="head">
          <h3 id="console">Console</h3>
          <span class="errors"></span>
          ${tool("clear", "Clear")}
        </div>
        <p class="none">Nothing was written so far.</p>
        <p class="dropped" hidden></p>
        <ol tabindex="0" aria-label="Lines" hidden></ol>
      </section>
    </div>
    <template>${recordedInstead(running.recordings ?? [])}</template>
  </section>`
}

/**
 * The replay in the full window. An upload can imitate the viewer itself, so a bar says whose upload it is. The bar is
 * outside the frame, where the app can't reach it, and needs no script.
 */
export const replayPage = (
  context: PageContext,
  { build, repository, upload }: BuildView,
  framePath: string
): HttpServerResponse.HttpServerResponse => {
  const { owner, repo } = repository
  const { base } = context.site
  return document({
    title: `${repo} ${shortText(build.branch, 60)} · Slipway`,
    styles: [context.assets.styleOf("replayAlone")],
    icon: iconUrl(context.site),
    contentOrigin: contentOrigin(context.site),
    script: scriptOf(context, "replayAlone"),
    body: html`<header>
        <p>
          <strong>An uploaded app, not a part of Slipway.</strong> Uploaded for <bdi>${owner}/${repo}</bdi> at
          <code>${build.commitSha.slice(0, 7)}</code>. Give it no key of yours.
        </p>
        <a href="${base + paths.build(build.id)}">Back to the build</a>
        <p class="stopped" role="alert" hidden>
          It posted more messages than a page can read, so it was stopped.
          <a href="${base + paths.buildReplay(build.id)}">Run it again</a>
        </p>
      </header>
      <main>${replayFrame({ title: repo, device: upload.declaration.deviceSpec, path: framePath })}</main>`
  })
}
