/**
 * `npm run bench:newest [-- --scratch FOLDER] [--platform android] [--kept]`: installs the newest React Native and the newest version of each library of
 * the table, bundles an app that uses each on a screen of its own, and opens it in a Chromium. It writes the table of
 * `docs/replay.md`, and fails if a library does less than that said before. `--kept` bundles what is installed already.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type Browser, chromium } from "playwright-core"
import { byReactNative, install } from "../../phone/fixtures/bundlers.ts"
import type { Note } from "../../phone/runtime/notes.ts"
import { appAt, serve } from "../../phone/testing/pages.ts"
import { viewerFrame } from "./frame.ts"

/** A library, and how the app uses it: the JavaScript returns a text, a promise of one, or an element. */
interface Library {
  readonly name: string
  readonly use: string
  /** Packages that it needs besides. */
  readonly besides?: ReadonlyArray<string>
}

const uses: Readonly<Record<string, string>> = {
  "@amplitude/analytics-react-native": `return M.init("k").promise.then(() => { M.track("a"); return "tracked" })`,
  "@braze/react-native-sdk": `const B = M.default; B.logCustomEvent("a"); B.changeUser("u"); return "logged"`,
  "@datadog/mobile-react-native": `const c = new M.CoreConfiguration("t", "e"); return M.DdSdkReactNative.initialize(c).then(() => M.DdLogs.info("hi")).then(() => "logged")`,
  "@gorhom/bottom-sheet": `const G = require("react-native-gesture-handler"); return h(G.GestureHandlerRootView, { style: { height: 400 } }, h(M.default, { snapPoints: ["50%"], index: 0 }, h(M.BottomSheetView, {}, h(RN.Text, {}, "in the sheet"))))`,
  "@nozbe/watermelondb": `const { default: A } = require("@nozbe/watermelondb/adapters/sqlite"); const { appSchema, tableSchema } = M; const a = new A({ schema: appSchema({ version: 1, tables: [tableSchema({ name: "boats", columns: [{ name: "name", type: "string" }] })] }), dbName: "a", jsi: false }); class Boat extends M.Model { static table = "boats" }; const db = new M.Database({ adapter: a, modelClasses: [Boat] }); return db.get("boats").query().fetchCount().then((n) => "boats " + n)`,
  "@op-engineering/op-sqlite": `const d = M.open({ name: "a" }); return d.execute("select 1+1 as two").then((r) => "two " + r.rows[0].two)`,
  "@react-native-async-storage/async-storage": `const s = M.default; return s.setItem("a", "b").then(() => s.getItem("a"))`,
  "@react-native-camera-roll/camera-roll": `return M.CameraRoll.getPhotos({ first: 1 }).then(({ edges }) => "photos " + edges.length)`,
  "@react-native-clipboard/clipboard": `M.default.setString("halyard"); return M.default.getString()`,
  "@react-native-community/datetimepicker": `return h(M.default, { value: new Date(0), mode: "date" })`,
  "@react-native-community/geolocation": `return new Promise((done, fail) => M.default.getCurrentPosition(({ coords }) => done("at " + coords.latitude), fail))`,
  "@react-native-community/netinfo": `return M.default.fetch().then(({ type }) => type)`,
  "@react-native-community/slider": `return h(M.default, { value: 0.5, style: { width: 200, height: 40 } })`,
  "@react-native-cookies/cookies": `const C = M.default ?? M; return C.set("https://a.example", { name: "a", value: "b" }).then(() => C.get("https://a.example")).then((all) => "cookie " + all.a?.value)`,
  "@react-native-firebase/app": `return String(M.getApps().length)`,
  "@react-native-firebase/messaging": `const { getApp } = require("@react-native-firebase/app"); return M.getToken(M.getMessaging(getApp()))`,
  "@react-native-menu/menu": `return h(M.MenuView, { actions: [{ id: "a", title: "Sail" }], style: { width: 100, height: 40 } }, h(RN.Text, {}, "Menu"))`,
  "@react-native-picker/picker": `return h(M.Picker, { selectedValue: "a" }, h(M.Picker.Item, { label: "Ketch", value: "a" }))`,
  "@react-native-vector-icons/ionicons": `return h(M.Ionicons ?? M.default, { name: "boat", size: 40 })`,
  "@rnmapbox/maps": `return h(M.MapView ?? M.default.MapView, { style: { height: 100 } })`,
  "@segment/analytics-react-native": `const c = M.createClient({ writeKey: "w" }); return c.track("a").then(() => "tracked")`,
  "@sentry/react-native": `M.init({ dsn: "https://key@sentry.example/1" }); return M.captureException(new Error("aground"))`,
  "@shopify/flash-list": `return h(RN.View, { style: { height: 200 } }, h(M.FlashList, { data: [1, 2, 3], renderItem: ({ item }) => h(RN.Text, {}, "row " + item) }))`,
  "@shopify/react-native-skia": `return h(M.Canvas, { style: { width: 100, height: 100 } }, h(M.Circle, { cx: 50, cy: 50, r: 40 }))`,
  "lottie-react-native": `return h(M.default, { source: { v: "5", fr: 10, ip: 0, op: 10, w: 10, h: 10, layers: [{ ty: 1, sw: 10, sh: 10, sc: "#ff0000", ip: 0, op: 10, st: 0, ks: {} }] }, style: { width: 50, height: 50 } })`,
  "mixpanel-react-native": `const m = new M.Mixpanel("t", false); return m.init().then(() => { m.track("a", {}); return "tracked" })`,
  "react-native-adjust": `const c = new M.AdjustConfig("t", M.AdjustConfig.EnvironmentSandbox); M.Adjust.initSdk(c); M.Adjust.trackEvent(new M.AdjustEvent("e")); return new Promise((d) => M.Adjust.getAdid((x) => d("adid " + x)))`,
  "react-native-appsflyer": `return new Promise((done, fail) => M.default.initSdk({ devKey: "k", appId: "1", isDebug: false }, (r) => done("init " + r), fail))`,
  "react-native-background-fetch": `const B = M.default; return B.configure({ minimumFetchInterval: 15 }, () => {}, () => {}).then((s) => "status " + s)`,
  "react-native-background-timer": `return new Promise((done) => M.default.setTimeout(() => done("rang"), 50))`,
  "react-native-biometrics": `const B = M.default; return new B().isSensorAvailable().then((r) => "sensor " + r.available + " " + r.biometryType)`,
  "react-native-blob-util": `const { fs } = M.default; const at = fs.dirs.DocumentDir + "/a.txt"; return fs.writeFile(at, "calm", "utf8").then(() => fs.readFile(at, "utf8"))`,
  "react-native-bootsplash": `return M.default.hide({ fade: true }).then(() => "hidden")`,
  "react-native-bottom-tabs": `return h(RN.View, { style: { height: 300 } }, h(M.default, { navigationState: { index: 0, routes: [{ key: "a", title: "Quay" }] }, onIndexChange() {}, renderScene: () => h(RN.Text, {}, "scene") }))`,
  "react-native-branch": `return M.default.getLatestReferringParams().then((it) => "params " + JSON.stringify(it))`,
  "react-native-calendars": `return h(M.Calendar, { current: "2026-11-29" })`,
  "react-native-code-push": `const C = M.default ?? M; return C.getUpdateMetadata().then((u) => "update " + u)`,
  "react-native-config": `return String(M.default.API_URL)`,
  "react-native-context-menu-view": `return h(M.default, { actions: [{ title: "Copy" }] }, h(RN.View, { style: { width: 100, height: 50, backgroundColor: "wheat" } }))`,
  "react-native-date-picker": `return h(M.default, { date: new Date(0), onDateChange() {}, mode: "date" })`,
  "react-native-device-info": `return M.default.getModel() + " " + M.default.hasNotch()`,
  "react-native-encrypted-storage": `const E = M.default; return E.setItem("a", "b").then(() => E.getItem("a"))`,
  "react-native-fs": `const at = M.DocumentDirectoryPath + "/a.txt"; return M.writeFile(at, "calm").then(() => M.readFile(at))`,
  "react-native-gesture-handler": `return h(M.GestureHandlerRootView, {}, h(M.GestureDetector, { gesture: M.Gesture.Tap() }, h(RN.View, { style: { width: 40, height: 40, backgroundColor: "navy" } })))`,
  "react-native-get-random-values": `return String(crypto.getRandomValues(new Uint8Array(9)).some((one) => one > 0))`,
  "react-native-gifted-charts": `return h(M.BarChart, { data: [{ value: 5, label: "a" }, { value: 9, label: "b" }], width: 200 })`,
  "react-native-google-mobile-ads": `return M.default().initialize().then((all) => "ads " + all.length)`,
  "react-native-haptic-feedback": `M.default.trigger("impactLight"); return "felt"`,
  "react-native-image-picker": `return typeof M.launchImageLibrary`,
  "react-native-keyboard-controller": `return h(M.KeyboardProvider, {}, h(RN.Text, {}, "above the keys"))`,
  "react-native-keychain": `return M.setGenericPassword("ada", "secret").then(() => M.getGenericPassword()).then(({ password }) => password)`,
  "react-native-linear-gradient": `return h(M.default, { colors: ["red", "blue"], style: { width: 100, height: 40 } })`,
  "react-native-localize": `return M.getLocales()[0].languageCode`,
  "react-native-maps": `return h(M.default, { style: { width: 200, height: 100 } })`,
  "react-native-mmkv": `const s = M.createMMKV(); s.set("a", "b"); return s.getString("a")`,
  "react-native-modal": `return h(M.default, { isVisible: true }, h(RN.Text, {}, "in the modal"))`,
  "react-native-nfc-manager": `const N = M.default; return N.isSupported().then((s) => "nfc " + s)`,
  "react-native-nitro-sqlite": `const d = M.open({ name: "a" }); return "rows " + d.execute("select 1").rows.length`,
  "react-native-orientation-locker": `return new Promise((done) => M.default.getOrientation(done))`,
  "react-native-pager-view": `return h(M.default, { style: { height: 60 }, initialPage: 0 }, h(RN.View, { key: "1" }, h(RN.Text, {}, "page one")))`,
  "react-native-paper": `return h(M.PaperProvider, {}, h(RN.View, {}, h(M.Button, { icon: "camera", mode: "contained" }, "Sail"), h(M.Switch, { value: true }), h(M.Appbar.Header, {}, h(M.Appbar.Content, { title: "Bar" })), h(M.TextInput, { label: "Name", value: "" })))`,
  "react-native-pdf": `return h(M.default, { source: { uri: "https://a.example/a.pdf" }, style: { width: 100, height: 100 } })`,
  "react-native-permissions": `return M.check(M.PERMISSIONS.IOS.CAMERA ?? M.PERMISSIONS.ANDROID.CAMERA)`,
  "react-native-purchases": `M.default.configure({ apiKey: "appl_replay" }); return M.default.getOfferings().then(() => "offers")`,
  "react-native-qrcode-svg": `return h(M.default, { value: "halyard", size: 120 })`,
  "react-native-quick-sqlite": `const d = M.open({ name: "a" }); return "rows " + d.execute("select 1").rows.length`,
  "react-native-reanimated": `const Moving = () => { const x = M.useSharedValue(0); const style = M.useAnimatedStyle(() => ({ width: 40 + x.value, height: 20, backgroundColor: "teal" })); React.useEffect(() => { x.value = M.withTiming(60) }, []); return h(M.default.View, { style }) }; return h(Moving)`,
  "react-native-safe-area-context": `return h(M.SafeAreaProvider, { style: { height: 40 } }, h(M.SafeAreaView, {}, h(RN.Text, {}, "safe")))`,
  "react-native-screens": `return h(M.ScreenStack, { style: { height: 80 } }, h(M.Screen, { style: { flex: 1 } }, h(RN.Text, {}, "screen")))`,
  "react-native-share": `return typeof M.default.open`,
  "react-native-sqlite-storage": `const S = M.default ?? M; S.enablePromise?.(true); return S.openDatabase({ name: "a.db" }).then((db) => db.executeSql("select 1+1 as two")).then(([r]) => "two " + r.rows.item(0).two)`,
  "react-native-svg": `return h(M.default, { width: 40, height: 40 }, h(M.Circle, { cx: 20, cy: 20, r: 18, fill: "red" }))`,
  "react-native-tab-view": `return h(RN.View, { style: { height: 200 } }, h(M.TabView, { navigationState: { index: 0, routes: [{ key: "a", title: "Quay" }, { key: "b", title: "Sea" }] }, onIndexChange() {}, renderScene: () => h(RN.Text, {}, "scene") }))`,
  "react-native-track-player": `const T = M.default; return T.setupPlayer().then(() => T.add([{ url: "https://a.example/a.mp3", title: "a", artist: "b" }])).then(() => T.play()).then(() => "playing")`,
  "react-native-video": `return h(M.default, { source: { uri: "https://a.example/a.mp4" }, style: { width: 100, height: 60 } })`,
  "react-native-vision-camera": `return String(Object.keys(M).length > 0 && (M.Camera.getCameraPermissionStatus?.() ?? "loaded"))`,
  "react-native-webrtc": `const peer = new M.RTCPeerConnection({}); return peer.createOffer({}).then(() => "offer")`,
  "react-native-webview": `return h(M.WebView, { source: { html: "<p>Ahoy" }, style: { width: 200, height: 60 } })`,
  "react-native-worklets": `return new Promise((done) => M.scheduleOnUI(() => { "worklet"; M.scheduleOnRN(done, "both ways") }))`,
  realm: `const at = M.default ?? M; return at.open({ schema: [{ name: "Boat", properties: { name: "string" } }] }).then((r) => "boats " + r.objects("Boat").length)`,
  "victory-native": `return h(RN.View, { style: { height: 150 } }, h(M.CartesianChart, { data: [{ x: 1, y: 2 }, { x: 2, y: 5 }], xKey: "x", yKeys: ["y"] }, ({ points }) => h(M.Line, { points: points.y, color: "red", strokeWidth: 3 })))`,
  zeego: `const D = require("zeego/dropdown-menu"); return h(D.Root, {}, h(D.Trigger, {}, h(RN.Text, {}, "Open")), h(D.Content, {}, h(D.Item, { key: "a" }, h(D.ItemTitle, {}, "Copy"))))`
}

