/**
 * The bridge: the first script in the document of a replay. It sends the page around the frame the app's console
 * output, its errors, and a sign that it is alive. The app can tamper with the bridge, so the page treats everything
 * from it as plain text.
 */
import { noteEvent } from "../../phone/runtime/notes.ts"
import { orderEvent } from "../../phone/settings/messages.ts"
import { settingsName } from "../../phone/settings/settings.ts"
import { describe } from "./describe.ts"
import { addMemoryDatabase, addMemoryHistory, addMemoryStorage } from "./memory.ts"
import {
  type AppMessage,
  type Asked,
  decodeAppMessage,
  frameScriptUrl,
  isQuestion,
  type Level,
  levels,
  messageLimits,
  orderIn,
  requestEvent,
  requestIn
} from "./message.ts"
import { logNetwork } from "./networkLog.ts"

/** The most elements that are looked at: an app with more has certainly drawn some. */
const maxElements = 2000

/** Elements with something of their own to see. */
const pictures = "img, svg, canvas, video, iframe, input, textarea, button, .pixels, .unknown"

const transparent = "rgba(0, 0, 0, 0)"

/** Whether anything of an element differs from the empty screen behind it, without what is in it. */
const isSeen = (element: Element, ground: string): boolean => {
  const { backgroundColor, backgroundImage, borderTopWidth, boxShadow } = getComputedStyle(element)
  const isPainted = backgroundColor !== transparent && backgroundColor !== ground
  const hasText = [...element.childNodes].some(
    (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== ""
  )
  if (!hasText && !isPainted && backgroundImage === "none" && borderTopWidth === "0px" && boxShadow === "none") {
    if (!element.matches(pictures)) return false
  }
  const { height, width } = element.getBoundingClientRect()
  return height > 0 && width > 0 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
}

/** Whether the phone's screen shows anything but its empty ground: views that are as white as that are none. */
const hasInk = (root: Element): boolean => {
  const ground = getComputedStyle(document.documentElement).backgroundColor
  const all = [...root.querySelectorAll("*")]
  return all.length > maxElements || all.some((element) => isSeen(element, ground))
}

const page = window.parent
const now = Date.now.bind(Date)

// Anyone with such a URL can open its content, so URLs are removed from texts that are shown and copied.
const own = location.href.slice(0, location.href.lastIndexOf("/") + 1)

/**
 * Removes WebRTC, which can reach any address and which no header forbids in browsers without `Connection-Allowlist`.
 * This stops ordinary use only: an app can get WebRTC back from a frame that it creates.
 */
const removeWebRtc = (): void => {
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "mozRTCPeerConnection"]) {
    Reflect.deleteProperty(window, name)
  }
}

