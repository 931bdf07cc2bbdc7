/** The libraries that need only native modules with known results: a table, and a few that need a little code. */
import { stubOf, unavailable } from "../modules/absent.ts"
import { constants, type Host, ignoring, type Module, type Pack, resolving } from "../modules/Host.ts"
import { type Fields, fieldsIn, functionIn, listIn } from "../runtime/decode.ts"
import {
  device,
  isAndroid,
  has24Hours,
  insets,
  isDark,
  isOnSide,
  isRtl,
  locales,
  onSettings,
  separators,
  settings,
  timeZone
} from "../runtime/device.ts"
import { clipboard } from "../runtime/storage.ts"
import { askPermission, choosePicture, permissionOf } from "../modules/dialogs.ts"

/** One native module of a library. */
interface Row {
  readonly library: string
  readonly module: string
  readonly members: (host: Host) => Members
}

/** The members of a module. A function among the values is called with what the app passes. */
interface Members {
  /** Properties, which `getConstants` returns as well. */
  readonly constants?: Fields
  /** Methods that return a value. */
  readonly returns?: Fields
  /** Methods that return a promise of a value. */
  readonly resolves?: Fields
  /** The names of methods without effect. */
  readonly ignores?: string
}

/** Secrets of react-native-encrypted-storage. */
const encrypted = new Map<string, unknown>()