const besides: Readonly<Record<string, ReadonlyArray<string>>> = {
  "react-native-mmkv": ["react-native-nitro-modules"],
  "react-native-vision-camera": ["react-native-nitro-modules", "react-native-nitro-image"],
  "@react-native-firebase/messaging": ["@react-native-firebase/app"],
  "@segment/analytics-react-native": ["@segment/sovran-react-native"],
  "react-native-nitro-sqlite": ["react-native-nitro-modules"],
  zeego: ["react-native-ios-context-menu", "react-native-ios-utilities"]
}

const libraries: ReadonlyArray<Library> = Object.entries(uses).map(([name, use]) => ({
  name,
  use,
  besides: besides[name] ?? []
}))

/** The app: a screen for each library, whose errors are texts. */
const appOf = (all: ReadonlyArray<Library>): string => `import React from "react"
import * as RN from "react-native"
const h = React.createElement
const uses = {
${all.map(({ name, use }) => `  ${JSON.stringify(name)}: () => { const M = require(${JSON.stringify(name)}); ${use} }`).join(",\n")}
}
class Guard extends React.Component {
  state = { error: undefined }
  static getDerivedStateFromError(error) { return { error } }
  render() { return this.state.error === undefined ? this.props.children : h(RN.Text, { testID: "said" }, "failed: " + (this.state.error?.message ?? this.state.error)) }
}
const said = (text) => h(RN.Text, { testID: "said" }, String(text))
const App = () => {
  const [shown, show] = React.useState(undefined)
  const use = (name) => {
    const fail = (error) => show(said("failed: " + (error?.message ?? error)))
    show(undefined)
    try {
      const used = uses[name]()
      if (React.isValidElement(used)) show(h(Guard, { key: name }, h(RN.View, { testID: "drawn", style: { minHeight: 100 } }, used), said("drawn")))
      else Promise.resolve(used).then((text) => show(said("answers: " + text)), fail)
    } catch (error) { fail(error) }
  }
  return h(RN.View, { style: { flex: 1, paddingTop: 60 } },
    h(RN.View, { style: { flexDirection: "row", flexWrap: "wrap" } },
      Object.keys(uses).map((name) => h(RN.Text, { key: name, testID: "use " + name, style: { fontSize: 9, margin: 3 }, onPress: () => use(name) }, name.slice(-8)))),
    shown)
}
RN.AppRegistry.registerComponent("Newest", () => App)
`

