import { unavailable } from "../../modules/absent.ts"
import { constants, ignoring, resolving } from "../../modules/answers.ts"
import { askPermission, permissionOf, type Permission } from "../../modules/permissions.ts"
import { receivePushes, type Delivered } from "../../modules/push.ts"
import type { Host, Module } from "../../modules/Host.ts"
import type { Pack } from "../../modules/Pack.ts"

const config = { name: "[DEFAULT]", automaticDataCollectionEnabled: false, automaticResourceManagement: false }
const options = { apiKey: "replay", appId: "replay", messagingSenderId: "0", projectId: "replay" }

const statuses: Readonly<Record<Permission, number>> = { undetermined: -1, denied: 0, granted: 1 }

/** What reports to a server does nothing here; the console shows events. */
const inert = (host: Host): Readonly<Record<string, Module>> => ({
  NativeRNFBTurboApp: {
    ...constants({ NATIVE_FIREBASE_APPS: [{ appConfig: config, options }], FIREBASE_RAW_JSON: "{}" }),
    ...ignoring("eventsNotifyReady eventsAddListener eventsRemoveListener addListener removeListeners setLogLevel"),
    ...ignoring("setAutomaticDataCollectionEnabled"),
    ...resolving({
      initializeApp: (asked: unknown, named: unknown) => ({ options: asked, appConfig: named }),
      deleteApp: null,
      eventsGetListeners: {},
      metaGetAll: {},
      jsonGetAll: {},
      preferencesGetAll: {}
    })
  },
  NativeRNFBTurboUtils: constants({
    isRunningInTestLab: false,
    MAIN_BUNDLE: "/app/App.app",
    CACHES_DIRECTORY: "/app/Library/Caches",
    DOCUMENT_DIRECTORY: "/app/Documents",
    TEMP_DIRECTORY: "/app/tmp",
    LIBRARY_DIRECTORY: "/app/Library",
    PICTURES_DIRECTORY: "/app/Documents",
    MOVIES_DIRECTORY: "/app/Documents"
  }),
  NativeRNFBTurboAnalytics: resolving({
    logEvent: (...values: ReadonlyArray<unknown>) => {
      const name = values.find((one) => typeof one === "string" && one !== config.name)
      host.notes.line(`The app logs the event ${String(name)}; a replay sends it nowhere.`)
    },
    ...Object.fromEntries(
      [
        "setAnalyticsCollectionEnabled setSessionTimeoutDuration setUserId setUserProperty setUserProperties",
        "resetAnalyticsData setDefaultEventParameters setConsent getAppInstanceId getSessionId"
      ]
        .join(" ")
        .split(" ")
        .map((name) => [name, null])
    )
  }),
  NativeRNFBTurboMessaging: {
    ...constants({ isAutoInitEnabled: false, isRegisteredForRemoteNotifications: false }),
    ...ignoring("signalBackgroundMessageHandlerSet completeNotificationProcessing"),
    ...resolving({
      getInitialNotification: null,
      getDidOpenSettingsForNotification: false,
      getIsHeadless: false,
      getAPNSToken: null,
      setAutoInitEnabled: null,
      hasPermission: () => statuses[permissionOf("notifications")],
      requestPermission: async () => statuses[await askPermission(host, "notifications")]
    })
  },
  NativeRNFBTurboCrashlytics: {
    ...constants({ isCrashlyticsCollectionEnabled: false, isErrorGenerationOnJSCrashEnabled: false }),
    ...ignoring("log recordError sendUnsentReports"),
    ...resolving({
      checkForUnsentReports: false,
      didCrashOnPreviousExecution: false,
      deleteUnsentReports: null,
      logPromise: null,
      recordErrorPromise: null,
      setAttribute: null,
      setAttributes: null,
      setUserId: null,
      setCrashlyticsCollectionEnabled: null
    })
  }
})

const namesIn = (bundle: string, pattern: RegExp): ReadonlyArray<string> => [
  ...new Set(Array.from(bundle.matchAll(pattern), ([, name = ""]) => name))
]

/**
 * @react-native-firebase: it starts and reaches no server. It calls only methods that it finds in a native module, so each
 * one that the bundle calls is there, and rejects.
 */
export const firebase: Pack = {
  partial: (host) => {
    const known = inert(host)
    const names = namesIn(host.bundle, /["'](NativeRNFBTurbo\w+|RNFB\w+Module)["']/g)
    if (names.length === 0) return {}
    const notify =
      (event: string) =>
      ({ body, data, id, title }: Delivered): void => {
        const isSilent = title === undefined && body === undefined
        const notification = isSilent ? {} : { notification: { title, body } }
        host.callable.emit(`rnfb_messaging_${event}`, { messageId: id, data, ...notification })
      }
    receivePushes({
      isUsed: () => names.some((name) => /Messaging/.test(name)),
      received: notify("message_received"),
      opened: notify("notification_opened")
    })
    const methods = namesIn(host.bundle, /\.native\.(\w+)\(/g)
    return Object.fromEntries(
      names.map((name) => {
        const rejecting = (method: string) => async () => {
          host.notes.missing("method", `${name}.${method}`)
          throw unavailable(`${name}.${method}`)
        }
        return [name, { ...Object.fromEntries(methods.map((one) => [one, rejecting(one)])), ...known[name] }]
      })
    )
  }
}