const rows: ReadonlyArray<Row> = [
  // A phone without Bluetooth, NFC, a fingerprint and a face.
  {
    library: "react-native-ble-plx",
    module: "BlePlx",
    members: () => ({
      constants: Object.fromEntries(
        "Scan Read StateChange RestoreState Disconnection ConnectingEvent"
          .split(" ")
          .map((name) => [`${name}Event`, name])
      ),
      ignores: "createClient",
      resolves: {
        destroyClient: null,
        setLogLevel: "None",
        logLevel: "None",
        state: "Unsupported",
        cancelTransaction: null
      }
    })
  },
  {
    library: "react-native-biometrics",
    module: "ReactNativeBiometrics",
    members: () => ({
      resolves: { isSensorAvailable: { available: false, error: "Biometry is not available." } }
    })
  },
  {
    library: "react-native-nfc-manager",
    module: "NfcManager",
    members: ({ calls }) => {
      const answer =
        (value: unknown) =>
        (...values: ReadonlyArray<unknown>) => {
          const done = functionIn(values.at(-1))
          if (done !== undefined) calls.outside(() => calls.call(done, null, value))
        }
      return { returns: { isSupported: answer(false), isEnabled: answer(false) } }
    }
  },
  {
    library: "react-native-encrypted-storage",
    module: "RNEncryptedStorage",
    members: () => ({
      resolves: {
        setItem: (key: string, value: unknown) => void encrypted.set(key, value),
        getItem: (key: string) => encrypted.get(key) ?? null,
        removeItem: (key: string) => void encrypted.delete(key),
        clear: () => encrypted.clear()
      }
    })
  },
  {
    library: "react-native-quick-actions",
    module: "RNQuickActionManager",
    members: () => ({ ignores: "setShortcutItems clearShortcutItems" })
  },
  {
    library: "react-native-idle-timer",
    module: "IdleTimerManager",
    members: () => ({ ignores: "setIdleTimerDisabled" })
  },
  {
    library: "react-native-exit-app",
    module: "RNExitApp",
    members: ({ notes }) => ({ returns: { exitApp: () => notes.line("The app ends itself; a replay continues.") } })
  },
  {
    library: "react-native-inappbrowser-reborn",
    module: "RNInAppBrowser",
    members: ({ notes }) => {
      const open = (options: unknown) => {
        notes.line(`The app opens ${String(fieldsIn(options)["url"])} in a browser, which a replay doesn't have.`)
        return { type: "cancel" }
      }
      return { ignores: "close closeAuth warmup", resolves: { isAvailable: true, open, openAuth: open } }
    }
  },
  {
    library: "@react-native-community/push-notification-ios",
    module: "RNCPushNotificationIOS",
    members: (host) => {
      let badge = 0
      const rights = (permission: string) => {
        const isGiven = permission === "granted"
        return { alert: isGiven, badge: isGiven, sound: isGiven, authorizationStatus: isGiven ? 2 : 1 }
      }
      const answer = (value: () => unknown) => (done: unknown) => {
        const called = functionIn(done)
        if (called !== undefined) host.calls.outside(() => host.calls.call(called, value()))
      }
      return {
        ignores:
          "abandonPermissions onFinishRemoteNotification removeAllDeliveredNotifications setNotificationCategories",
        resolves: {
          requestPermissions: async () => rights(await askPermission(host, "notifications")),
          getInitialNotification: null
        },
        returns: {
          checkPermissions: answer(() => rights(permissionOf("notifications"))),
          getApplicationIconBadgeNumber: answer(() => badge),
          setApplicationIconBadgeNumber: (count: unknown) => void (badge = Number(count))
        }
      }
    }
  },
  {
    library: "react-native-splash-screen",
    module: "SplashScreen",
    members: () => ({ ignores: "show hide" })
  },
  {
    library: "react-native-in-app-review",
    module: "RNInAppReviewIOS",
    // iOS decides whether it asks.
    members: () => ({ constants: { isAvailable: true }, resolves: { requestReview: true } })
  },
  {
    library: "react-native-background-fetch",
    module: "RNBackgroundFetch",
    // Nothing is fetched in the background of a page.
    members: () => ({ ignores: "stop finish", resolves: { configure: 2, start: 2, status: 2, scheduleTask: true } })
  },
  {
    library: "react-native-image-crop-picker",
    module: "RNCImageCropPicker",
    members: (host) => {
      const open = async (options: unknown) => {
        const picture = await choosePicture(host)
        if (picture === undefined)
          throw Object.assign(new Error("User cancelled image selection"), { code: "E_PICKER_CANCELLED" })
        const { base64, fileName: filename, height, uri: path, width } = picture
        const { includeBase64, multiple } = fieldsIn(options)
        const data = includeBase64 === true ? base64 : null
        const image = { path, width, height, filename, data, mime: "image/jpeg", size: (base64.length * 3) / 4 }
        return multiple === true ? [image] : image
      }
      return { resolves: { openPicker: open, openCamera: open, clean: null, cleanSingle: null } }
    }
  },
  {
    library: "react-native-version-check",
    module: "RNVersionCheck",
    members: () => ({
      constants: {
        country: "US",
        packageName: "unknown",
        currentBuildNumber: "1",
        currentVersion: "1.0.0"
      }
    })
  },
  {
    library: "react-native-code-push",
    module: "CodePush",
    // An app in a replay is what was uploaded, and never updates itself.
    members: ({ restart }) => ({
      ignores: "recordStatusReported saveStatusReportForRetry",
      returns: { restartApp: () => restart() },
      resolves: {
        allow: null,
        clearUpdates: null,
        disallow: null,
        getConfiguration: {
          appVersion: "1.0.0",
          clientUniqueId: "replay",
          deploymentKey: "replay",
          serverUrl: ""
        },
        getLatestRollbackInfo: null,
        getNewStatusReport: null,
        getUpdateMetadata: null,
        isFailedUpdate: false,
        isFirstRun: false,
        notifyApplicationReady: null
      }
    })
  },
  {
    library: "react-native-background-timer",
    module: "RNBackgroundTimer",
    // A page has no background, and its timers run as long as it is open.
    members: ({ callable }) => {
      const after = (name: string) => (id: unknown, milliseconds: unknown) => {
        window.setTimeout(() => callable.emit(name, id), Number(milliseconds))
      }
      return {
        ignores: "stop",
        returns: {
          setTimeout: after("backgroundTimer.timeout"),
          start: (delay: unknown) => after("backgroundTimer")(undefined, delay)
        }
      }
    }
  },
  {
    library: "react-native-orientation-locker",
    module: "Orientation",
    // The page turns the device, and no app.
    members: ({ calls, callable, notes }) => {
      const name = (): string => (isOnSide() ? "LANDSCAPE-LEFT" : "PORTRAIT")
      const tell = (callback: unknown): void => {
        const called = functionIn(callback)
        if (called !== undefined) calls.outside(() => calls.call(called, name()))
      }
      window.addEventListener("resize", () => {
        for (const event of ["orientationDidChange", "deviceOrientationDidChange"])
          callable.emit(event, { orientation: name(), deviceOrientation: name() })
      })
      const lock = (to: string) => () => notes.missing("method", `Orientation.${to}`)
      const locks =
        "lockToPortrait lockToPortraitUpsideDown lockToLandscape lockToLandscapeLeft lockToLandscapeRight lockToAllOrientationsButUpsideDown"
      return {
        constants: { initialOrientation: name() },
        ignores: "configure unlockAllOrientations",
        returns: {
          getOrientation: tell,
          getDeviceOrientation: tell,
          getAutoRotateState: true,
          ...Object.fromEntries(locks.split(" ").map((to) => [to, lock(to)]))
        }
      }
    }
  },
  {
    library: "react-native-bootsplash",
    module: "RNBootSplash",
    // There is no splash screen to be hidden.
    members: () => ({
      constants: {
        darkModeEnabled: isDark(),
        logoSizeRatio: 1,
        navigationBarHeight: 0,
        statusBarHeight: insets().top
      },
      resolves: { hide: undefined },
      returns: { isVisible: false }
    })
  },
  {
    library: "@react-native-clipboard/clipboard",
    module: "RNCClipboard",
    members: ({ callable }) => {
      const set = (text: unknown): void => {
        clipboard.text = String(text)
        callable.emit("RNCClipboard_TEXT_CHANGED")
      }
      const isUrl = () => URL.canParse(clipboard.text)
      return {
        ignores: "setListener removeListener",
        resolves: {
          getString: () => clipboard.text,
          getStrings: () => [clipboard.text],
          hasString: () => clipboard.text !== "",
          hasURL: isUrl,
          hasWebURL: () => isUrl() && /^https?:/.test(clipboard.text),
          hasNumber: () => /\d/.test(clipboard.text),
          hasImage: false
        },
        returns: { setString: set, setStrings: (texts: unknown) => set(listIn(texts).join("\n")) }
      }
    }
  },
  {
    library: "react-native-config",
    module: "RNCConfigModule",
    // The values are in the binary of an app, and not in its bundle.
    members: ({ notes }) => ({
      returns: {
        getConfig: () => {
          notes.missing("method", "RNCConfigModule.getConfig")
          return { config: {} }
        }
      }
    })
  },
  {
    library: "react-native-device-info",
    module: "RNDeviceInfo",
    // What an app's binary knows of itself isn't in its bundle: its version is 1.0.0.
    members: () => {
      const power = { batteryLevel: -1, batteryState: "unknown", lowPowerMode: false }
      /** Each is there twice: as a promise, and at once with a name that ends in `Sync`. */
      const results: Fields = {
        getUniqueId: "replay",
        getInstanceId: "replay",
        getDeviceName: "Replay",
        getUserAgent: navigator.userAgent,
        getBatteryLevel: power.batteryLevel,
        getPowerState: power,
        getCarrier: "unknown",
        getIpAddress: "unknown",
        // What every iPhone returns.
        getMacAddress: "02:00:00:00:00:00",
        getBuildId: "unknown",
        getInstallerPackageName: "unknown",
        getFirstInstallTime: Date.now(),
        getLastUpdateTime: Date.now(),
        getStartupTime: Date.now(),
        getTotalMemory: 4e9,
        getMaxMemory: 4e9,
        getUsedMemory: 1e8,
        getTotalDiskCapacity: 64e9,
        getTotalDiskCapacityOld: 64e9,
        getFreeDiskStorage: 16e9,
        getFreeDiskStorageOld: 16e9,
        getBrightness: 1,
        getSupportedAbis: [],
        getAvailableLocationProviders: {},
        isEmulator: true,
        isBatteryCharging: false,
        isAirplaneMode: false,
        isCameraPresent: false,
        isPinOrFingerprintSet: false,
        isLocationEnabled: false,
        isHeadphonesConnected: false,
        isWiredHeadphonesConnected: false,
        isBluetoothHeadphonesConnected: false
      }
      return {
        constants: {
          model: device()?.label ?? (isAndroid() ? "Pixel" : "iPhone"),
          deviceId: isAndroid() ? "replay" : "iPhone",
          brand: isAndroid() ? "google" : "Apple",
          systemName: isAndroid() ? "Android" : "iOS",
          systemVersion: isAndroid() ? "15" : "18.0",
          bundleId: "unknown",
          appName: "unknown",
          appVersion: "1.0.0",
          buildNumber: "1",
          deviceType: device()?.kind === "pad" ? "Tablet" : "Handset",
          isTablet: device()?.kind === "pad",
          isLowRamDevice: false,
          isDisplayZoomed: false
        },
        resolves: { ...results, syncUniqueId: "replay", getFontScale: () => settings().textSize },
        returns: {
          getFontScaleSync: () => settings().textSize,
          ...Object.fromEntries(Object.entries(results).map(([name, value]) => [`${name}Sync`, value]))
        }
      }
    }
  },
  {
    library: "react-native-get-random-values",
    module: "RNGetRandomValues",
    members: () => ({
      returns: { getRandomBase64: (count: number) => crypto.getRandomValues(new Uint8Array(count)).toBase64() }
    })
  },
  {
    library: "react-native-haptic-feedback",
    module: "RNHapticFeedback",
    members: ({ notes }) => {
      const trigger = (): void => notes.line("The app lets itself be felt.")
      return {
        ignores: "stop",
        resolves: { playAHAP: trigger, getSystemHapticStatus: { hapticsSupported: false } },
        returns: { trigger, triggerPattern: trigger, isSupported: false }
      }
    }
  },
  {
    library: "react-native-localize",
    module: "RNLocalize",
    // The language of the settings, or those of the browser.
    members: () => {
      const country = (): string => locales()[0]?.countryCode ?? "US"
      return {
        returns: {
          getCalendar: "gregorian",
          getCountry: country,
          getCurrencies: () => [country() === "US" ? "USD" : "EUR"],
          getLocales: () => locales().map((one) => ({ ...one, isRTL: isRtl(one.languageCode) })),
          getNumberFormatSettings: separators,
          getTemperatureUnit: () => (country() === "US" ? "fahrenheit" : "celsius"),
          getTimeZone: timeZone,
          uses24HourClock: has24Hours,
          usesMetricSystem: () => !/^(?:US|LR|MM)$/.test(country()),
          usesAutoDateAndTime: null,
          usesAutoTimeZone: null
        }
      }
    }
  },
  {
    library: "react-native-restart",
    module: "RNRestart",
    members: (host) => {
      const again = (reason: unknown): void => {
        host.notes.line(typeof reason === "string" ? `The app restarts: ${reason}.` : "The app restarts.")
        host.restart()
      }
      return { returns: { restart: again, Restart: again }, resolves: { getReason: null } }
    }
  },
  {
    library: "react-native-share",
    module: "RNShare",
    members: ({ notes }) => {
      /** The services that the library has names for. */
      const services =
        "FACEBOOK FACEBOOKSTORIES TWITTER GOOGLEPLUS WHATSAPP INSTAGRAM INSTAGRAMSTORIES TELEGRAM EMAIL MESSENGER VIBER " +
        "PAGESMANAGER WHATSAPPBUSINESS PINTEREST LINKEDIN SNAPCHAT SMS GENERIC DISCORD"
      const open = (options: unknown) => {
        const { message, url } = fieldsIn(options)
        const what = [message, url].filter((one) => typeof one === "string").join(" ")
        notes.line(`The app shares “${what}”; a replay passes it on to nobody.`)
        return { success: true, message: "replay" }
      }
      return {
        constants: Object.fromEntries(services.split(" ").map((name) => [name, name.toLowerCase()])),
        resolves: {
          open,
          shareSingle: open,
          isPackageInstalled: false,
          isBase64File: (url: unknown) => /^data:[^,]*;base64,/.test(String(url))
        }
      }
    }
  }
]