const connect = (): void => {
  let port: MessagePort | undefined
  const kept: Array<AppMessage> = []

  const send = (message: AppMessage): void => {
    if (port !== undefined) port.postMessage(message)
    else if (kept.push(message) > messageLimits.kept) kept.shift()
  }

  let second = 0
  let count = 0
  let dropped = 0

  const line = (level: Level, values: ReadonlyArray<unknown>, isThrown = false): void => {
    const time = now()
    if (time - second >= 1000) {
      second = time
      count = 0
    }
    if (++count > messageLimits.linesPerSecond) dropped += 1
    else send({ kind: "line", level, text: describe(values, messageLimits.characters).replaceAll(own, "./"), isThrown })
  }

  const root = (): HTMLElement | null => document.querySelector("#root")

  /** Once there is something to see on the phone's screen, its elements are enough. */
  let hadInk = false

  const isContent = (node: ChildNode): boolean =>
    node instanceof Element
      ? !node.matches("#root, script, style, template, link, noscript")
      : node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== ""

  const isDrawn = (): boolean => {
    const shown = root()
    if ([...(document.body?.childNodes ?? [])].some(isContent)) return true
    if (shown === null || ![...shown.childNodes].some(isContent)) return false
    hadInk ||= !shown.matches(".phone") || hasInk(shown)
    return hadInk
  }

  const pulse = (): AppMessage => {
    // The phone's script loads the bundle itself, and reports when it starts to run it.
    const hasStarted = document.readyState === "complete" && document.querySelector("script[data-starting]") === null
    const message: AppMessage = { kind: "pulse", hasStarted, isDrawn: isDrawn(), dropped }
    dropped = 0
    return message
  }

  const loaded = new Map<Asked, Promise<unknown>>()
  /** Passes a request of the page to its script, which few pages need. */
  const onRequest = (to: Asked, detail: unknown): void => {
    const script =
      loaded.get(to) ??
      new Promise((resolve) => {
        const element = document.createElement("script")
        element.crossOrigin = "anonymous"
        element.src = frameScriptUrl(to)
        element.addEventListener("load", resolve)
        document.head.append(element)
      })
    loaded.set(to, script)
    void script.then(() => document.dispatchEvent(new CustomEvent(requestEvent(to), { detail })))
  }

  window.addEventListener("message", (event) => {
    if (event.source !== page) return
    const request = requestIn(event.data)
    if (request !== undefined) {
      event.stopImmediatePropagation()
      onRequest(request.to, request.request)
    }
    const order = orderIn(event.data)
    if (order !== undefined) {
      event.stopImmediatePropagation()
      document.dispatchEvent(new CustomEvent(orderEvent, { detail: order }))
    }
    if (!isQuestion(event.data)) return
    // The app doesn't see this message.
    event.stopImmediatePropagation()
    port = event.ports[0]
    kept.splice(0).forEach(send)
    send(pulse())
  })

  for (const level of levels) {
    const write = console[level].bind(console)
    console[level] = (...values: ReadonlyArray<unknown>) => {
      line(level, values)
      write(...values)
    }
  }
  const assert = console.assert.bind(console)
  console.assert = (condition?: boolean, ...values: ReadonlyArray<unknown>) => {
    if (condition !== true) line("error", ["Assertion failed:", ...values])
    assert(condition, ...values)
  }

  const thrown = (event: ErrorEvent): void => {
    const { colno, error, filename, lineno, message } = event
    const where = filename === "" ? "" : `\n    at ${filename}:${lineno}:${colno}`
    line("error", error instanceof Error ? ["Uncaught", error] : [`${message}${where}`], true)
  }

  // Error events of failed loads don't bubble, so they are caught in the capture phase.
  window.addEventListener(
    "error",
    (event: Event) => {
      if (event instanceof ErrorEvent) thrown(event)
      else if (event.target instanceof Element) {
        const source = event.target.getAttribute("src") ?? event.target.getAttribute("href") ?? ""
        const isBundle = event.target.matches("body > script[crossorigin]")
        line("error", [`${isBundle ? "The bundle" : source} could not be loaded.`], isBundle)
      }
    },
    true
  )
  window.addEventListener("unhandledrejection", ({ reason }) => line("error", ["Uncaught (in promise)", reason], true))
  document.addEventListener("securitypolicyviolation", ({ blockedURI, effectiveDirective }) =>
    line("warn", [`The sandbox refused ${blockedURI} (${effectiveDirective}): an app reaches its own files only.`])
  )

  document.addEventListener(noteEvent, (event) => {
    const message = event instanceof CustomEvent ? decodeAppMessage(event.detail) : undefined
    if (message === undefined || message.kind === "line" || message.kind === "pulse") return
    send("text" in message ? { ...message, text: message.text.replaceAll(own, "./") } : message)
  })

  document.addEventListener("DOMContentLoaded", () => {
    const found = document.querySelector<HTMLElement>("script[data-found]")?.dataset["found"]
    if (found !== undefined) send({ kind: "found", text: found })
    const why = document.querySelector("[data-obstacle] p")?.textContent
    if (typeof why === "string") send({ kind: "obstacle", text: why })
  })
}

/** The page names a frame by the settings of its device, so that they are known before the app starts. */
const takeSettings = (): void => {
  document.documentElement.dataset[settingsName] = window.name
  window.name = ""
}

takeSettings()
removeWebRtc()
addMemoryStorage()
addMemoryDatabase()
if (page !== window) {
  addMemoryHistory()
  logNetwork()
  connect()
}