/** How much of a library a replay does, from the best. */
const outcomes = ["works", "says what is missing", "is silent", "throws"] as const
type Outcome = (typeof outcomes)[number]

/** What came of a library. */
interface Tried {
  readonly name: string
  readonly version: string
  readonly outcome: Outcome
  readonly detail: string
}

const { values } = parseArgs({
  options: {
    scratch: { type: "string", default: join(tmpdir(), "slipway-newest") },
    platform: { type: "string", default: "ios" },
    kept: { type: "boolean", default: false }
  }
})
const folder = values.scratch
const platform = values.platform === "android" ? "android" : "ios"

const versionOf = (name: string): string => {
  const manifest = join(folder, "node_modules", name, "package.json")
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, "utf8")).version : "not installed"
}

/** Installs the newest versions of everything, each as npm has it now. */
const installNewest = (): void => {
  mkdirSync(folder, { recursive: true })
  const own = [
    "react-native",
    "@react-native/babel-preset",
    "@react-native/metro-config",
    "@react-native-community/cli"
  ]
  const names = libraries.flatMap(({ besides: more = [], name }) => [name, ...more])
  // The plugins of React Native and Worklets are for Babel 7.
  const tools = { "@babel/core": "^7", "@babel/runtime": "^7" }
  const dependencies = { ...tools, ...Object.fromEntries([...own, ...names].map((name) => [name, "latest"])) }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "newest", private: true, dependencies }))
  // Peers of libraries lag behind the newest React Native; its own React is installed.
  install(folder, undefined, ["--legacy-peer-deps"])
  const { peerDependencies } = JSON.parse(readFileSync(join(folder, "node_modules/react-native/package.json"), "utf8"))
  const react = String(peerDependencies.react).replace(/^\D+/, "")
  install(folder, undefined, ["--legacy-peer-deps", `react@${react}`])
}

