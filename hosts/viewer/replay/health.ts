import type { AppMessage } from "./message.ts"

/** The state of an app, as far as the page around it can tell. */
export type Health =
  | { readonly state: "starting" | "running" | "blank" | "unheard" }
  /** `doing` says what it is at, if it said so. */
  | { readonly state: "silent"; readonly doing: string }
  /** `hint` explains the failure, if the reason is known. */
  | { readonly state: "failed"; readonly why: string; readonly hasDrawn: boolean; readonly hint?: string }
  | { readonly state: "obstacle"; readonly why: string }

/** How long an app may take to answer, and to draw something, in milliseconds. */
export const timeoutsMs = { answer: 5000, draw: 4000 }

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
 * was loaded. `told` records a message. `look` returns the current state; while the page isn't visible (`isSeen`), a
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
  let doing = ""
  let isAtIt = false
  let hasDrawn = false

  return {
    onMessage: (told: AppMessage, now: number): void => {
      heard = true
      if (told.kind === "obstacle") obstacle ??= told.text
      if (told.kind === "doing") {
        // What has ended is said until the app answers: it caused what keeps the app from that.
        doing = told.text || doing
        isAtIt = told.text !== ""
      }
      if (told.kind === "line" && told.isThrown) thrown ??= told.text
      else if (told.kind === "line" && told.level === "error") complaint ??= told.text
      if (told.kind !== "pulse") return
      answered = now
      if (!isAtIt) doing = ""
      pulse = told
      hasDrawn ||= told.isDrawn
      if (told.isDrawn || !told.hasStarted) drawnOrBegun = now
    },
    look: (now: number, isSeen: boolean): Health => {
      if (!isSeen) {
        answered = now
        drawnOrBegun = now
      }
      if (obstacle !== undefined) return { state: "obstacle", why: obstacle }
      if (now - answered >= timeoutsMs.answer) return heard ? { state: "silent", doing } : { state: "unheard" }
      if (pulse === undefined) return { state: "starting" }
      if (pulse.isDrawn) return { state: "running" }
      if (!pulse.hasStarted) return { state: "starting" }
      const error = thrown ?? complaint
      if (error !== undefined) return failed(error, hasDrawn)
      return { state: now - drawnOrBegun >= timeoutsMs.draw ? "blank" : "running" }
    }
  }
}
