import type { Host } from "../../modules/Host.ts"
import { fieldsIn, textIn } from "../../runtime/decode.ts"
import { clipboard } from "../../runtime/clipboard.ts"
import { insets } from "../../runtime/device.ts"
import { folders } from "../../runtime/files.ts"
import { has24Hours, isRtl, locales, separators, timeZone } from "../../runtime/locale.ts"
import { stores } from "../../runtime/stores.ts"
import { manifestOf } from "./manifest.ts"
import { loadImage } from "../../views/image.ts"
import { appFolder } from "../../runtime/assetUrls.ts"

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
