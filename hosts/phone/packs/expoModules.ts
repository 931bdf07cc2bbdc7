/** The modules of Expo that most apps use. */
import type { Host } from "../modules/Host.ts"
import {
  askPermission,
  choosePicture,
  type Delivered,
  type Permission,
  permissionOf,
  receivePushes
} from "../modules/dialogs.ts"
import { appFolder } from "../runtime/assets.ts"
import { type Fields, fieldsIn, listIn, textIn } from "../runtime/decode.ts"
import { has24Hours, insets, isRtl, locales, separators, settings, timeZone } from "../runtime/device.ts"
import { clipboard, folders, stores } from "../runtime/storage.ts"
import { loadImage } from "../views/image.ts"
import type { makeClasses } from "./expoCore.ts"

/** The modules of Expo that most apps use, by the names that they are asked for. */
export const expoModules = (host: Host): Readonly<Record<string, object>> => {
  const { notes } = host
  const fonts: Array<string> = []
  const secrets = new Map<string, string>()
  stores.set("SecureStore", () => secrets)
  const notUpdated = async () => {
    throw Object.assign(new Error("Updates are disabled in a replay."), { code: "ERR_UPDATES_DISABLED" })
  }
  const felt = async (): Promise<void> => notes.line("The app lets itself be felt.")
  const opened = async (url: unknown) => {
    notes.line(`The app opens ${String(url)}; a replay leads nowhere.`)
    return { type: "cancel" }
  }
  return {
    ExpoAsset: {
      // Where only its digest is known, the file bears that for a name: so Expo leaves it.
      downloadAsync: async (url: string, digest: string | null) =>
        url === "" && digest !== null ? `${appFolder}assets/${digest}` : url
    },
    ExpoFontLoader: {
      getLoadedFonts: () => fonts,
      loadAsync: async (family: string, uri: string) => {
        await loadFont(host, family, uri)
        fonts.push(family)
      }
    },
    ExpoFontUtils: {},
    ExponentConstants: {
      name: "ExponentConstants",
      manifest: manifestOf(host),
      executionEnvironment: "standalone",
      appOwnership: null,
      statusBarHeight: insets().top,
      systemFonts: [],
      sessionId: "replay",
      isHeadless: false,
      deviceName: "Replay",
      getWebViewUserAgentAsync: async () => navigator.userAgent
    },
    ExpoSplashScreen: {
      preventAutoHideAsync: async () => true,
      hideAsync: async () => {},
      hide: () => {},
      setOptions: () => {},
      internalPreventAutoHideAsync: async () => true,
      internalMaybeHideAsync: async () => {}
    },
    ExpoClipboard: {
      setStringAsync: async (text: string) => {
        clipboard.text = text
        return true
      },
      getStringAsync: async () => clipboard.text,
      hasStringAsync: async () => clipboard.text !== "",
      hasUrlAsync: async () => false,
      hasImageAsync: async () => false
    },
    ExpoHaptics: {
      impactAsync: felt,
      notificationAsync: felt,
      selectionAsync: felt,
      performHapticsAsync: felt
    },
    ExpoCrypto: {
      getRandomValues: (values: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(values),
      getRandomBytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
      getRandomBytesAsync: async (count: number) => crypto.getRandomValues(new Uint8Array(count)),
      randomUUID: () => crypto.randomUUID(),
      digestStringAsync: async (algorithm: string, text: string, asked: unknown) => {
        const digest = new Uint8Array(await crypto.subtle.digest(algorithm, new TextEncoder().encode(text)))
        return fieldsIn(asked)["encoding"] === "base64" ? digest.toBase64() : digest.toHex()
      }
    },
    ExpoLocalization: {
      getLocales: languages,
      getCalendars: () => [
        {
          calendar: "gregory",
          timeZone: timeZone(),
          uses24hourClock: has24Hours(),
          firstWeekday: 1
        }
      ]
    },
    ExpoKeepAwake: { activate: async () => {}, deactivate: async () => {}, isAvailableAsync: async () => true },
    ExpoWebBrowser: { openBrowserAsync: opened, openAuthSessionAsync: opened, dismissBrowser: async () => {} },
    ExpoLinking: { getLinkingURL: () => null },
    ExpoSecureStore: {
      getValueWithKeyAsync: async (key: string) => secrets.get(key) ?? null,
      getValueWithKeySync: (key: string) => secrets.get(key) ?? null,
      setValueWithKeyAsync: async (value: string, key: string) => {
        secrets.set(key, value)
      },
      setValueWithKeySync: (value: string, key: string) => secrets.set(key, value),
      deleteValueWithKeyAsync: async (key: string) => {
        secrets.delete(key)
      },
      canUseBiometricAuthentication: () => false
    },
    ExpoDevice: {
      isDevice: false,
      brand: "Apple",
      manufacturer: "Apple",
      modelName: "iPhone",
      osName: "iOS",
      osVersion: "18.0",
      deviceType: 1,
      getDeviceTypeAsync: async () => 1
    },
    ExpoApplication: {
      applicationName: null,
      applicationId: null,
      nativeApplicationVersion: null,
      nativeBuildVersion: null
    },
    ExpoImage: {
      prefetch: async (urls: ReadonlyArray<unknown>) => {
        await Promise.all(urls.map((url) => loadImage(host.assetUrls(textIn(url) ?? ""))))
        return true
      },
      clearMemoryCache: async () => true,
      clearDiskCache: async () => true,
      getCachePathAsync: async () => null
    },
    // An app in a replay is what was uploaded, and never updates itself.
    ExpoUpdates: {
      isEnabled: false,
      isEmbeddedLaunch: true,
      isEmergencyLaunch: false,
      isUsingEmbeddedAssets: true,
      shouldDeferToNativeForAPIMethodAvailabilityInDevelopment: false,
      checkAutomatically: "NEVER",
      runtimeVersion: "",
      channel: "",
      localAssets: {},
      initialContext: {
        isStartupProcedureRunning: false,
        isUpdateAvailable: false,
        isUpdatePending: false,
        isChecking: false,
        isDownloading: false,
        isRestarting: false,
        restartCount: 0,
        sequenceNumber: 0,
        downloadProgress: 0
      },
      reload: async () => host.restart(),
      checkForUpdateAsync: notUpdated,
      fetchUpdateAsync: notUpdated,
      getExtraParamsAsync: async () => ({}),
      setExtraParamAsync: async () => {},
      readLogEntriesAsync: async () => [],
      clearLogEntriesAsync: async () => {}
    },
    ExpoLinearGradient: {},
    ExpoBlurView: {},
    ExpoBlur: {},
    // Databases can be named, and opening one rejects.
    ExpoSQLite: { defaultDatabaseDirectory: `${folders.documents}/SQLite`, bundledExtensions: {} },
    ExpoSystemUI: { setBackgroundColorAsync: async () => {}, getBackgroundColorAsync: async () => null }
  }
}

/** Loads a font of the app's own files, for texts to be drawn in. */
const loadFont = async (host: Host, family: string, uri: string): Promise<void> => {
  let why: unknown
  for (const place of host.assetUrls(uri)) {
    const font = new FontFace(family, `url(${JSON.stringify(place)})`)
    try {
      document.fonts.add(await font.load())
      host.surface.remeasure()
      return
    } catch (error) {
      why = error
    }
  }
  host.notes.absent(uri)
  throw new Error(`The font ${family} could not be loaded.`, { cause: why })
}

const languages = () => {
  const { decimalSeparator, groupingSeparator } = separators()
  return locales().map(({ countryCode, languageCode, languageTag, scriptCode }) => ({
    languageTag,
    languageCode,
    languageScriptCode: scriptCode,
    regionCode: countryCode,
    textDirection: isRtl(languageCode) ? "rtl" : "ltr",
    digitGroupingSeparator: groupingSeparator,
    decimalSeparator,
    measurementSystem: "metric",
    currencyCode: "EUR",
    currencySymbol: "€"
  }))
}

/**
 * The configuration of an Expo app, `Constants.expoConfig`. On a phone it is a part of the binary, and no export carries
 * it: it is read where `app.json` was uploaded beside the bundle.
 */
const manifestOf = ({ notes, assetUrls }: Host): Fields => {
  for (const place of assetUrls(`${appFolder}app.json`)) {
    const text = textOf(place)
    if (text === undefined) continue
    try {
      const { expo, ...bare } = fieldsIn(JSON.parse(text))
      return expo === undefined ? bare : fieldsIn(expo)
    } catch {
      notes.line("app.json isn’t JSON.")
    }
  }
  notes.line("The app’s app.json isn’t beside its bundle: Constants.expoConfig knows no more than a name.")
  return unknown
}

/** The text of a file beside the bundle. The app asks for it while it is loaded, so it is waited for. */
const textOf = (place: string): string | undefined => {
  const request = new XMLHttpRequest()
  request.open("GET", place, false)
  try {
    request.send()
  } catch {
    return undefined
  }
  return request.status === 200 ? request.responseText : undefined
}

/** The default manifest of an app: apps that link to screens need a scheme. */
const unknown: Fields = { name: "app", slug: "app", scheme: "app" }

/** The modules of Expo that ask the person in front of the phone: for permissions, or for a picture. */
export const askingModules = (host: Host): Readonly<Record<string, object>> => {
  const asks = (what: string, name: string) => ({
    [`get${what}PermissionsAsync`]: async () => permissionAnswer(permissionOf(name)),
    [`request${what}PermissionsAsync`]: async () => permissionAnswer(await askPermission(host, name))
  })
  const launch = async (options: unknown) => {
    const picture = await choosePicture(host)
    if (picture === undefined) return { canceled: true, assets: null }
    const { base64, ...rest } = picture
    const asset = { ...rest, type: "image", mimeType: "image/jpeg", fileSize: Math.round((base64.length * 3) / 4) }
    return { canceled: false, assets: [fieldsIn(options)["base64"] === true ? { ...asset, base64 } : asset] }
  }
  return {
    ExponentImagePicker: {
      ...asks("Camera", "camera"),
      ...asks("MediaLibrary", "photo library"),
      launchCameraAsync: launch,
      launchImageLibraryAsync: launch
    },
    ExpoCamera: {
      ...asks("Camera", "camera"),
      ...asks("Microphone", "microphone"),
      isModernBarcodeScannerAvailable: false,
      toggleRecordingAsyncAvailable: false,
      isAvailableAsync: async () => false
    },
    ExpoLocation: {
      ...asks("", "location"),
      ...asks("Foreground", "location"),
      ...asks("Background", "location"),
      ...asks("MotionActivity", "motion"),
      hasServicesEnabledAsync: async () => true
    },
    ExpoMediaLibrary: asks("", "photo library"),
    ExpoMediaLibraryNext: asks("", "photo library"),
    ExpoContacts: asks("", "contacts"),
    ExpoContactsNext: asks("", "contacts"),
    ExpoCalendar: { ...asks("Calendar", "calendars"), ...asks("Reminders", "reminders") },
    ExpoAudio: asks("Recording", "microphone"),
    ExpoTrackingTransparency: asks("", "app tracking transparency")
  }
}

/** A permission as Expo has it. */
const permissionAnswer = (status: Permission) => ({
  status,
  granted: status === "granted",
  canAskAgain: status === "undetermined",
  expires: "never"
})

/** The modules of expo-notifications. Push notifications come from the page; a replay does not show the app's own. */
export const notifications = (
  host: Host,
  classes: Pick<ReturnType<typeof makeClasses>, "NativeModule">
): Readonly<Record<string, object>> => {
  const { notes } = host
  const nothing = async () => null
  const none = async () => []
  return {
    ExpoNotificationPermissionsModule: {
      getPermissionsAsync: async () => permission(permissionOf("notifications")),
      requestPermissionsAsync: async () => permission(await askPermission(host, "notifications"))
    },
    ExpoPushTokenManager: {
      getDevicePushTokenAsync: async () => {
        throw new Error("A replay has no push token.")
      },
      unregisterForNotificationsAsync: nothing
    },
    NotificationsServerRegistrationModule: {
      getInstallationIdAsync: async () => crypto.randomUUID(),
      getRegistrationInfoAsync: nothing,
      setRegistrationInfoAsync: nothing
    },
    ExpoNotificationScheduler: {
      getAllScheduledNotificationsAsync: none,
      scheduleNotificationAsync: async (id: string) => {
        notes.line("The app schedules a notification, which a replay doesn't show.")
        return id
      },
      cancelScheduledNotificationAsync: nothing,
      cancelAllScheduledNotificationsAsync: nothing,
      getNextTriggerDateAsync: nothing
    },
    ExpoNotificationPresenter: {
      getPresentedNotificationsAsync: none,
      dismissNotificationAsync: nothing,
      dismissAllNotificationsAsync: nothing
    },
    ExpoNotificationCategoriesModule: {
      getNotificationCategoriesAsync: none,
      setNotificationCategoryAsync: async (identifier: string, actions: unknown) => ({ identifier, actions }),
      deleteNotificationCategoryAsync: async () => false
    },
    ExpoNotificationsEmitter: emitterIn(classes),
    ExpoNotificationsHandlerModule: { handleNotificationAsync: nothing },
    ExpoBackgroundNotificationTasksModule: { registerTaskAsync: nothing, unregisterTaskAsync: nothing },
    ExpoBadgeModule: { getBadgeCountAsync: async () => 0, setBadgeCountAsync: async () => false }
  }
}

const permission = (status: Permission) => ({ ...permissionAnswer(status), ios: { status: statuses[status] } })

/** The numbers of iOS. */
const statuses: Readonly<Record<Permission, number>> = { undetermined: 0, denied: 1, granted: 2 }

const notificationOf = ({ body, data, id, title }: Delivered) => ({
  date: Date.now(),
  request: {
    identifier: id,
    content: {
      title: title ?? null,
      subtitle: null,
      body: body ?? null,
      data,
      badge: null,
      sound: null,
      categoryIdentifier: null,
      attachments: []
    },
    trigger: { type: "push", payload: data }
  }
})

const [receivedEvent, openedEvent] = ["onDidReceiveNotification", "onDidReceiveNotificationResponse"]

/** Passes the push notifications of the page to the app. */
const emitterIn = ({ NativeModule }: Pick<ReturnType<typeof makeClasses>, "NativeModule">): object => {
  let last: object | null = null
  const emitter = Object.assign(new NativeModule(), {
    // Without it, the library listens to events of React Native instead.
    __expo_module_name__: "ExpoNotificationsEmitter",
    getLastNotificationResponse: () => last,
    clearLastNotificationResponse: () => {
      last = null
    }
  })
  receivePushes({
    isUsed: () => [receivedEvent, openedEvent].some((name) => emitter.listenerCount(name) > 0),
    received: (push) => emitter.emit(receivedEvent, notificationOf(push)),
    opened: (push) => {
      last = { notification: notificationOf(push), actionIdentifier: "expo.modules.notifications.actions.DEFAULT" }
      emitter.emit(openedEvent, last)
    }
  })
  return emitter
}

/** What Expo's own `fetch` is made of. The sandbox lets it reach the app's own files, and nothing else. */
export const fetchModule = ({ SharedObject }: Pick<ReturnType<typeof makeClasses>, "SharedObject">): object => {
  class NativeResponse extends SharedObject {
    status = -1
    statusText = ""
    url = ""
    redirected = false
    bodyUsed = false
    _rawHeaders: ReadonlyArray<readonly [string, string]> = []
    bytes = new Uint8Array()

    async startStreaming(): Promise<Uint8Array> {
      this.bodyUsed = true
      return this.bytes
    }

    cancelStreaming(): void {}

    async arrayBuffer(): Promise<ArrayBuffer> {
      this.bodyUsed = true
      return this.bytes.slice().buffer
    }

    async text(): Promise<string> {
      this.bodyUsed = true
      return new TextDecoder().decode(this.bytes)
    }
  }

  class NativeRequest extends SharedObject {
    readonly response: NativeResponse
    readonly stop = new AbortController()

    constructor(response: NativeResponse) {
      super()
      this.response = response
    }

    async start(url: string, asked: unknown, body: Uint8Array<ArrayBuffer> | null): Promise<NativeResponse> {
      const { response, stop } = this
      const { headers, method } = fieldsIn(asked)
      if (settings().network === "offline") throw new TypeError("The Internet connection appears to be offline.")
      const pairs = listIn(headers).map((one): [string, string] => [String(listIn(one)[0]), String(listIn(one)[1])])
      const answer = await fetch(url, { method: textIn(method) ?? "GET", headers: pairs, body, signal: stop.signal })
      response.bytes = new Uint8Array(await answer.arrayBuffer())
      response._rawHeaders = [...answer.headers]
      const { redirected, status, statusText } = answer
      Object.assign(response, { redirected, status, statusText, url: answer.url })
      return response
    }

    cancel(): void {
      this.stop.abort()
    }
  }
  return { NativeRequest, NativeResponse }
}