/** Bundles the app; a library whose files can't be bundled is left out, with the reason. */
const bundleNewest = (): { readonly script: Uint8Array; readonly left: ReadonlyMap<string, string> } => {
  writeFileSync(
    join(folder, "babel.config.js"),
    `module.exports = { presets: ["module:@react-native/babel-preset"], plugins: ["react-native-worklets/plugin"] }`
  )
  writeFileSync(
    join(folder, "metro.config.js"),
    `module.exports = require("@react-native/metro-config").getDefaultConfig(__dirname)`
  )
  const left = new Map<string, string>()
  for (;;) {
    writeFileSync(join(folder, "index.js"), appOf(libraries.filter(({ name }) => !left.has(name))))
    try {
      const { script } = byReactNative(folder, "index.js", join(folder, "out"), platform, {
        isCached: values.kept || left.size > 0,
        output: "pipe"
      })
      return { script: readFileSync(script), left }
    } catch (error) {
      const text = String(error instanceof Error && "stderr" in error ? error.stderr : error)
      const name = libraries.find((one) => !left.has(one.name) && text.includes(`node_modules/${one.name}/`))?.name
      const reason =
        /(?:SyntaxError|Unable to resolve module|error:?) ?([^\n]{1,120})/i.exec(text)?.[1] ?? "it can't be bundled"
      const missing = libraries.find((one) => !left.has(one.name) && text.includes(`"${one.name}"`))?.name
      const culprit = name ?? missing
      if (culprit === undefined) throw error
      left.set(culprit, reason)
    }
  }
}

