import { lookup } from "mrmime"
import { open, readFile } from "node:fs/promises"
import { basename, dirname, join, normalize, relative, resolve } from "node:path"
import { isNative, phoneObstacle, sniffBytes, unsupportedFormat } from "../../../core/rules/bundleFormat.ts"
import type { Platform } from "../../client/index.ts"
import { unusable } from "../command/Context.ts"
import { specialKind, statOf, walk } from "../command/walk.ts"
import { field } from "../settings/ciEnvironment.ts"

/** A file of an app, on this machine and beside the bundle. */
export interface AppFile {
  /** Where it is beside the bundle: a relative path with `/`. */
  readonly path: string
  /** Where it is on this machine. */
  readonly file: string
  readonly contentType: string
}

/** An app in a bundler's output. */
export interface FoundBundle {
  readonly bundle: AppFile
  readonly files: ReadonlyArray<AppFile>
  /** The platform that the bundler names; a folder of `react-native bundle` and one for the web name none. */
  readonly platform?: Platform
  /** What was left out, with the reasons. */
  readonly leftOut: ReadonlyArray<string>
}

/** What the user specifies about the bundle. */
export interface Wanted {
  readonly platform?: Platform | undefined
  /** The bundle's path in its folder, if it can't be detected. */
  readonly entry?: string | undefined
}

const platforms = ["ios", "android"] as const

/** What `expo export` writes down of one platform. */
interface Exported {
  readonly platform: Platform
  readonly bundle: string
  /** The endings of the assets, by their paths. */
  readonly endings: ReadonlyMap<string, string>
}

/** What `metadata.json` says; an export for the web names no platform. */
const exportedIn = (text: string): ReadonlyArray<Exported> => {
  let metadata: unknown
  try {
    metadata = JSON.parse(text)
  } catch (error) {
    throw unusable(`metadata.json is not the JSON that expo export writes: ${String(error)}`)
  }
  return platforms.flatMap((platform): ReadonlyArray<Exported> => {
    const exported = field(metadata, "fileMetadata", platform)
    const [bundle, assets] = [field(exported, "bundle"), field(exported, "assets")]
    if (typeof bundle !== "string") return []
    const endings = (Array.isArray(assets) ? assets : []).flatMap((asset: unknown) => {
      const [path, ending] = [field(asset, "path"), field(asset, "ext")]
      return typeof path === "string" && typeof ending === "string" ? [[slashed(path), ending] as const] : []
    })
    return [{ platform, bundle: slashed(bundle), endings: new Map(endings) }]
  })
}

/** A path as it is on every machine. */
const slashed = (path: string): string => path.replaceAll("\\", "/")