/** @react-native-community/geolocation: as a phone that has no position. */
const geolocation: Pack = {
  partial: (host) => {
    const { calls, callable } = host
    const codes = { PERMISSION_DENIED: 1, POSITION_UNAVAILABLE: 2, TIMEOUT: 3 }
    const failure = async () => {
      const isDenied = (await askPermission(host, "location")) === "denied"
      const message = isDenied ? "User denied access to location services." : "A replay has no position."
      return { ...codes, code: isDenied ? codes.PERMISSION_DENIED : codes.POSITION_UNAVAILABLE, message }
    }
    const reportMissing = (): void => host.notes.missing("method", "RNCGeolocation: there is no position")
    return {
      RNCGeolocation: {
        ...ignoring("setConfiguration stopObserving"),
        getCurrentPosition: (_options: unknown, _done: unknown, fail: unknown): void => {
          reportMissing()
          const called = functionIn(fail)
          if (called !== undefined) void failure().then((error) => calls.call(called, error))
        },
        requestAuthorization: (done: unknown, fail: unknown): void => {
          void failure().then((error) => {
            const called = functionIn(error.code === codes.PERMISSION_DENIED ? fail : done)
            if (called !== undefined) calls.call(called, error)
          })
        },
        startObserving: (): void => {
          reportMissing()
          void failure().then((error) => callable.emit("geolocationError", error))
        }
      }
    }
  }
}