/** What the page of an app reports, beside its screen. */
interface Report {
  readonly errors: ReadonlyArray<string>
  readonly missing: ReadonlyArray<string>
}

const tryLibrary = async (browser: Browser, url: string, { name }: Library): Promise<Tried> => {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
  const errors: Array<string> = []
  const missing: Array<string> = []
  page.on("pageerror", (error) => errors.push(error.message))
  await page.exposeFunction("newestNote", (note: Note) => {
    if (note.kind === "missing") missing.push(`${note.what} ${note.name}`)
    if (note.kind === "crashed" || note.kind === "obstacle") errors.push(note.text.split("\n")[0] ?? "")
  })
  await page.addInitScript(() => {
    document.addEventListener("phone-note", (event) => {
      if (event instanceof CustomEvent) void Reflect.get(globalThis, "newestNote")(event.detail)
    })
  })
  const of = { name, version: versionOf(name) }
  try {
    await page.goto(url)
    const button = page.getByTestId(`use ${name}`)
    await button.waitFor({ timeout: 20_000 })
    errors.length = 0
    missing.length = 0
    await button.click()
    const text = await page
      .getByTestId("said")
      .textContent({ timeout: 8000 })
      .catch(() => null)
    if (text === "drawn") await page.waitForTimeout(1000)
    const dialogs = await page.getByRole("alertdialog").count()
    const seen = text === "drawn" ? dialogs + (await page.getByTestId("drawn").evaluate(inkOf)) : 1
    const report: Report = { errors, missing }
    return { ...of, ...judged(text ?? undefined, seen, report) }
  } catch (error) {
    return { ...of, outcome: "throws", detail: [...errors, String(error)][0]?.split("\n")[0] ?? "" }
  } finally {
    await page.close()
  }
}