/** The scripts of a page, as paths beside it: those of other hosts are none of the app's. */
const scriptsOf = (html: string): ReadonlyArray<string> =>
  Array.from(html.matchAll(/<script\b[^>]*?\bsrc\s*=\s*["']?([^"'\s>]+)/gi), ([, src = ""]) => src)
    .filter((src) => !/^(?:[a-z]+:|\/\/)/i.test(src))
    .map((src) => normalize(decodeURI(src.replace(/[?#].*/, ""))).replace(/^[./]+/, ""))

/** What may be the bundle in a folder of `react-native bundle`. */
const isBundleName = (path: string): boolean => !path.includes("/") && /\.(?:jsbundle|bundle|hbc|js)$/.test(path)

const list = (paths: ReadonlyArray<string>): string => paths.map((path) => `\n  ${path}`).join("")

/** The one of several that may be the bundle. */
const only = (found: ReadonlyArray<string>, where: string): string => {
  const [first, ...more] = found
  if (first === undefined) {
    throw unusable(`${where} has no bundle. Name the file with --entry, or make one:
  npx react-native bundle --platform ios --dev false --entry-file index.js --bundle-output out/main.jsbundle --assets-dest out
  npx expo export --platform ios --no-bytecode`)
  }
  if (more.length > 0) throw unusable(`${where} has several scripts. Name the bundle with --entry:${list(found)}`)
  return first
}

/**
 * The files below a folder, by relative paths with `/`, in order; and what is left out, with the reason. What is named
 * with a dot first is no part of an app. A link counts as what it leads to.
 */
const filesBelow = (
  folder: string
): { readonly paths: ReadonlyArray<string>; readonly leftOut: ReadonlyArray<string> } => {
  const paths: Array<string> = []
  const leftOut: Array<string> = []
  const within = (path: string) => slashed(relative(folder, path))
  const found = walk(folder, {
    skips: (_folder, name) => name.startsWith("."),
    followsFolders: true,
    leftOut: (path, reason) => void leftOut.push(`${within(path)}: ${reason}`)
  })
  for (const { names, path } of found) if (names === undefined) paths.push(within(path))
  return { paths: paths.toSorted(), leftOut }
}

const inFolder = async (folder: string, { entry, platform }: Wanted): Promise<FoundBundle> => {
  const { leftOut, paths } = filesBelow(folder)
  const text = (path: string) => (paths.includes(path) ? readFile(join(folder, path), "utf8") : undefined)
  const metadata = await text("metadata.json")
  const exported = metadata === undefined ? [] : exportedIn(metadata)
  const fileOf = (path: string, ending?: string): AppFile => ({
    path,
    file: join(folder, path),
    contentType: contentTypeOf(path, ending)
  })
  const isThere = (path: string, named: string): string => {
    if (paths.includes(path)) return path
    throw unusable(`${named} names ${path}, which isn't in ${folder}.`)
  }

  if (exported.length > 0 && entry === undefined) {
    const ofPlatform = exported.filter((one) => platform === undefined || one.platform === platform)
    const [first, ...more] = ofPlatform
    if (first === undefined) throw unusable(`The export in ${folder} has no bundle for ${platform}.`)
    if (more.length > 0) throw unusable("The export has bundles for ios and android: choose one by --platform.")
    const assets = Array.from(first.endings, ([path, ending]) => fileOf(isThere(path, "metadata.json"), ending))
    // No export carries what `Constants.expoConfig` is read from; it lies in the project, where `expo export` ran.
    const appJson = join(dirname(resolve(folder)), "app.json")
    const config =
      statOf(appJson)?.isFile() === true ? [{ path: "app.json", file: appJson, contentType: "application/json" }] : []
    const bundle = fileOf(isThere(first.bundle, "metadata.json"))
    return { bundle, files: [...assets, ...config], platform: first.platform, leftOut }
  }

  const html = await text("index.html")
  const scripts = html === undefined ? paths.filter(isBundleName) : scriptsOf(html)
  const where = html === undefined ? folder : join(folder, "index.html")
  const script = entry === undefined ? only(scripts, where) : slashed(normalize(entry))
  const bundle = fileOf(isThere(script, entry === undefined ? where : "--entry"))
  // The replay has a page of its own.
  const others = paths.filter((path) => path !== script && path !== "index.html" && path !== "metadata.json")
  return { bundle, files: others.map((path) => fileOf(path)), leftOut }
}

/**
 * Finds the bundle and its files: a file is a bundle without any; in a folder of `expo export` they are what
 * `metadata.json` names, in one for the web the bundle is the one script of `index.html`, and in one of `react-native bundle`
 * the one script in it.
 */
export const findBundle = async (path: string, wanted: Wanted): Promise<FoundBundle> => {
  const found = statOf(path)
  if (found === undefined) throw unusable(`There is no ${path}.`)
  if (found.isDirectory()) return inFolder(path, wanted)
  const special = specialKind(found)
  if (special !== undefined) throw unusable(`${path} is ${special}, and no file.`)
  return { bundle: { path: basename(path), file: path, contentType: contentTypeOf(path) }, files: [], leftOut: [] }
}

/** Folders in which no font of a project lies. */
const notOfProject = /^(?:\..*|node_modules|Pods|build|dist|DerivedData)$/

const isFont = (name: string): boolean => /\.(?:ttf|otf)$/i.test(name)

const filesIn = (folder: string, isWanted: (name: string) => boolean): ReadonlyArray<string> => {
  if (statOf(folder)?.isDirectory() !== true) return []
  const skips = (_: string, name: string) => notOfProject.test(name)
  return Array.from(walk(folder, { skips, followsFolders: false, leftOut: () => {} }), ({ names, path }) =>
    names === undefined && isWanted(basename(path)) ? path : undefined
  )
    .filter((path) => path !== undefined)
    .toSorted()
}

/** The folder of the project that a bundle is of: the nearest with a `package.json` that names React Native. */
const projectOf = async (folder: string): Promise<string | undefined> => {
  for (let at = folder; ; at = dirname(at)) {
    const manifest = await readFile(join(at, "package.json"), "utf8").catch(() => "")
    if (/"react-native"\s*:/.test(manifest)) return at
    if (at === dirname(at)) return undefined
  }
}

/** The fonts that a project links into its binary: those of `react-native.config.js`, of `ios` and of Android's assets. */
const fontsOfProject = async (project: string): Promise<ReadonlyArray<string>> => {
  const config = await readFile(join(project, "react-native.config.js"), "utf8").catch(() => "")
  const [, assets = ""] = /\bassets\s*:\s*\[([^\]]*)\]/.exec(config) ?? []
  const named = Array.from(assets.matchAll(/["'`]([^"'`]+)["'`]/g), ([, path = ""]) => path)
  const folders = [...named, "ios", "android/app/src/main/assets/fonts", "assets/fonts", "src/assets/fonts"]
  return folders.flatMap((folder) => filesIn(join(project, folder), isFont))
}

/**
 * The files that are uploaded beside a bundle, although a bundler leaves them out: fonts that are linked into the binary,
 * below `fonts/`, and the folder of the flows by its name. By default, the fonts are those of the project.
 */
export const filesBeside = async (
  path: string,
  { bundle, files }: FoundBundle,
  wanted: { readonly fonts?: ReadonlyArray<string> | undefined; readonly flows?: string | undefined },
  cwd: string
): Promise<ReadonlyArray<AppFile>> => {
  const project = await projectOf(resolve(cwd, path))
  const folderOf = (flag: string, name: string): string => {
    const folder = resolve(cwd, name)
    if (statOf(folder)?.isDirectory() !== true) throw unusable(`${flag} ${name} is not a folder.`)
    return folder
  }
  const named = wanted.fonts?.flatMap((name) => filesIn(folderOf("--fonts", name), isFont))
  if (named?.length === 0 && wanted.fonts?.length !== 0)
    throw unusable(`--fonts ${wanted.fonts?.join(", ")} has no .ttf or .otf file.`)
  const fonts = named ?? (project === undefined ? [] : await fontsOfProject(project))
  const flows = wanted.flows === undefined ? undefined : folderOf("--flows", wanted.flows)
  const scripts = flows === undefined ? [] : filesIn(flows, (name) => /\.(?:ya?ml|js)$/i.test(name))
  if (flows !== undefined && scripts.length === 0) throw unusable(`--flows ${wanted.flows} has no .yaml or .js file.`)
  const all = [
    ...fonts.map((file) => ({ path: `fonts/${basename(file)}`, file, contentType: contentTypeOf(file) })),
    ...scripts.map((file) => ({
      path: slashed(join(basename(flows ?? ""), relative(flows ?? "", file))),
      file,
      contentType: "text/plain"
    }))
  ]
  const known = new Set([bundle, ...files].map((one) => one.path))
  // Platforms have copies of a font under one name.
  return all.filter((one) => !known.has(one.path) && known.add(one.path))
}

/**
 * Runs in the document of an app, which has its text and nothing else: it reports once whether something was drawn, the first
 * error, and what was missing. It waits a while longer after the first screen, for what that asks for.
 */
export const collectReport = (): void => {
  const times = { draw: 20_000, drawAfterError: 8000, settle: 2000, every: 100 }
  const missing = new Set<string>()
  let error: string | undefined
  const begun = performance.now()
  let drawn: number | undefined
  const note = (text: unknown): void => {
    error ??= String(text)
  }
  document.addEventListener("phone-note", (event) => {
    const detail: unknown = event instanceof CustomEvent ? event.detail : undefined
    const { kind, name, text, what } = {
      kind: "",
      name: "",
      text: "",
      what: "",
      ...(detail instanceof Object ? detail : {})
    }
    if (kind === "missing" && missing.size < 100) missing.add(`${what} ${name}`)
    if (kind === "obstacle") note(text)
  })
  window.addEventListener("error", (event) => note(event.error ?? event.message))
  window.addEventListener("unhandledrejection", ({ reason }) => note(reason))
  const isDrawn = (): boolean => {
    const all = [...(document.querySelector("#root")?.children ?? []), ...document.body.children]
    return all.some((element) => {
      const { height, width } = element.getBoundingClientRect()
      const isOfPage = element.matches("#root, script, style, template, link, noscript, .bezel, .ruler")
      return (
        !isOfPage &&
        width * height > 0 &&
        (element.textContent?.trim() !== "" ||
          element.querySelector("img, svg, canvas, video, input, .pixels") !== null)
      )
    })
  }
  const look = (): void => {
    const now = performance.now()
    if (drawn === undefined && isDrawn()) drawn = now
    const drawTime = error === undefined ? times.draw : times.drawAfterError
    const isOver = drawn === undefined ? now - begun > drawTime : now - drawn > times.settle
    if (!isOver) {
      setTimeout(look, times.every)
      return
    }
    // What was drawn at first may have been removed by a crash.
    const report = { isDrawn: isDrawn(), error: error?.slice(0, 4000), missing: [...missing] }
    void fetch("/", { method: "POST", body: JSON.stringify(report) })
  }
  look()
}

/** The types of bundler output that no list of types has. */
const ofBundlers: Readonly<Record<string, string>> = {
  bundle: "text/javascript",
  jsbundle: "text/javascript",
  map: "application/json"
}

const bytes = "application/octet-stream"

/** The content type of a file with this name; Expo's assets are named by their digests, and `ending` is their type. */
const contentTypeOf = (name: string, ending = name.slice(name.lastIndexOf(".") + 1)): string => {
  const key = ending.toLowerCase()
  return (Object.hasOwn(ofBundlers, key) ? ofBundlers[key] : lookup(key)) ?? bytes
}

/** Whether a bundle can replay, as far as its bytes show. */
interface Examined {
  /** Whether a browser can run it by itself; a phone's own it can't. */
  readonly isTransformed: boolean
  /** Why it can't replay, for people; `undefined` if it may. */
  readonly obstacle?: string | undefined
  /** What won't be as in the app, for people. */
  readonly lacks: ReadonlyArray<string>
}

/** How much of a bundle is read as text: more than any app has, and little enough for a small machine. */
const readBytes = 32 * 1024 * 1024

const beginningOf = async (file: string): Promise<Uint8Array> => {
  const handle = await open(file)
  try {
    const { size } = await handle.stat()
    const buffer = new Uint8Array(Math.min(size, readBytes))
    const { bytesRead } = await handle.read(buffer, 0, buffer.byteLength, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

const some = (names: ReadonlyArray<string>): string =>
  names.slice(0, 5).join(", ") + (names.length > 5 ? ` and ${names.length - 5} more` : "")

/** The files of an app that its bundle asks for by paths from the root of a host, where a replay isn't. */
const askedFromRoot = (text: string, { files }: FoundBundle): ReadonlyArray<string> => {
  const paths = new Set(files.map(({ path }) => `/${path}`))
  const quoted = Array.from(text.matchAll(/["'`(](\/[^"'`\s\\)?#]{1,500})/g), ([, path = ""]) => path)
  return [...new Set(quoted)].filter((path) => paths.has(path))
}

/** Examines the bytes of a bundle. */
export const examine = async (found: FoundBundle): Promise<Examined> => {
  const bytes = await beginningOf(found.bundle.file)
  const start = bytes.subarray(0, sniffBytes)
  const format = unsupportedFormat(start)
  if (format !== undefined) return { isTransformed: false, obstacle: format, lacks: [] }
  const text = new TextDecoder("latin1").decode(bytes)
  if (!isNative(start)) {
    const fromRoot = askedFromRoot(text, found)
    const lacks =
      fromRoot.length === 0
        ? []
        : [
            `It asks for ${fromRoot.length} of its files by absolute paths, where a replay has none: ${some(fromRoot)}. ` +
              'With Expo, "experiments": { "baseUrl": "." } in app.json makes them relative.'
          ]
    return { isTransformed: true, lacks }
  }
  const modules = modulesNotReplayed(text)
  const lacks =
    modules.length === 0
      ? []
      : [`It needs native modules that the replay doesn't know, and whose methods fail there: ${some(modules)}.`]
  return { isTransformed: false, obstacle: phoneObstacle(text), lacks }
}

/** The native modules that the phone of a replay has, or does without, of React Native and of the packages that it knows. */
const known = new Set(
  [
    // React Native's own.
    "AccessibilityManager ActionSheetManager AlertManager AppState Appearance AsyncLocalStorage BlobModule Clipboard DevMenu",
    "DevSettings DeviceInfo ExceptionsManager FileReaderModule I18nManager ImageEditingManager ImageLoader ImageStoreManager",
    "LinkingManager ModalManager NativeAnimatedModule NativeAnimatedTurboModule NativeDOMCxx NativeIdleCallbacksCxx",
    "NativeMicrotasksCxx NativePerformanceCxx NativeReactNativeFeatureFlagsCxx Networking PlatformConstants SegmentFetcher SettingsManager",
    "ShareModule SourceCode StatusBarManager UIManager Vibration WebSocketModule",
    // Those of packages.
    "FastImageViewModule MmkvCxx MmkvPlatformContext NativeRNFBTurboAnalytics NativeRNFBTurboApp NativeRNFBTurboCrashlytics",
    "NativeRNFBTurboMessaging NativeRNFBTurboUtils NitroModules RNAsyncStorage RNBootSplash RNCAsyncStorage RNCClipboard RNCNetInfo",
    "RNCWebViewModule RNGestureHandlerModule RNGetRandomValues RNHapticFeedback RNLocalize RNMapsAirModule RNPermissions RNPurchases RNSentry OPSQLite",
    "Orientation RNBackgroundTimer RNCDatePicker RNCGeolocation RNCMaterialDatePicker RNCMaterialTimePicker RNCookieManagerAndroid RNCookieManagerIOS RNCTimePicker Realm",
    "Adjust AmplitudeReactNative AnalyticsReactNative BlePlx BrazeReactBridge Clarity CodePush DdLogs DdRum DdSdk DdTrace FBAppEventsLogger FBSettings",
    "IntercomEventEmitter IntercomModule MixpanelReactNative NativeRNFBTurboAuth NfcManager OneSignal QuickSQLite RNAppsFlyer RNBackgroundFetch",
    "IdleTimerManager RNCImageCropPicker RNCPushNotificationIOS RNExitApp RNInAppBrowser RNQuickActionManager RNEncryptedStorage RNInAppReviewIOS RNVersionCheck ReactNativeBiometrics Sovran SplashScreen SQLite WMDatabaseBridge",
    "RNRestart RNSModule RNShare RNSVGRenderableModule RNSVGSvgViewModule RNSkiaModule ReanimatedModule WorkletsModule",
    // Expo's.
    "ExpoApplication ExpoAsset ExpoAudio ExpoBlur ExpoBlurView ExpoCalendar ExpoCamera ExpoClipboard ExpoContacts ExpoContactsNext ExpoCrypto ExpoDevice ExpoFetchModule ExpoFontLoader ExpoFontUtils",
    "ExpoGo ExpoHaptics ExpoImage ExpoKeepAwake ExpoLinearGradient ExpoLinking ExpoLocalization ExpoLocation ExpoMediaLibrary ExpoMediaLibraryNext ExpoModulesCore",
    "ExponentFileSystem ExponentImagePicker ExpoSecureStore ExpoSQLite FileSystem ExpoSplashScreen ExpoSystemUI ExpoTrackingTransparency ExpoUpdates ExpoWebBrowser ExponentConstants",
    "ExpoBackgroundNotificationTasksModule ExpoBadgeModule ExpoNotificationCategoriesModule ExpoNotificationPermissionsModule",
    "ExpoNotificationPresenter ExpoNotificationScheduler ExpoNotificationsEmitter ExpoNotificationsHandlerModule",
    "ExpoPushTokenManager NotificationsServerRegistrationModule"
  ]
    .join(" ")
    .split(" ")
)

/** How a bundle asks for a module that it can't do without: by the function of React Native, and by that of Expo. */
const asked = /\b(?:getEnforcing|requireNativeModule)\)?\(\s*(["'])([A-Za-z]\w*)\1/g

/** The native modules that a bundle needs and the phone of a replay doesn't have, each once, in order. */
export const modulesNotReplayed = (bundle: string): ReadonlyArray<string> =>
  [...new Set(Array.from(bundle.matchAll(asked), ([, , name = ""]) => name))]
    .filter((name) => !known.has(name))
    .toSorted()