/** The cookies of @react-native-cookies/cookies, by hosts: no request carries them. */
const cookies: Pack = {
  partial: () => {
    const stored = new Map<string, Map<string, object>>()
    const of = (url: unknown): Map<string, object> => {
      const host = URL.canParse(String(url)) ? new URL(String(url)).host : String(url)
      const known = stored.get(host) ?? new Map<string, object>()
      stored.set(host, known)
      return known
    }
    const set = (url: unknown, cookie: unknown): boolean => {
      of(url).set(String(fieldsIn(cookie)["name"]), fieldsIn(cookie))
      return true
    }
    const module = resolving({
      set,
      get: (url: unknown) => Object.fromEntries(of(url)),
      getAll: () => Object.fromEntries([...stored.values()].flatMap((all) => [...all])),
      clearAll: () => {
        stored.clear()
        return true
      },
      clearByName: (url: unknown, name: unknown) => of(url).delete(String(name)),
      setFromResponse: (url: unknown, header: unknown) => {
        const [, name = "", value = ""] = /^([^=;]+)=([^;]*)/.exec(String(header)) ?? []
        return set(url, { name, value })
      },
      flush: null,
      removeSessionCookies: true
    })
    return { RNCookieManagerIOS: module, RNCookieManagerAndroid: module }
  }
}

