/**
 * The script of a replay's page. It scales, turns, reloads and stops the device's screen, and shows the app's console
 * and its state. Without it the app runs at its own size.
 */
import { makeHealth, type Health } from "./health.ts"
import { orderMessage, question, type ListenerMessage, type AppMessage } from "./message.ts"
import { makeConsoleList } from "./consoleList.ts"
import { makeDeviceFrame } from "./deviceFrame.ts"
import { makeDeviceMenu } from "./deviceMenu.ts"
import { makeGrid } from "./grid.ts"
import type { Order } from "../../phone/settings/orders.ts"
import type { Settings } from "../../phone/settings/settings.ts"
import { part, setText } from "../ui/dom.ts"
import { makeFoundText } from "./foundText.ts"
import { posted } from "./frame/frameRequests.ts"
import { makeFlowTab } from "./flowTab.ts"
import type { InspectorRequest } from "./inspector/inspectorMessages.ts"
import { makeInspectorTab } from "./inspector/inspectorTab.ts"
import { makeNetworkTab } from "./inspector/networkTab.ts"
import { makeStorageTab } from "./inspector/storageTab.ts"
import { keepFocus } from "./keepFocus.ts"
import { reportOutsideMouse } from "../../phone/touch/outsideMouse.ts"
import { watchForStorm } from "./messageStorm.ts"
import { makeTabs } from "./tabs.ts"
import { everyPage } from "../ui/everyPage.ts"

everyPage()

/** How often an app is asked whether it is alive, before and after its first answer, in milliseconds. */
const every = { early: 250, later: 1000 }

const flooded = "It posted more messages than a page can read, so it was stopped."
const focusTaken = "It kept taking the keyboard away from the page, so it was stopped."

