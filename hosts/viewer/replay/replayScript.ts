import {
  flooded,
  focusTaken,
  frameLike,
  type Health,
  labels,
  stoppedByFlow,
  stoppedByVisitor,
  troubleOf,
  watchApp
} from "./watchedApp.ts"
import { type AppMessage, type InspectorRequest, orderMessage, posted } from "./message.ts"
import { makeConsoleList, makeFoundText, makeTabs } from "./consoleList.ts"
import { keepFocus, makeDeviceFrame, makeDeviceMenu, makeGrid } from "./deviceFrame.ts"
import { type Order, reportOutsideMouse } from "../../phone/settings/messages.ts"
import { part, setText } from "../ui/dom.ts"
import { makeFlowTab } from "./flowTab.ts"
import { makeInspectorTab, makeNetworkTab, makeStorageTab } from "./inspectorTab.ts"
import { watchForStorm } from "./allowance.ts"
import { makeSourceNames } from "./sourceNames.ts"
import { everyPage } from "../ui/everyPage.ts"

everyPage()

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
  const names = makeSourceNames(section, () => list.renamed())
  const list = makeConsoleList(section, names.named)
  const found = makeFoundText(section, tabs)
  const give = (order: Order): void => app.post(orderMessage(order))

  const menu = makeDeviceMenu(section, {
    changed: (needsStart) => {
      device.show(menu.size(), !menu.isActualSize())
      app.setScheme(menu.scheme())
      if (needsStart) reload()
      else give({ kind: "settings", settings: menu.settings() })
    },
    link: (url) => give({ kind: "link", url }),
    push: (json) => give({ kind: "push", json })
  })

  const flow = makeFlowTab(section, {
    request: (request) => app.post(posted("flows", request)),
    reload: () => reload(),
    stop: () => stop(stoppedByFlow),
    isStopped: () => app.frame() === undefined,
    set: menu.set,
    network: () => menu.settings().network,
    scheme: menu.scheme,
    turn: (isTurned) => {
      if (isTurned !== (button("rotate").ariaPressed === "true")) button("rotate").click()
    },
    link: (url) => give({ kind: "link", url })
  })

  const inspect = (request: InspectorRequest): void => app.post(posted("inspector", request))
  const inspector = makeInspectorTab(section, inspect)
  const inspected = [inspector, makeNetworkTab(section, inspect), makeStorageTab(section, inspect)]

  const grid = makeGrid(({ scheme, settings }) => frameLike(original, settings, scheme))
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
    setText(why, names.named(reason ?? ""))
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
    if (message.kind === "line") list.add(message)
    if (message.kind === "found") found.found(message.text)
    if (message.kind === "missing") found.missing(message)
    flow.onMessage(message)
    for (const one of inspected) {
      if (message.kind === "inspected") one.onInspected(message)
      if (message.kind === "pulse") one.onPulse(message.isDrawn)
    }
    if (message.kind === "pulse") list.leaveOut(message.dropped)
  }

  const app = watchApp(original, section.dataset["listener"] ?? "", {
    message: onMessage,
    leftOut: list.leaveOut,
    flooded: () => stop(flooded),
    loaded: flow.onLoad,
    looked: show
  })

  const stop = (text: string): void => {
    app.stop()
    toggleGrid(false)
    button("stop").disabled = true
    say("stopped", "Stopped", text)
    showRecordings(false)
  }

  const reload = (): void => {
    list.clear()
    found.clear()
    for (const one of inspected) one.clear()
    button("stop").disabled = false
    showRecordings(false)
    app.run(menu.settings(), menu.scheme())
    say("starting", "Starting")
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
  button("stop").addEventListener("click", () => stop(stoppedByVisitor))
  button("clear").addEventListener("click", list.clear)
  tools.hidden = false
  if (location.hash === "#flow") tabs.open("flow")
  reportOutsideMouse(app.frame)
  keepFocus(() => stop(focusTaken))
  watchForStorm(() => {
    if (app.frame() !== undefined) stop(flooded)
  })
}

const section = document.querySelector<HTMLElement>(".device[data-width]")
if (section !== null) begin(section)