const returning = (values: Fields): Module =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, functionIn(value) ?? (() => value)]))

const moduleOf = ({ constants: properties, ignores, resolves = {}, returns = {} }: Members): Module => ({
  ...(properties === undefined ? {} : constants(properties)),
  ...(ignores === undefined ? {} : ignoring(ignores)),
  ...resolving(resolves),
  ...returning(returns)
})

/** @react-native-community/netinfo: recorded responses need a network, so the app has one unless it is set offline. */
const netinfo: Pack = {
  partial: ({ callable }) => {
    const isSetOffline = ({ network } = settings()) => network === "offline"
    const state = () => {
      const isOnline = navigator.onLine && !isSetOffline()
      const details = isOnline ? { isConnectionExpensive: false, ssid: null, ipAddress: null } : null
      return { type: isOnline ? "wifi" : "none", isConnected: isOnline, isInternetReachable: isOnline, details }
    }
    const changed = (): void => callable.emit("netInfo.networkStatusDidChange", state())
    for (const change of ["online", "offline"]) window.addEventListener(change, changed)
    onSettings((before) => {
      if (isSetOffline(before) !== isSetOffline()) changed()
    })
    return { RNCNetInfo: { configure: () => {}, getCurrentState: async () => state() } }
  }
}

/** react-native-nitro-modules, by which libraries ask for their native parts. */
const nitro: Pack = {
  modules: (host) => {
    const { app, hybrids } = host
    const proxy = {
      version: "0",
      buildType: "release",
      createHybridObject: (name: string) => hybrids.get(name) ?? stubOf(name, host),
      hasHybridObject: (name: string) => hybrids.has(name),
      getAllHybridObjectNames: () => [...hybrids.keys()],
      isHybridObject: (value: unknown) => typeof value === "object" && value !== null,
      hasNativeState: (value: unknown) => typeof value === "object" && value !== null,
      box: (value: unknown) => ({ unbox: () => value }),
      updateMemorySize: (value: unknown) => value
    }
    return {
      NitroModules: {
        install: (): void => {
          app["NitroModulesProxy"] = proxy
        }
      }
    }
  }
}

/** An object that has every property and method, each of which is itself: what is drawn with it is nothing. */
const nothing: object = new Proxy(() => {}, {
  get: (_, name) =>
    name === Symbol.toPrimitive ? () => 0 : name === "then" || name === "$$typeof" ? undefined : nothing,
  apply: () => nothing,
  construct: () => nothing
})

/** realm: an app starts, and whatever it does with its database throws. */
const realm: Pack = {
  modules: ({ notes }) => ({
    Realm: {
      initialize: () =>
        new Proxy(
          {},
          {
            get: (_, key) => {
              const name = `Realm.${String(key)}`
              // These are called while the library is loaded.
              if (typeof key === "symbol" || /inject|log|clear_(?:all_)?cache/i.test(key)) return nothing
              if (key.startsWith("JsPlatformHelpers")) return () => ""
              return () => {
                notes.missing("method", name)
                throw unavailable(name)
              }
            }
          }
        )
    }
  })
}

export const simpleModules: ReadonlyArray<Pack> = [
  ...rows.map(({ members, module }): Pack => ({ partial: (host) => ({ [module]: moduleOf(members(host)) }) })),
  cookies,
  geolocation,
  netinfo,
  nitro,
  realm
]
