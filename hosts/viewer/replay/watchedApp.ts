import type { Settings } from "../../phone/settings/settings.ts"
import { makeHealth, type Health } from "./health.ts"
import { question, type AppMessage, type ListenerMessage } from "./message.ts"

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
