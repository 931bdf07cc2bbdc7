import { assetUrlsIn, digestsIn } from "./runtime/assets.ts"
import { listenToInspectors } from "./inspection.ts"
import { makeEvents, paperEventsIn } from "./fabric/events.ts"
import { makeShadowTree } from "./fabric/ShadowTree.ts"
import { makeSurface } from "./fabric/surface.ts"
import type { Responder } from "./fabric/uiManager.ts"
import { makeLayout } from "./fabric/yoga.ts"
import { ageOf, isForAndroid, phoneObstacle, versionIn, versionText } from "../../core/rules/bundleFormat.ts"
import { deliverPush, showDialog } from "./modules/dialogs.ts"
import type { Host } from "./modules/Host.ts"
import { installNative } from "./nativeGlobals.ts"
import { packs } from "./packs/registry.ts"
import { usesSqlite } from "./packs/sqlite.ts"
import { evaluate, makeAppGlobal } from "./runtime/appGlobal.ts"
import { makeCallable, makeCalls, type AppGlobal } from "./runtime/calls.ts"
import { listIn, methodOf } from "./runtime/decode.ts"
import {
  dimensions,
  isStartedWith,
  onSettings,
  outsideWindow,
  reading,
  setStartFlag,
  settings,
  system
} from "./runtime/device.ts"
import { loadLinkedFonts, loadSystemFont } from "./modules/fonts.ts"
import type { PageFont } from "./settings/fonts.ts"
import type { Lottie, Sqlite } from "./runtime/optionalScripts.ts"
import { makeNotes, type Notes } from "./runtime/notes.ts"
import { listenToTouches } from "./touch.ts"
import { decodeOrder, orderEvent, readPush } from "./settings/messages.ts"
import { components } from "./views/registry.ts"
import { stylesheet } from "./views/stylesheet.ts"

/** The number by which React Native knows the root. */
const rootTag = 11

const addStyle = (frame: HTMLElement): void => {
  const style = document.createElement("style")
  style.textContent = stylesheet
  document.head.append(style)
  frame.classList.add("phone", system.platform)
  // Whatever the document says of it.
  frame.style.display = "block"
}

/** What the app throws goes to the handler that it has for that, if it has come so far. */
const reportTo =
  (app: () => AppGlobal, startAgain: () => boolean) =>
  (error: unknown): void => {
    const report = methodOf(app()["ErrorUtils"], "reportFatalError")
    try {
      if (report !== undefined) report(error)
      else if (!startAgain()) reportError(error)
    } catch (thrown) {
      reportError(thrown)
    }
  }

const fetchText = async (url: string): Promise<string> => {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`The bundle could not be loaded: ${response.status}.`)
  return response.text()
}

/** A bundle of Metro for the web, which looks like a phone's. */
const runForTheWeb = (bundleUrl: string, notes: Notes): void => {
  notes.found("It is a bundle for the web, which the browser runs by itself.")
  const script = document.createElement("script")
  script.crossOrigin = "anonymous"
  script.src = bundleUrl
  document.body.append(script)
}

/** Runs the app that the bundle has registered; a person chooses one of several. */
const run = ({ app, callable, calls, notes, surface }: Host, hasFailed: boolean): void => {
  const registry = callable.module("AppRegistry") ?? app["RN$AppRegistry"]
  const [keys, start] = [methodOf(registry, "getAppKeys"), methodOf(registry, "runApplication")]
  const names = keys === undefined ? [] : listIn(calls.call(keys)).map(String)
  const [first, ...others] = names.filter((name) => name !== "LogBox")
  if (first === undefined || start === undefined) {
    if (hasFailed) return
    notes.obstacle("It ran to its end and registered no app: AppRegistry.registerComponent was never called.")
    return
  }
  const startOne = (name: string) =>
    calls.call(start, name, { rootTag, initialProps: {}, fabric: true, concurrentRoot: true })
  if (others.length === 0) {
    startOne(first)
    return
  }
  notes.line(`The bundle registers several apps: ${[first, ...others].join(", ")}.`)
  showDialog(surface.element, {
    place: "middle",
    title: "Several apps",
    message: "The bundle registers more than one. Choose which of them runs.",
    choices: [first, ...others].map((label) => ({ label, choose: () => void startOne(label) }))
  })
}

/** What a page can provide to apps that need it. */
interface Loaders {
  /** Where the page has a font, for Android and for icons. Without it, their texts have a font of the browser. */
  readonly fontUrl?: (name: PageFont) => string
  /** The paths of the app's fonts that are linked into its binary, beside its bundle. */
  readonly fontFiles?: ReadonlyArray<string>
  /** sql.js, for an app with databases. Without it, the queries of an app fail. */
  readonly loadSqlite?: () => Promise<Sqlite>
  /** lottie-web, for an app that shows a Lottie animation. Without it, the animation is a labelled box. */
  readonly loadLottie?: () => Promise<Lottie>
  /** The pack of Skia, for an app that has it. Without it, the app finds no Skia. */
  readonly loadSkia?: () => Promise<void>
}

/** Sets what the app is made for. Before React Native 0.81 (0.79 with Expo), its window on Android is between the bars. */
const setSystem = (bundle: string): void => {
  const { minor } = versionIn(bundle)
  system.platform = isForAndroid(bundle) ? "android" : "ios"
  const isBetween = system.platform === "android" && minor < (bundle.includes("ExpoModulesCore") ? 79 : 81)
  Object.assign(system, { isBelowStatusBar: isBetween, isAboveNavigationBar: isBetween })
}

