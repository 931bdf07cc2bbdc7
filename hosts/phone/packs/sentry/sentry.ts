import { constants, ignoring, resolving } from "../../modules/answers.ts"
import type { Pack } from "../../modules/Pack.ts"
import { toBase64 } from "../../modules/network.ts"
import { fieldsIn, listIn, textIn } from "../../runtime/decode.ts"
import { view } from "../../views/view.ts"

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
export const sentry: Pack = {
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
