import type { AppMessage, Missing } from "./message.ts"

/** The state of an app, as the page around it sees it. */
export type Health =
  | { readonly state: "starting" | "running" | "unheard" }
  /** Nothing is drawn. `missing` is the last of what the app asked for and isn't there. */
  | { readonly state: "blank"; readonly missing: Missing | undefined }
  /** It still runs here, but would have ended on a phone. */
  | { readonly state: "crashed"; readonly why: string }
  /** `doing` is its last reported activity. */
  | { readonly state: "silent"; readonly doing: string }
  /** `hint` explains the failure, if the reason is known. */
  | { readonly state: "failed"; readonly why: string; readonly hasDrawn: boolean; readonly hint?: string }
  | { readonly state: "obstacle"; readonly why: string }

/** The time for an app to answer, and to draw something, in milliseconds. */
export const timeoutsMs = { answer: 5000, draw: 5000 }

/** Error messages of apps that need native modules of a phone. */
const wantsNative =
  /native ?module|TurboModule|nativeModuleProxy|__fbBatchedBridge|nativeFabricUIManager|requireNativeComponent|nativeFlushQueueImmediate|nativeCallSyncHook/i

const nativeHint =
  "The app needs native modules, which a browser doesn’t have. Bundle the app for the web to replay it here."

const failed = (why: string, hasDrawn: boolean): Health => ({
  state: "failed",
  why,
  hasDrawn,
  ...(wantsNative.test(why) ? { hint: nativeHint } : {})
})

/**
 * Determines the state of an app from its messages and their times, in milliseconds on one clock; `begun` is when it
 * was loaded. `onMessage` records a message. `look` returns the current state; while the page isn't visible (`isSeen`), a
 * silent app is not considered failed.
 */
export const makeHealth = (begun: number) => {
  let answered = begun
  let drawnOrBegun = begun
  let pulse: Extract<AppMessage, { readonly kind: "pulse" }> | undefined
  let heard = false
  let thrown: string | undefined
  let complaint: string | undefined
  let obstacle: string | undefined
  let crash: string | undefined
  let missing: Missing | undefined
  let doing = ""
  let isAtIt = false
  let hasDrawn = false

  return {
    onMessage: (message: AppMessage, now: number): void => {
      heard = true
      if (message.kind === "obstacle") obstacle ??= message.text
      if (message.kind === "crashed") crash ??= message.text
      if (message.kind === "missing") missing = { what: message.what, name: message.name }
      if (message.kind === "doing") {
        // An activity that has ended is shown until the app answers, because it may be what blocks it.
        doing = message.text || doing
        isAtIt = message.text !== ""
      }
      if (message.kind === "line" && message.isThrown) thrown ??= message.text
      else if (message.kind === "line" && message.level === "error") complaint ??= message.text
      if (message.kind !== "pulse") return
      answered = now
      if (!isAtIt) doing = ""
      pulse = message
      hasDrawn ||= message.isDrawn
      if (message.isDrawn || !message.hasStarted) drawnOrBegun = now
    },
    look: (now: number, isSeen: boolean): Health => {
      if (!isSeen) {
        answered = now
        drawnOrBegun = now
      }
      if (obstacle !== undefined) return { state: "obstacle", why: obstacle }
      if (now - answered >= timeoutsMs.answer) return heard ? { state: "silent", doing } : { state: "unheard" }
      if (pulse === undefined) return { state: "starting" }
      if (pulse.isDrawn) return crash === undefined ? { state: "running" } : { state: "crashed", why: crash }
      if (!pulse.hasStarted) return { state: "starting" }
      const error = thrown ?? complaint
      if (error !== undefined) return failed(error, hasDrawn)
      return now - drawnOrBegun >= timeoutsMs.draw ? { state: "blank", missing } : { state: "running" }
    }
  }
}
