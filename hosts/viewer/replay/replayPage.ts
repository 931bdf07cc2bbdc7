import type { HttpServerResponse } from "effect/http"
import { html, type Html } from "../ui/html.ts"
import { paths, type Path } from "../access/paths.ts"
import { relativeUrl, type SourceMap } from "../content/entry.ts"
import { shownType } from "../content/contentType.ts"
import { document } from "../ui/document.ts"
import { contentOrigin, iconUrl, scriptOf, type PageContext } from "../ui/layout.ts"
import { deviceMenu, replayFrame, screenOf, toggle, tool, type RunningBundle } from "./deviceParts.ts"
import { inspectorPanel, networkPanel, storagePanel } from "./inspector/inspectorPanel.ts"
import { flowPanel, type FirstFlow } from "./flows/flowPanel.ts"
import { shortText } from "../ui/text.ts"

/** A recording that is shown if an app can't run. */
export interface Recorded {
  readonly name: string
  readonly contentType: string
  readonly source: string
}

/** The video of a recorded run, which is shown beside the app while that plays the run's steps. */
export interface RecordedRun {
  readonly source: string
  /** When each command had ended, and when the run ended or failed, in milliseconds of the video. */
  readonly moments: ReadonlyArray<number>
  readonly last: number
}

/** A running bundle with what was recorded of it. */
interface Running extends RunningBundle {
  /** The source map of the bundle. */
  readonly sourceMap?: SourceMap | undefined
  /** Its recordings. */
  readonly recordings?: ReadonlyArray<Recorded> | undefined
  /** What the tab of flows shows at first. */
  readonly flow?: FirstFlow | undefined
  readonly recordedRun?: RecordedRun | undefined
}

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

/** Without a script, the video is shown where the run ended too. */
const recordedVideo = ({ last, moments, source }: RecordedRun): Html =>
  html`<figure class="recorded-run">
    <video
      src="${source}#t=${last / 1000}"
      data-moments="${moments.join(" ")}"
      aria-label="The recorded run"
      controls
      muted
      playsinline
      preload="auto"
    ></video>
    <figcaption>Recorded run</figcaption>
  </figure>`

/** What is shown beside the device, in a tab of its own. Its script finds it as `.panel.NAME`. */
interface Panel {
  readonly name: string
  readonly label: string
  readonly body: Html
}

/** The tabs, the first of which is open. */
const panelsOf = ({ flow }: Running): ReadonlyArray<Panel> => [
  {
    name: "console",
    label: "Console",
    body: html`<div class="head">
        <span class="errors"></span>
        ${tool("clear", "Clear")}
      </div>
      <p class="none">Nothing was written so far.</p>
      <p class="dropped" hidden></p>
      <ol tabindex="0" aria-label="Lines" hidden></ol>`
  },
  {
    name: "missing",
    label: "Missing",
    body: html`<p class="none">The app asked for nothing that isn’t there.</p>
      <ul></ul>`
  },
  { name: "inspector", label: "Inspector", body: inspectorPanel() },
  { name: "network", label: "Network", body: networkPanel() },
  { name: "storage", label: "Storage", body: storagePanel() },
  { name: "flow", label: "Flow", body: flowPanel(flow) }
]

const panelTabs = (all: ReadonlyArray<Panel>): Html =>
  html`<div class="panels" hidden>
    <div role="tablist" aria-label="About the app">
      ${all.map(
        ({ label, name }, index) =>
          html`<button
            type="button"
            role="tab"
            id="tab-${name}"
            aria-controls="panel-${name}"
            aria-selected="${index === 0 ? "true" : "false"}"
            tabindex="${index === 0 ? 0 : -1}"
          >
            ${label} <span class="count"></span>
          </button>`
      )}
    </div>
    ${all.map(
      ({ body, name }, index) =>
        html`<div
          class="panel ${name}"
          role="tabpanel"
          id="panel-${name}"
          aria-labelledby="tab-${name}"
          ${index === 0 ? "" : "hidden"}
        >
          ${body}
        </div>`
    )}
  </div>`

