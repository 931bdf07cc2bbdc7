/** The script of a page with two apps: it repeats in one what is done in the other. */
import { type FlowCommand, type Recorded, stepName } from "../../phone/flows/flow.ts"
import { mirroredName } from "../../phone/flows/mirror.ts"
import type { StepResult } from "../../phone/flows/runFlow.ts"
import { type Order, reportOutsideMouse } from "../../phone/settings/messages.ts"
import { part, parts, setText } from "../ui/dom.ts"
import { everyPage } from "../ui/everyPage.ts"
import { watchForStorm } from "./allowance.ts"
import { keepFocus, makeDeviceFrame, makeDeviceMenu } from "./deviceFrame.ts"
import { makeStepList } from "./flowTab.ts"
import { type AppMessage, type FlowRequest, orderMessage, posted } from "./message.ts"
import { flooded, focusTaken, type Health, labels, stoppedByVisitor, troubleOf, watchApp } from "./watchedApp.ts"

/** How long the other app has to show what was pressed, in milliseconds. */
const timeouts = { lookup: 2000, optional: 2000 }

/** The most steps that wait for the other app. */
const maxWaiting = 100

/** Repeats what is done in one app in another. `began` receives the name of each step, and answers who receives its result. */
const mirrorApp = (
  from: (request: FlowRequest) => void,
  to: (request: FlowRequest) => void,
  began: (name: string) => (result: StepResult) => void
) => {
  let isOn = false
  /** How many steps of the app are known, and the version of their report. */
  let known = 0
  let version = -1
  let waiting: ReadonlyArray<FlowCommand> = []
  let lastId = 0
  let now: { readonly request: FlowRequest; readonly end: (result: StepResult) => void } | undefined

  const listen = (): void => from({ kind: "listen", isRecording: isOn, isPicking: false, isMirrored: true })

  const next = (): void => {
    const [command, ...more] = waiting
    if (now !== undefined || command === undefined) return
    waiting = more
    const end = began(mirroredName(command) ?? stepName(command))
    now = { request: { kind: "perform", id: ++lastId, command, timeouts, isMirrored: true }, end }
    to(now.request)
  }

  const ended = (result: StepResult): void => {
    const was = now
    now = undefined
    was?.end(result)
    next()
  }

  /** Adds a step. Of several of the same field or list, only the last one counts. */
  const add = (command: FlowCommand): void => {
    const last = waiting.at(-1)
    const isNewer = last?.name === command.name && mirroredName(command) !== undefined
    waiting = [...(isNewer ? waiting.slice(0, -1) : waiting), command].slice(-maxWaiting)
  }

  const onRecorded = (report: Recorded): void => {
    if (report.version <= version) return
    version = report.version
    const total = report.before + report.commands.length
    if (isOn) for (const command of report.commands.slice(Math.max(0, known - report.before))) add(command)
    known = total
    next()
  }

  return {
    turn: (on: boolean): void => {
      isOn = on
      waiting = []
      listen()
    },
    /** A message of the app in which somebody does something. */
    onMessage: (message: AppMessage): void => {
      if (message.kind === "recorded") onRecorded(message)
      // Reports may have been lost, as the answers of the other app may.
      if (message.kind === "pulse" && isOn) listen()
    },
    /** A message of the app that repeats it. */
    onAnswer: (message: AppMessage): void => {
      if (message.kind === "performed" && message.id === lastId) ended(message.result)
      if (message.kind === "pulse" && now !== undefined) to(now.request)
    },
    /** The first app was loaded, from the beginning. */
    onLoad: (): void => {
      version = -1
      known = 0
      if (isOn) listen()
    },
    /** The other app does nothing more, or was loaded from the beginning. */
    giveUp: (reason: string): void => {
      waiting = []
      if (now !== undefined) ended({ status: "failed", reason })
    }
  }
}

everyPage()

const names = { left: "Left", right: "Right" } as const
type Side = keyof typeof names

/** The widest window that has room for one device only, in CSS pixels: as `replayPair.css` has it. */
const narrow = window.matchMedia("(max-width: 59.99rem)")

