/** Libraries that talk to a server: they start, and reach none. */
import { constants, type Host, ignoring, type Module, type Pack, resolving } from "../modules/Host.ts"
import { isCalled, unavailable } from "../modules/absent.ts"
import { askPermission, type Delivered, type Permission, permissionOf, receivePushes } from "../modules/dialogs.ts"
import { toBase64 } from "../modules/network.ts"
import { type Fields, fieldsIn, functionIn, listIn, numberIn, textIn } from "../runtime/decode.ts"
import { view } from "../views/view.ts"

const firebaseConfig = { name: "[DEFAULT]", automaticDataCollectionEnabled: false, automaticResourceManagement: false }
const firebaseOptions = { apiKey: "replay", appId: "replay", messagingSenderId: "0", projectId: "replay" }

const authorizationStatuses: Readonly<Record<Permission, number>> = { undetermined: -1, denied: 0, granted: 1 }

/** What reports to a server does nothing here; the console shows events. */
const firebaseModules = (host: Host): Readonly<Record<string, Module>> => ({
  NativeRNFBTurboApp: {
    ...constants({
      NATIVE_FIREBASE_APPS: [{ appConfig: firebaseConfig, options: firebaseOptions }],
      FIREBASE_RAW_JSON: "{}"
    }),
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
      const name = values.find((one) => typeof one === "string" && one !== firebaseConfig.name)
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
      hasPermission: () => authorizationStatuses[permissionOf("notifications")],
      requestPermission: async () => authorizationStatuses[await askPermission(host, "notifications")]
    })
  },
  NativeRNFBTurboAuth: {
    ...constants({ APP_LANGUAGE: {}, APP_USER: {} }),
    // Nobody is signed in.
    addAuthStateListener: (appName: unknown) => host.callable.emit("rnfb_auth_state_changed", { appName }),
    addIdTokenListener: (appName: unknown) => host.callable.emit("rnfb_auth_id_token_changed", { appName }),
    ...ignoring("removeAuthStateListener removeIdTokenListener"),
    ...resolving({ configureAuthDomain: null, signOut: null })
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
const firebase: Pack = {
  partial: (host) => {
    const known = firebaseModules(host)
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

const settingsOf = (permission: Permission) => {
  const authorizationStatus = authorizationStatuses[permission]
  const isGiven = permission === "granted" ? 1 : 0
  return { authorizationStatus, ios: { authorizationStatus, alert: isGiven, badge: isGiven, sound: isGiven } }
}

/** The events of notifee for a notification. */
const [pressEvent, deliveredEvent] = [1, 3]

/** @notifee/react-native: push notifications of the page are received, and the app's own notifications are listed for the app and in the console, and not shown. */
const notifee: Pack = {
  partial: (host) => {
    const shown = new Map<unknown, Fields>()
    const due = new Map<unknown, Fields>()
    let badge = 0
    const display = (options: unknown): void => {
      const { body, id, title } = fieldsIn(options)
      shown.set(id, fieldsIn(options))
      const text = [title, body].filter((one) => one !== undefined).join(": ")
      host.notes.line(`The app shows the notification “${text}”, which a replay only lists.`)
    }
    const cancel = (...maps: ReadonlyArray<Map<unknown, Fields>>) => ({
      one: (id: unknown) => maps.forEach((map) => map.delete(id)),
      some: (ids: unknown) => maps.forEach((map) => listIn(ids).forEach((id) => map.delete(id))),
      all: () => maps.forEach((map) => map.clear())
    })
    const [either, displayed, triggered] = [cancel(shown, due), cancel(shown), cancel(due)]
    const add = (by: unknown) => {
      badge = Math.max(0, badge + (numberIn(by) ?? 1))
    }
    const notify = (type: number | undefined) => (push: Delivered) => {
      const { body, data, id, title } = push
      const notification = { id, title, body, data, remote: { messageId: id, senderId: "replay" }, ios: {} }
      host.callable.emit("app.notifee.notification-event", { type, detail: { notification } })
    }
    receivePushes({
      isUsed: () => host.bundle.includes("NotifeeApiModule"),
      received: notify(deliveredEvent),
      opened: notify(pressEvent)
    })
    return {
      NotifeeApiModule: {
        ...constants({ ANDROID_API_LEVEL: 0 }),
        ...ignoring("createChannel createChannels"),
        ...resolving({
          displayNotification: display,
          createTriggerNotification: (options: unknown, trigger: unknown) => {
            const notification = fieldsIn(options)
            due.set(notification["id"], { notification, trigger })
            host.notes.line("The app schedules a notification, which a replay doesn't show.")
          },
          getDisplayedNotifications: () =>
            [...shown].map(([id, notification]) => ({ id, notification, date: String(Date.now()) })),
          getTriggerNotificationIds: () => [...due.keys()],
          getTriggerNotifications: () => [...due.values()],
          cancelNotification: either.one,
          cancelAllNotifications: either.all,
          cancelAllNotificationsWithIds: either.some,
          cancelDisplayedNotification: displayed.one,
          cancelDisplayedNotifications: displayed.all,
          cancelDisplayedNotificationsWithIds: displayed.some,
          cancelTriggerNotification: triggered.one,
          cancelTriggerNotifications: triggered.all,
          cancelTriggerNotificationsWithIds: triggered.some,
          getNotificationSettings: () => settingsOf(permissionOf("notifications")),
          requestPermission: async () => settingsOf(await askPermission(host, "notifications")),
          getInitialNotification: null,
          getBadgeCount: () => badge,
          setBadgeCount: (count: unknown) => void (badge = numberIn(count) ?? 0),
          incrementBadgeCount: add,
          decrementBadgeCount: (by: unknown) => add(-(numberIn(by) ?? 1)),
          setNotificationCategories: null,
          getNotificationCategories: []
        })
      }
    }
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The message of an event in an envelope; `undefined` if it has none. */
const messageIn = (base64: unknown): string | undefined => {
  const bytes = Uint8Array.fromBase64(textIn(base64) ?? "")
  for (const line of new TextDecoder().decode(bytes).split("\n")) {
    const { exception, message } = fieldsIn(parsed(line))
    const text = textIn(fieldsIn(listIn(fieldsIn(exception)["values"]).at(-1))["value"]) ?? textIn(message)
    if (text !== undefined) return text
  }
  return undefined
}

/** @sentry/react-native: it starts and sends nothing; the console shows its events. */
const sentry: Pack = {
  components: { RNSentryReplayMask: view, RNSentryReplayUnmask: view, RNSentryOnDrawReporter: view },
  partial: ({ notes }) => ({
    RNSentry: {
      ...constants({}),
      ...ignoring("addListener removeListeners addBreadcrumb clearBreadcrumbs setUser setContext removeContext"),
      ...ignoring("setExtra setTag addFeatureFlag setAttribute setAttributes removeAttribute"),
      ...ignoring("enableNativeFramesTracking disableNativeFramesTracking pauseAppHangTracking resumeAppHangTracking"),
      ...ignoring("enableShakeDetection disableShakeDetection fetchNativePackageName fetchNativeStackFramesBy"),
      ...ignoring("getCurrentReplayId"),
      ...resolving({
        initNativeSdk: true,
        closeNativeSdk: null,
        captureEnvelope: (envelope: unknown) => {
          const message = messageIn(envelope)
          if (message !== undefined) notes.line(`The app reports “${message}” to Sentry; a replay sends it nowhere.`)
          return true
        },
        captureReplay: null,
        captureScreenshot: null,
        crashedLastRun: false,
        encodeToBase64: (bytes: unknown) => toBase64(Uint8Array.from(listIn(bytes), Number)),
        fetchModules: null,
        fetchNativeAppStart: null,
        fetchNativeDeviceContexts: {},
        fetchNativeFrames: null,
        fetchNativeFramesDelay: null,
        fetchNativeLogAttributes: {},
        fetchNativeRelease: { build: "1", id: "replay", version: "1.0.0" },
        fetchNativeSdkInfo: null,
        fetchViewHierarchy: null,
        flushReplay: null,
        getNewScreenTimeToDisplay: null,
        initNativeReactNavigationNewFrameTracking: null,
        pauseReplay: null,
        popTimeToDisplayFor: null,
        resumeReplay: null,
        startReplay: null,
        startReplayBuffering: null,
        stopReplay: null
      }),
      crash: () => notes.crashed("The app called Sentry.nativeCrash()."),
      setActiveSpanId: () => false,
      setCurrentScopePropagationContext: () => false,
      startProfiling: () => ({ error: "A replay has no profiler." }),
      stopProfiling: () => ({ error: "A replay has no profiler." })
    }
  })
}

/** Methods that only report to a server, or set up the library. */
const ignoredByPurchases = [
  "addListener removeListeners setAttributes setEmail setDisplayName setPhoneNumber setPushToken setAdjustID setAirshipChannelID",
  "setAppsflyerID setCleverTapID setFBAnonymousID setFirebaseAppInstanceID setKochavaDeviceID setMixpanelDistinctID setMparticleID",
  "setOnesignalID setOnesignalUserID setSingularDeviceID setTenjinAnalyticsInstallationID setMediaSource setCampaign setAdGroup",
  "setAd setKeyword setCreative setAllowSharingStoreAccount setDebugLogsEnabled setLogLevel setLogHandler setProxyURLString",
  "setSimulatesAskToBuyInSandbox setTrackedEventListener setDebugEventListener collectDeviceIdentifiers invalidateCustomerInfoCache",
  "invalidateVirtualCurrenciesCache enableAdServicesAttributionTokenCollection overridePreferredLocale trackCustomPaywallImpression"
].join(" ")

/** react-native-purchases (RevenueCat): it starts; requests to the store and the server reject. */
const purchases: Pack = {
  partial: ({ notes }) => {
    let user: string | undefined
    return {
      RNPurchases: {
        ...ignoring(ignoredByPurchases),
        setupPurchases: (_key: unknown, asked: unknown): void => {
          user = textIn(asked) ?? "$RCAnonymousID:replay"
          notes.line("The app starts RevenueCat; a replay has no store.")
        },
        ...resolving({
          isConfigured: () => user !== undefined,
          getAppUserID: () => user,
          isAnonymous: () => user?.startsWith("$RCAnonymousID:") ?? true,
          canMakePayments: false
        })
      }
    }
  }
}

/** The native modules of services to which an app reports, and what their questions answer; others fail. */
const reporters: Readonly<Record<string, readonly [modules: string, answers?: Fields]>> = {
  Adjust: ["Adjust AdjustEventEmitter", { getAdid: null, getAttribution: null, isEnabled: true }],
  Amplitude: [
    "AmplitudeReactNative AmplitudeReactNativeConnectivity",
    {
      getApplicationContext: {},
      getLegacyEvents: [],
      getLegacySessionData: {},
      getNetworkConnectivityStatus: { isConnected: true }
    }
  ],
  AppsFlyer: ["RNAppsFlyer PCAppsFlyer", { initSdkWithCallBack: "Success", initSdkWithPromise: "Success" }],
  Braze: ["BrazeReactBridge"],
  Clarity: ["Clarity ClarityEmitter"],
  Datadog: ["DdSdk DdLogs DdRum DdTrace DdFlags"],
  Facebook: ["FBSettings FBAppEventsLogger FBAccessToken", { getCurrentAccessToken: null }],
  Intercom: ["IntercomModule IntercomEventEmitter"],
  Mixpanel: ["MixpanelReactNative"],
  OneSignal: ["OneSignal"],
  Segment: ["AnalyticsReactNative Sovran", { getContextInfo: null }]
}

const isQuestion = (name: string): boolean =>
  /^(?:get|is|has|can|are|should|fetch|read|open|show|present|launch|request|validate|verify|purchase|generate|create|resolve|process)(?![a-z])|Listeners?$/.test(
    name
  )

/** Calls that report something, or set up a service, succeed: with a promise and with a callback. */
const reporting: Pack = {
  partial: ({ bundle, calls, notes }) => {
    const moduleFor = (service: string, answers: Fields): Module => {
      let isNoted = false
      const answer =
        (value: unknown) =>
        (...values: ReadonlyArray<unknown>) => {
          if (!isNoted) notes.line(`The app reports to ${service}; a replay sends nothing.`)
          isNoted = true
          const done = functionIn(values.find((one) => typeof one === "function"))
          if (done !== undefined) calls.outside(() => calls.call(done, value))
          return Promise.resolve(value)
        }
      const known: Module = Object.fromEntries(Object.entries(answers).map(([name, value]) => [name, answer(value)]))
      const isReport = (name: string | symbol): name is string =>
        typeof name === "string" && !isQuestion(name) && name !== "then" && isCalled(bundle, name)
      const reports = new Map<string, unknown>()
      return new Proxy(known, {
        has: (target, name) => name in target || isReport(name),
        get: (target, name) => {
          if (name in target || !isReport(name)) return Reflect.get(target, name)
          if (!reports.has(name)) reports.set(name, answer(null))
          return reports.get(name)
        }
      })
    }
    return Object.fromEntries(
      Object.entries(reporters).flatMap(([service, [names, answers = {}]]) =>
        names.split(" ").map((name) => [name, moduleFor(service, answers)])
      )
    )
  }
}

export const services: ReadonlyArray<Pack> = [firebase, notifee, purchases, reporting, sentry]
