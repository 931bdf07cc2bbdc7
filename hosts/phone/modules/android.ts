/** The native modules that Android has in place of iOS's, or beside them. */
import { versionIn } from "../../../core/rules/bundleFormat.ts"
import { type AppFunction, type Fields, listIn, numberIn, textIn } from "../runtime/decode.ts"
import { bars, device, isAndroid, isDark, onBack, pressBack } from "../runtime/device.ts"
import { element } from "../views/Component.ts"
import { type makeBezel, statusBarColor } from "../views/screen.ts"
import { askPermission, permissionOf, showDialog } from "./dialogs.ts"
import { type Host, ignoring, type Module } from "./Host.ts"

/** What is different on Android, by the names of modules. */
const android = (host: Host, bezel: ReturnType<typeof makeBezel>): Readonly<Record<string, Module>> => {
  const { callable, notes } = host
  const model = device()?.label ?? ""
  onBack(() => callable.emit("hardwareBackPress"))
  const escaped = ({ key }: KeyboardEvent): void => {
    if (key === "Escape") pressBack()
  }
  // Dialogs pass no keys on.
  document.addEventListener("keydown", escaped, { capture: true })
  return {
    PlatformConstants: {
      getConstants: () => ({
        isTesting: false,
        isDisableAnimations: false,
        reactNativeVersion: { ...versionIn(host.bundle), prerelease: null },
        Version: release.api,
        Release: release.name,
        Serial: "unknown",
        Fingerprint: "google/replay/replay",
        Model: model,
        Brand: model.startsWith("Galaxy") ? "samsung" : "google",
        Manufacturer: model.startsWith("Galaxy") ? "Samsung" : "Google",
        uiMode: "normal"
      }),
      getAndroidID: () => "replay"
    },
    DeviceEventManager: {
      invokeDefaultBackPressHandler: () => notes.line("Back closes the app on a phone: the app handles it no more.")
    },
    DialogManagerAndroid: { getConstants: () => dialogConstants, showAlert: showAlert(host) },
    IntentAndroid: {
      getInitialURL: async () => null,
      canOpenURL: async () => true,
      openURL: async (url: unknown) => notes.line(`The app opens ${String(url)}; a replay leads nowhere.`),
      openSettings: async () => notes.line("The app opens its settings; a replay has none."),
      sendIntent: async (action: unknown) =>
        notes.line(`The app sends the intent ${String(action)}; a replay leads nowhere.`)
    },
    PermissionsAndroid: permissions(host),
    StatusBarManager: {
      getConstants: () => ({ HEIGHT: bars().top, DEFAULT_BACKGROUND_COLOR: statusBarColor }),
      setStyle: bezel.setStyle,
      setHidden: bezel.setHidden,
      setColor: bezel.setColor,
      setTranslucent: bezel.setTranslucent
    },
    ToastAndroid: toast(host),
    ...(host.bundle.includes("setNavigationBarHidden") ? { RNEdgeToEdge: systemBars(bezel) } : {}),
    SoundManager: ignoring("playTouchSound")
  }
}

/** react-native-edge-to-edge, which other libraries look for: it is there only for an app that has it. */
const systemBars = (bezel: ReturnType<typeof makeBezel>): Module => ({
  setStatusBarStyle: (style: unknown) => bezel.setStyle(String(style).replace(/^(light|dark)$/, "$1-content")),
  setStatusBarHidden: bezel.setHidden,
  ...ignoring("setNavigationBarStyle setNavigationBarHidden onColorSchemeChange")
})

/** The version of Android, with the number of its API. */
const release = { name: "15", api: 35 }

const dialogConstants = {
  buttonClicked: "buttonClicked",
  dismissed: "dismissed",
  buttonPositive: -1,
  buttonNegative: -2,
  buttonNeutral: -3
}