/** Runs in the page: how much in an element can be seen. */
const inkOf = (element: Element): number =>
  [...element.querySelectorAll("*")].filter((one) => {
    const { height, width } = one.getBoundingClientRect()
    const { backgroundColor, backgroundImage } = getComputedStyle(one)
    const isPicture = one.matches("img, svg *, canvas, iframe, input, select, video, .unknown")
    const isText = [...one.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== ""
    )
    const isPainted = backgroundColor !== "rgba(0, 0, 0, 0)" || backgroundImage !== "none"
    return width * height > 0 && (isPicture || isText || isPainted)
  }).length

const judged = (
  text: string | undefined,
  ink: number,
  { errors, missing }: Report
): Pick<Tried, "outcome" | "detail"> => {
  const [error] = errors
  const isTold = missing.length > 0
  const detail = [...missing, ...errors].slice(0, 2).join("; ")
  if (error !== undefined && !/is not available in replay/.test(error)) return { outcome: "throws", detail: error }
  if (text === undefined)
    return { outcome: isTold ? "says what is missing" : "is silent", detail: detail || "it never answers" }
  if (text.startsWith("failed: ")) {
    const reason = text.slice(8)
    return {
      outcome: isTold || /not available in replay/.test(reason) ? "says what is missing" : "throws",
      detail: reason
    }
  }
  if (text === "drawn" && ink === 0)
    return { outcome: isTold ? "says what is missing" : "is silent", detail: detail || "it draws nothing" }
  return isTold ? { outcome: "says what is missing", detail } : { outcome: "works", detail: text }
}

if (!values.kept) installNewest()
const { left, script } = bundleNewest()
const { stop, url } = await serve(new Map(appAt("/app", { bundle: script, files: [] }, await viewerFrame())))
const browser = await chromium.launch({
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu"]
})
const tried: Array<Tried> = []
try {
  for (const library of libraries) {
    const reason = left.get(library.name)
    const result: Tried =
      reason === undefined
        ? await tryLibrary(browser, `${url}/app/`, library)
        : { name: library.name, version: versionOf(library.name), outcome: "throws", detail: `bundling: ${reason}` }
    tried.push(result)
    console.log(`${result.outcome}: ${result.name} ${result.version}: ${result.detail.slice(0, 300)}`)
  }
} finally {
  await browser.close()
  stop()
}

const page = new URL("../../../docs/replay.md", import.meta.url)
const [before = "", table = "", after = ""] = readFileSync(page, "utf8").split(
  platform === "android"
    ? /(?<=<!-- newest-android -->\n)([^]*?)(?=<!-- \/newest-android -->)/
    : /(?<=<!-- newest -->\n)([^]*?)(?=<!-- \/newest -->)/
)

/** What the table says of each library. */
const known = new Map(
  table.split("\n").flatMap((line) => {
    const [, outcome = "", names = ""] = line.split("|").map((cell) => cell.trim())
    const at = outcomes.find((one) => one === outcome)
    return at === undefined ? [] : names.split(", ").map((name) => [name.replace(/ [\d.].*$/, ""), at] as const)
  })
)
const regressions = tried.filter(({ name, outcome }) => {
  const was = known.get(name)
  return was !== undefined && outcomes.indexOf(outcome) > outcomes.indexOf(was)
})
for (const { detail, name, outcome, version } of regressions)
  console.error(`Regression: ${name} ${version} ${outcome}, and the table says ${known.get(name)}. ${detail}`)

const rows = outcomes.map((outcome) => {
  const names = tried.filter((one) => one.outcome === outcome).map(({ name, version }) => `${name} ${version}`)
  return `| ${outcome} | ${names.join(", ") || "none"} |`
})
const newest = `On ${new Date().toISOString().slice(0, 10)}, with React Native ${versionOf("react-native")}, for ${platform === "android" ? "Android" : "iOS"}:

| in a replay, it | libraries |
| --- | --- |
${rows.join("\n")}
`
if (regressions.length === 0 && after !== "") writeFileSync(page, `${before}${newest}${after}`)
process.exitCode = regressions.length === 0 ? 0 : 1