/** Makes the frame as large as the window of the app. */
const placeWindow = (frame: HTMLElement): void => {
  const { bottom, left, right, top } = outsideWindow()
  // A height of the document's would put its lower end below the bar.
  Object.assign(frame.style, { inset: `${top}px ${right}px ${bottom}px ${left}px`, width: "auto", height: "auto" })
}

/**
 * Runs a React Native release bundle in an element, and draws it there: it does for the app what iOS or Android does on a
 * device. Resolves once the app has been started, or once the notes say why it can't be; rejects if the bundle can't be
 * loaded.
 *
 * - `frame` has its document to itself, such as that of an iframe: the document's size is the screen, and the app's restart
 *   reloads it.
 * - `bundle` is the URL of what `react-native bundle --dev false` wrote for iOS or Android.
 * - `assets` are the URLs of folders, each with a final slash, in which the app's files are looked for, in this order.
 * - `loaders` load what is large and what few apps use.
 *
 * What the phone finds out is dispatched on `frame` as a {@link noteEvent} that bubbles, with a `Note` as its detail. What
 * the app throws is reported as an uncaught error of the document.
 */
export const mountPhone = async (
  frame: HTMLElement,
  bundle: string,
  assets: ReadonlyArray<string>,
  loaders: Loaders = {}
): Promise<void> => {
  const notes = makeNotes(frame)
  const [yoga, text] = await Promise.all([makeLayout(), fetchText(bundle)])
  if (ageOf(text) === "none") {
    runForTheWeb(bundle, notes)
    return
  }
  const obstacle = phoneObstacle(text)
  if (obstacle !== undefined) {
    notes.obstacle(obstacle)
    return
  }
  notes.found(
    `${versionText(text)}: the app’s own JavaScript, drawn by an emulation of the phone. ` +
      "Fonts, controls, motion and what a device can do differ."
  )
  setSystem(text)
  if (loaders.fontUrl !== undefined) await loadSystemFont(loaders.fontUrl).catch(console.error)
  const sqlite = usesSqlite(text) ? await loaders.loadSqlite?.().catch(console.error) : undefined
  if (text.includes("RNSkiaModule")) await loaders.loadSkia?.().catch(console.error)
  addStyle(frame)
  placeWindow(frame)
  reading.isRtl = settings().isRtl || isStartedWith("rtl")

  let app: AppGlobal = {}
  const restart = (): void => {
    window.name = JSON.stringify(settings())
    location.reload()
  }
  const absent = new Set<string>()
  let isStartedAgain = false
  const startAgain = (): boolean => {
    if (isStartedAgain) return true
    if (tree.roots.length > 0 || absent.size === 0 || isStartedWith("stubs")) return false
    notes.line(`The app failed at its start without ${[...absent].join(", ")}: it starts again, with stubs for them.`)
    isStartedAgain = true
    setStartFlag("stubs", true)
    restart()
    return true
  }
  const tree = makeShadowTree()
  const calls = makeCalls(reportTo(() => app, startAgain))
  app = makeAppGlobal(calls)
  const callable = makeCallable(app, calls)
  listenToInspectors(tree)
  const events = makeEvents(tree, calls, notes, paperEventsIn(text))
  const assetUrls = assetUrlsIn(assets, digestsIn(text, system.platform))
  loadLinkedFonts(notes, assetUrls, loaders.fontUrl, loaders.fontFiles ?? [])
  const surface = makeSurface({
    tree,
    root: frame,
    yoga,
    events,
    notes,
    assetUrls,
    loadLottie: loaders.loadLottie,
    components: new Map(
      [components, ...packs.map((pack) => pack.components ?? {})].flatMap((named) => Object.entries(named))
    )
  })
  const responder: Responder = { isBlocking: false }
  const follows: Array<() => boolean> = [() => responder.isBlocking]
  const host: Host = {
    app,
    calls,
    callable,
    notes,
    surface,
    events,
    assetUrls,
    hybrids: new Map(packs.flatMap((pack) => Object.entries(pack.hybrids ?? {}))),
    ...(sqlite === undefined ? {} : { sqlite }),
    bundle: text,
    follows,
    absent,
    startAgain,
    restart
  }
  installNative(host, responder)
  listenToTouches(frame, events, () => follows.some((isFollowing) => isFollowing()))
  const resized = (): void => {
    placeWindow(frame)
    surface.layOut()
    callable.emit("didUpdateDimensions", dimensions())
  }
  window.addEventListener("resize", resized)
  onSettings(({ textSize }) => {
    if (textSize === settings().textSize) return
    surface.repaint()
    surface.remeasure()
    resized()
  })
  document.addEventListener(orderEvent, (event) => {
    const order = event instanceof CustomEvent ? decodeOrder(event.detail) : undefined
    if (order?.kind === "link") callable.emit("url", { url: order.url })
    if (order?.kind !== "push") return
    const push = readPush(order.json)
    if (typeof push !== "string") deliverPush(host, push)
  })
  document.fonts.addEventListener("loadingdone", surface.remeasure)

  let hasFailed = false
  window.addEventListener("error", () => {
    hasFailed = true
  })
  // A page that has asked meanwhile is answered, and so receives later notes.
  await new Promise((resolve) => setTimeout(resolve))
  notes.during("It may be in an endless loop: its bundle is still being evaluated.", () =>
    calls.call(() => evaluate(text, new URL(bundle, document.baseURI).href, app))
  )
  if (!isStartedAgain) run(host, hasFailed)
}