/** What the script of {@link replaySection} imports when it needs it. */
export const importedByReplay = (sourceMap: SourceMap | undefined): ReadonlyArray<"flowParser" | "sourceNames"> =>
  sourceMap === undefined ? ["flowParser"] : ["flowParser", "sourceNames"]

/** Where the script finds the names of sources, if a source map was uploaded. */
const sourceMapData = (context: PageContext, { path, sourceMap }: Running): Html | string =>
  sourceMap === undefined
    ? ""
    : html`data-bundle="${relativeUrl(sourceMap.bundle)}"
      data-source-map="${path + relativeUrl(sourceMap.path).slice(2)}"
      data-source-names="${scriptOf(context, "sourceNames").url}"`

/**
 * The frame as a part of a page. The controls beside it need the page's script and are hidden without it. The template
 * contains what is shown if the app can't run.
 */
export const replaySection = (context: PageContext, running: Running): Html => {
  const { height, name, width } = screenOf(running)
  return html`<section
      class="device"
      aria-labelledby="replay"
      data-width="${width}"
      data-height="${height}"
      data-listener="${scriptOf(context, "listener").url}"
      data-flow-parser="${scriptOf(context, "flowParser").url}"
      ${sourceMapData(context, running)}
    >
      <h2 id="replay" class="unseen">Replay</h2>
      <div class="tools" role="group" aria-label="Device" hidden>
        <p class="state" role="status"></p>
        ${deviceMenu(running)} ${toggle("rotate", "Rotate")} ${toggle("grid", "Grid")} ${tool("alone", "Full screen")}
        ${tool("reload", "Reload")} ${tool("stop", "Stop")}
      </div>
      <div class="notice trouble" role="alert" hidden>
        <p></p>
        <pre class="why" dir="auto"></pre>
      </div>
      <div class="stage">
        <div class="bezel"><div class="screen">${replayFrame(running, name)}</div></div>
        ${running.recordedRun === undefined ? "" : recordedVideo(running.recordedRun)}
        <button type="button" class="leave" title="Esc" hidden>
          <span><strong>An uploaded app</strong>, not a part of Slipway</span>
          <span>Leave<span class="unseen"> the full screen</span> ✕</span>
        </button>
        <div class="instead" hidden></div>
      </div>
      <div class="beside">
        <p class="found" hidden></p>
        ${panelTabs(panelsOf(running))}
      </div>
      <template>${recordedInstead(running.recordings ?? [])}</template>
    </section>
    <div class="grid" hidden></div>`
}

/** Whose upload runs in the full window, and the page that it belongs to. */
interface Alone extends Running {
  /** `owner/repo`, as far as the upload names it. */
  readonly of: string
  readonly branch?: string | undefined
  readonly commitSha?: string | undefined
  /** The page, and what kind of page that is. */
  readonly page: Path
  readonly kind: "build" | "preview"
}

/**
 * The replay in the full window. An upload can imitate the viewer itself, so a bar says whose upload it is. The bar is
 * outside the frame, where the app can't reach it, and needs no script.
 */
export const replayPage = (context: PageContext, running: Alone): HttpServerResponse.HttpServerResponse => {
  const { branch = "", commitSha, kind, of, page, title } = running
  const { base } = context.site
  return document({
    title: `${title} ${shortText(branch, 60)} · Slipway`,
    styles: [context.assets.styleOf("replayAlone")],
    icon: iconUrl(context.site),
    contentOrigin: contentOrigin(context.site),
    script: scriptOf(context, "replayAlone"),
    body: html`<header>
        <p>
          <strong>An uploaded app, not a part of Slipway.</strong> Uploaded for
          <bdi>${of}</bdi>${commitSha === undefined ? "" : html` at <code>${commitSha.slice(0, 7)}</code>`}. Give it no
          key of yours.
        </p>
        <a href="${base + page}">Back to the ${kind}</a>
        <p class="stopped" role="alert" hidden>
          It posted more messages than a page can read, so it was stopped.
          <a href="${base + paths.replay(page)}">Run it again</a>
        </p>
      </header>
      <main>${replayFrame(running)}</main>`
  })
}