const begin = (section: HTMLElement): void => {
  const button = (name: string) => part(section, `button[data-do=${name}]`, HTMLButtonElement)
  const device = makeDeviceFrame(section)
  const list = makeStepList(part(section, ".ran", HTMLElement))

  const sideOf = (
    side: Side,
    on: { message: (message: AppMessage) => void; loaded: () => void; ended: () => void }
  ) => {
    const figure = part(section, `figure[data-side=${side}]`, HTMLElement)
    const state = part(figure, ".state", HTMLElement)
    const trouble = part(section, `.trouble[data-side=${side}]`, HTMLElement)
    const why = part(trouble, ".why", HTMLElement)

    const say = (name: Health["state"] | "stopped", short: string, text?: string, reason?: string): void => {
      state.dataset["state"] = name
      setText(state, short)
      trouble.hidden = text === undefined
      setText(part(trouble, "p", HTMLElement), text === undefined ? "" : `${names[side]}: ${text}`)
      why.hidden = reason === undefined
      setText(why, reason ?? "")
    }
    const app = watchApp(part(figure, "iframe", HTMLIFrameElement), section.dataset["listener"] ?? "", {
      message: (message) => {
        // What is done before the app reports it is not mirrored.
        if (message.kind === "recorded") figure.toggleAttribute("data-mirrored", message.isRecording)
        on.message(message)
      },
      leftOut: () => {},
      flooded: () => stop(flooded),
      loaded: on.loaded,
      looked: (health) => {
        const text = troubleOf(health)
        if (text !== undefined) on.ended()
        say(health.state, labels[health.state], text, "why" in health ? health.why : undefined)
      }
    })
    const stop = (text: string): void => {
      app.stop()
      on.ended()
      say("stopped", "Stopped", text)
    }
    reportOutsideMouse(app.frame)
    return {
      app,
      stop,
      run: (): void => {
        app.run(menu.settings(), menu.scheme())
        say("starting", "Starting")
      },
      request: (request: object): void => app.post(posted("flows", request))
    }
  }

  const began = (side: Side) => {
    let last: string | undefined
    return (name: string) => {
      // Places of a list, and texts of a field, follow one another: one line stands for them.
      const isSame = last === name && (name === "Scroll" || name === "Type")
      last = name
      const end = isSame ? undefined : list.add(`${names[side]}: ${name}`, 0)
      return (result: Parameters<ReturnType<typeof list.add>>[0]): void => {
        if (result.status !== "passed") last = undefined
        if (end !== undefined) end(result)
        else if (result.status !== "passed") list.add(`${names[side]}: ${name}`, 0)(result)
      }
    }
  }

  const left = sideOf("left", {
    message: (message) => {
      toRight.onMessage(message)
      toLeft.onAnswer(message)
    },
    loaded: () => toRight.onLoad(),
    ended: () => toLeft.giveUp("the left app does nothing more")
  })
  const right = sideOf("right", {
    message: (message) => {
      toLeft.onMessage(message)
      toRight.onAnswer(message)
    },
    loaded: () => toLeft.onLoad(),
    ended: () => toRight.giveUp("the right app does nothing more")
  })
  const toRight = mirrorApp(left.request, right.request, began("right"))
  const toLeft = mirrorApp(right.request, left.request, began("left"))
  const both = [left, right]

  const give = (order: Order): void => {
    for (const { app } of both) app.post(orderMessage(order))
  }

  const menu = makeDeviceMenu(section, {
    changed: (needsStart) => {
      device.show(menu.size(), !menu.isActualSize())
      for (const { app } of both) {
        app.setScheme(menu.scheme())
      }
      if (needsStart) reload()
      else give({ kind: "settings", settings: menu.settings() })
    },
    link: (url) => give({ kind: "link", url }),
    push: (json) => give({ kind: "push", json })
  })

  const mirror = (isOn: boolean): void => {
    button("mirror").ariaPressed = String(isOn)
    toRight.turn(isOn)
    toLeft.turn(isOn)
  }

  const reload = (): void => {
    for (const mirrored of [toRight, toLeft]) mirrored.giveUp("the apps were loaded again")
    list.clear()
    button("stop").disabled = false
    for (const { run } of both) run()
  }

  const stop = (text: string): void => {
    button("stop").disabled = true
    for (const one of both) one.stop(text)
  }

  const views = parts(section, "button[data-view]", HTMLButtonElement)
  const view = (wanted: string): void => {
    section.dataset["view"] = wanted
    for (const one of views) one.ariaPressed = String(one.dataset["view"] === wanted)
    part(section, ".lit", HTMLElement).hidden = wanted !== "difference"
    device.draw()
  }
  for (const one of views) one.addEventListener("click", () => view(one.dataset["view"] ?? "both"))
  const fit = (): void => {
    const shown = section.dataset["view"]
    if (narrow.matches && shown === "both") view("left")
  }
  narrow.addEventListener("change", fit)

  button("mirror").addEventListener("click", () => mirror(button("mirror").ariaPressed !== "true"))
  button("rotate").addEventListener("click", () => {
    button("rotate").ariaPressed = String(device.turn())
  })
  button("reload").addEventListener("click", reload)
  button("stop").addEventListener("click", () => stop(stoppedByVisitor))
  part(section, ".tools", HTMLElement).hidden = false
  mirror(true)
  fit()
  device.draw()
  keepFocus(() => stop(focusTaken))
  watchForStorm(() => stop(flooded))
}

const section = document.querySelector<HTMLElement>(".device.pair")
if (section !== null) begin(section)