const labels: Readonly<Record<Health["state"], string>> = {
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
const troubleOf = (health: Health): string | undefined => {
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

const begin = (section: HTMLElement): void => {
  const tools = part(section, ".tools", HTMLElement)
  const state = part(tools, ".state", HTMLElement)
  const trouble = part(section, ".trouble", HTMLElement)
  const why = part(trouble, ".why", HTMLElement)
  const bezel = part(section, ".bezel", HTMLElement)
  const screen = part(bezel, ".screen", HTMLElement)
  const instead = part(section, ".instead", HTMLElement)
  const recorded = part(section, "template", HTMLTemplateElement)
  const button = (name: string) => part(section, `button[data-do=${name}]`, HTMLButtonElement)
  const original = part(screen, "iframe", HTMLIFrameElement)

  const device = makeDeviceFrame(section)
  const tabs = makeTabs(section, (name) => {
    if (name !== "inspector") inspector.left()
    for (const one of inspected) one.opened()
  })
  const list = makeConsoleList(section)
  const found = makeFoundText(section, tabs)
  let frame: HTMLIFrameElement | undefined = original
  let health = makeHealth(performance.now())
  let pulses = 0

  const give = (order: Order): void => frame?.contentWindow?.postMessage(orderMessage(order), "*")

  const menu = makeDeviceMenu(section, {
    changed: (needsStart) => {
      device.show(menu.size(), !menu.isActualSize())
      if (frame !== undefined) frame.style.colorScheme = menu.scheme()
      if (needsStart) reload()
      else give({ kind: "settings", settings: menu.settings() })
    },
    link: (url) => give({ kind: "link", url })
  })

  const flow = makeFlowTab(section, {
    request: (request) => frame?.contentWindow?.postMessage(posted("flows", request), "*"),
    reload: () => reload()
  })

  const inspect = (request: InspectorRequest): void =>
    frame?.contentWindow?.postMessage(posted("inspector", request), "*")
  const inspector = makeInspectorTab(section, inspect)
  const inspected = [inspector, makeNetworkTab(section, inspect), makeStorageTab(section, inspect)]

  /** A frame for the app. Its name has the settings, and a document in it inherits the colour scheme of its element. */
  const newFrame = (settings: Settings, scheme: "light" | "dark"): HTMLIFrameElement => {
    const made = document.importNode(original)
    made.name = JSON.stringify(settings)
    made.style.colorScheme = scheme
    return made
  }

  const grid = makeGrid(({ scheme, settings }) => newFrame(settings, scheme))
  const toggleGrid = (isOpen: boolean): void => {
    button("grid").ariaPressed = String(isOpen)
    if (isOpen) grid.open(menu.settings().device ?? "iphone-17")
    else grid.close()
  }

  const say = (name: Health["state"] | "stopped", short: string, text?: string, reason?: string): void => {
    state.dataset["state"] = name
    setText(state, short)
    trouble.hidden = text === undefined
    setText(part(trouble, "p", HTMLElement), text ?? "")
    why.hidden = reason === undefined
    setText(why, reason ?? "")
    flow.onState(name)
  }

  /** Recordings are shown instead of an app that shows nothing. */
  const showRecordings = (isWanted: boolean): void => {
    const isPossible = isWanted && recorded.content.childElementCount > 0
    if (isPossible && instead.childElementCount === 0) instead.append(recorded.content.cloneNode(true))
    instead.hidden = !isPossible
    bezel.hidden = isPossible
  }

  const show = (now: Health): void => {
    const reason = "why" in now ? now.why : undefined
    say(now.state, labels[now.state], troubleOf(now), reason)
    showRecordings(reason !== undefined && now.state !== "crashed")
  }

  const onMessage = (message: AppMessage): void => {
    health.onMessage(message, performance.now())
    if (message.kind === "line") list.add(message)
    if (message.kind === "found") found.found(message.text)
    if (message.kind === "missing") found.missing(message)
    flow.onMessage(message)
    for (const one of inspected) {
      if (message.kind === "inspected") one.onInspected(message)
      if (message.kind === "pulse") one.onPulse(message.isDrawn)
    }
    if (message.kind !== "pulse") return
    pulses += 1
    list.leaveOut(message.dropped)
  }

  const onListenerMessage = (message: ListenerMessage): void => {
    if (message.kind === "message") onMessage(message.message)
    else if (message.kind === "skipped") list.leaveOut(message.count)
    else stop(flooded)
  }

  const newListener = (): Worker => {
    const made = new Worker(section.dataset["listener"] ?? "")
    made.addEventListener("message", ({ data }: MessageEvent<ListenerMessage>) => {
      if (made === listener) onListenerMessage(data)
    })
    return made
  }
  let listener = newListener()

  const stop = (text: string): void => {
    listener.terminate()
    frame?.remove()
    frame = undefined
    toggleGrid(false)
    button("stop").disabled = true
    say("stopped", "Stopped", text)
    showRecordings(false)
  }

  const reload = (): void => {
    listener.terminate()
    frame?.remove()
    const next = newFrame(menu.settings(), menu.scheme())
    frame = next
    listener = newListener()
    health = makeHealth(performance.now())
    pulses = 0
    list.clear()
    found.clear()
    for (const one of inspected) one.clear()
    button("stop").disabled = false
    showRecordings(false)
    askOnceLoaded(next)
    screen.append(next)
    say("starting", "Starting")
  }

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
      flow.onLoad()
    })
  }

  const look = (): void => {
    if (frame !== undefined) {
      const isSeen = document.visibilityState === "visible"
      if (isSeen && frame.contentWindow !== null) ask(frame.contentWindow)
      show(health.look(performance.now(), isSeen))
    }
    setTimeout(look, pulses === 0 ? every.early : every.later)
  }

  button("rotate").addEventListener("click", () => {
    button("rotate").ariaPressed = String(device.turn())
  })
  button("grid").addEventListener("click", () => toggleGrid(button("grid").ariaPressed !== "true"))
  const leave = part(section, ".leave", HTMLButtonElement)
  const alone = (): void => {
    if (device.alone()) leave.focus()
    else button("alone").focus()
  }
  button("alone").addEventListener("click", alone)
  leave.addEventListener("click", alone)
  section.addEventListener("keydown", ({ key }) => {
    if (key === "Escape" && !leave.hidden) alone()
  })
  button("reload").addEventListener("click", reload)
  button("stop").addEventListener("click", () => stop("The app was stopped. Reload it to run it again."))
  button("clear").addEventListener("click", list.clear)
  tools.hidden = false
  if (location.hash === "#flow") tabs.open("flow")
  askOnceLoaded(original)
  reportOutsideMouse(() => frame)
  keepFocus(() => stop(focusTaken))
  watchForStorm(() => {
    if (frame !== undefined) stop(flooded)
  })
  look()
}

const section = document.querySelector<HTMLElement>(".device[data-width]")
if (section !== null) begin(section)