/** `Alert.alert`. */
const showAlert =
  ({ calls, surface }: Host) =>
  (options: Fields, _failed: unknown, done: AppFunction): void => {
    const answer = (...values: ReadonlyArray<unknown>) => void calls.call(done, ...values)
    showDialog(surface.element, {
      place: "middle",
      title: textIn(options["title"]),
      message: textIn(options["message"]),
      ...(options["cancelable"] === false ? {} : { cancel: () => answer(dialogConstants.dismissed) }),
      choices: (["buttonNeutral", "buttonNegative", "buttonPositive"] as const).flatMap((key) => {
        const label = textIn(options[key])
        const choose = () => answer(dialogConstants.buttonClicked, dialogConstants[key])
        return label === undefined ? [] : [{ label, choose, isAside: key === "buttonNeutral" }]
      })
    })
  }

/** What the phone calls the permissions of Android; others have their own names. */
const permissionNames: ReadonlyArray<readonly [pattern: RegExp, name: string]> = [
  [/LOCATION$/, "location"],
  [/^RECORD_AUDIO$/, "microphone"],
  [/^POST_NOTIFICATIONS$/, "notifications"],
  [/CONTACTS$/, "contacts"],
  [/CALENDAR$/, "calendar"],
  [/^BLUETOOTH/, "bluetooth"],
  [/^(?:READ_MEDIA|(?:READ|WRITE)_EXTERNAL_STORAGE)/, "photo library"]
]

/** The name by which the phone knows a permission such as `android.permission.CAMERA`. */
const permissionName = (value: unknown): string => {
  const name = String(value).replace(/^.*\./, "")
  return permissionNames.find(([pattern]) => pattern.test(name))?.[1] ?? name.toLowerCase().replaceAll("_", " ")
}

const permissions = (host: Host): Module => {
  const ask = async (permission: unknown) =>
    (await askPermission(host, permissionName(permission))) === "granted" ? "granted" : "denied"
  return {
    checkPermission: async (permission: unknown) => permissionOf(permissionName(permission)) === "granted",
    shouldShowRequestPermissionRationale: async (permission: unknown) =>
      permissionOf(permissionName(permission)) === "denied",
    requestPermission: ask,
    requestMultiplePermissions: async (names: unknown) => {
      const answers: Record<string, string> = {}
      // One dialog at a time, as on a phone.
      for (const name of listIn(names).map(String)) answers[name] = await ask(name)
      return answers
    }
  }
}

/** `ToastAndroid`: a line near the lower edge of the screen that disappears by itself. */
const toast = ({ surface }: Host): Module => {
  let last: HTMLElement | undefined
  const show = (message: unknown, duration: unknown, gravity: unknown = gravities.BOTTOM): void => {
    last?.remove()
    const shown = element("")
    last = shown
    shown.textContent = String(message)
    shown.setAttribute("role", "status")
    const place = gravity === gravities.TOP ? "top:64px" : gravity === gravities.CENTER ? "top:50%" : "bottom:88px"
    shown.style.cssText =
      `position:absolute;z-index:4;left:50%;${place};translate:-50%;max-width:80%;padding:12px 20px;border-radius:24px;` +
      `box-sizing:border-box;background:${isDark() ? "#4a4a4d" : "#ececf0"};color:${isDark() ? "#fff" : "#1b1b1f"};` +
      "font:14px/20px var(--system-fonts);box-shadow:0 2px 8px #0004;pointer-events:none"
    surface.element.append(shown)
    setTimeout(() => shown.remove(), numberIn(duration) === 1 ? 3500 : 2000)
  }
  return {
    getConstants: () => ({ SHORT: 0, LONG: 1, ...gravities }),
    show: (message: unknown, duration: unknown) => show(message, duration),
    showWithGravity: show,
    showWithGravityAndOffset: show
  }
}

/** Android's numbers of the places of a toast. */
const gravities = { TOP: 49, BOTTOM: 81, CENTER: 17 }

/** The native modules of an app for Android; none for iOS. */
export const androidModules = (host: Host, bezel: ReturnType<typeof makeBezel>): Readonly<Record<string, Module>> =>
  isAndroid() ? android(host, bezel) : {}
