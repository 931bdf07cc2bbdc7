/** Whether the app in a frame is well: the signs of life that it sends, and how its state reads. */
import type { Settings } from "../../phone/settings/settings.ts"
import { type AppMessage, type ListenerMessage, type Missing, question } from "./message.ts"

/** How often an app is asked whether it is alive, before and after its first answer, in milliseconds. */
const every = { early: 250, later: 1000 }

/** A frame for the same app. Its name has the settings, and a document in it inherits the colour scheme of its element. */
export const frameLike = (
  original: HTMLIFrameElement,
  settings: Settings,
  scheme: "light" | "dark"
): HTMLIFrameElement => {
  const made = document.importNode(original)
  made.name = JSON.stringify(settings)
  made.style.colorScheme = scheme
  return made
}

/**
 * Watches an app in a frame of the page: asks it whether it is alive, and receives its messages. They go to the worker at
 * `listenerUrl`, never to the page.
 */
export const watchApp = (
  original: HTMLIFrameElement,
  listenerUrl: string,
  on: {
    readonly message: (message: AppMessage) => void
    /** So many messages were dropped unread. */
    readonly leftOut: (count: number) => void
    /** It sent more than can be handled. */
    readonly flooded: () => void
    /** Its document was loaded, from the beginning. */
    readonly loaded: () => void
    /** The state of the app, each time the page looks. */
    readonly looked: (health: Health) => void
  }
) => {
  const screen = original.parentElement
  let frame: HTMLIFrameElement | undefined = original
  let health = makeHealth(performance.now())
  let pulses = 0

  const onMessage = (message: AppMessage): void => {
    health.onMessage(message, performance.now())
    if (message.kind === "pulse") pulses += 1
    on.message(message)
  }

  const newListener = (): Worker => {
    const made = new Worker(listenerUrl)
    made.addEventListener("message", ({ data }: MessageEvent<ListenerMessage>) => {
      if (made !== listener) return
      if (data.kind === "message") onMessage(data.message)
      else if (data.kind === "skipped") on.leftOut(data.count)
      else on.flooded()
    })
    return made
  }
  let listener = newListener()

  /** Asks the app whether it is alive. The app's answers go to the worker, never to this page. */
  const ask = (app: Window): void => {
    const { port1, port2 } = new MessageChannel()
    listener.postMessage(undefined, [port1])
    app.postMessage(question, "*", [port2])
  }

  /** Asks as soon as there is an app, before that is busy with its bundle. */
  const askOnceLoaded = (asked: HTMLIFrameElement): void => {
    asked.addEventListener("load", () => {
      if (asked !== frame || asked.contentWindow === null) return
      ask(asked.contentWindow)
      on.loaded()
    })
  }

  const look = (): void => {
    if (frame !== undefined) {
      const isSeen = document.visibilityState === "visible"
      if (isSeen && frame.contentWindow !== null) ask(frame.contentWindow)
      on.looked(health.look(performance.now(), isSeen))
    }
    setTimeout(look, pulses === 0 ? every.early : every.later)
  }
  askOnceLoaded(original)
  // Who watches has everything that it needs for the first look only afterwards.
  setTimeout(look)

  const stop = (): void => {
    listener.terminate()
    frame?.remove()
    frame = undefined
  }

  return {
    /** The frame of the app; `undefined` while it is stopped. */
    frame: (): HTMLIFrameElement | undefined => frame,
    post: (message: unknown): void => frame?.contentWindow?.postMessage(message, "*"),
    setScheme: (scheme: "light" | "dark"): void => {
      if (frame !== undefined) frame.style.colorScheme = scheme
    },
    /** Runs the app from the beginning. */
    run: (settings: Settings, scheme: "light" | "dark"): void => {
      stop()
      const next = frameLike(original, settings, scheme)
      frame = next
      listener = newListener()
      health = makeHealth(performance.now())
      pulses = 0
      askOnceLoaded(next)
      screen?.append(next)
    },
    stop
  }
}

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

/** What each state of an app is called. */
export const labels: Readonly<Record<Health["state"], string>> = {
  starting: "Starting",
  running: "Running",
  blank: "Nothing is drawn",
  crashed: "Crashed",
  silent: "Not answering",
  unheard: "Not answering",
  failed: "Failed",
  obstacle: "Can’t run"
}

/** The explanation of an app's state, if it is one of trouble. */
export const troubleOf = (health: Health): string | undefined => {
  switch (health.state) {
    case "silent":
      return `The app doesn’t answer. ${health.doing || "It may be in an endless loop, or have run out of memory."} Stop or reload it.`
    case "unheard":
      return (
        "The app sent nothing. It may be in an endless loop, or have run out of memory. Stop or reload it. " +
        "If this page is older than an hour, load the page again."
      )
    case "failed":
      return `The app failed ${health.hasDrawn ? "and draws nothing any more" : "before it had drawn anything"}. ${health.hint ?? ""}`
    case "blank":
      return (
        "The app runs, and has drawn nothing for five seconds. " +
        (health.missing === undefined
          ? "It may wait for a server, which a replay has not."
          : `The last of what it asked for and isn’t there is the ${health.missing.what} ${health.missing.name}.`)
      )
    case "crashed":
      return "The app crashed: on a phone, a release build would have closed. Reload it to run it again."
    case "obstacle":
      return "This bundle can’t run in a browser."
    default:
      return undefined
  }
}

export const flooded = "It posted more messages than a page can read, so it was stopped."
export const focusTaken = "It kept taking the keyboard away from the page, so it was stopped."
export const stoppedByVisitor = "The app was stopped. Reload it to run it again."
export const stoppedByFlow = "The flow stopped the app. Reload it to run it again."
