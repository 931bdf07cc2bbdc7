/** The tab of a replay's page in which flows are recorded and played. */
import {
  type Flow,
  fieldsIn,
  type FlowCommand,
  flowLimits,
  printCommand,
  printFlow,
  type Recorded,
  type RecordingMode,
  scalarIn,
  type Timeouts
} from "../../phone/flows/flow.ts"
import { type FlowFile, runFlow, type StepResult, type Verdict } from "../../phone/flows/runFlow.ts"
import { bringIntoView, make, part, setText } from "../ui/dom.ts"
import { counted } from "../ui/words.ts"
import type { AppMessage, FlowRequest } from "./message.ts"
import { readText } from "./sourceNames.ts"
import type { Health } from "./watchedApp.ts"

/** The app that a flow acts on. */
interface FlowApp {
  readonly request: (request: FlowRequest) => void
  readonly reload: () => void
  readonly stop: () => void
  readonly isStopped: () => boolean
  /** The settings of its device. */
  readonly set: (name: "scheme" | "network" | "permissions", value: string) => void
  readonly network: () => "online" | "slow" | "offline"
  readonly scheme: () => "light" | "dark"
  readonly turn: (isTurned: boolean) => void
  readonly link: (url: string) => void
}

/** The states in which an app does nothing more, and what a step says of each. */
const ends: Partial<Record<Health["state"] | "stopped", string>> = {
  blank: "the app drew nothing",
  silent: "the app doesn’t answer",
  unheard: "the app doesn’t answer",
  failed: "the app failed",
  obstacle: "this bundle can’t run here",
  stopped: "the app was stopped"
}

const steps = (count: number): string => counted(count, "step")

const passed: StepResult = { status: "passed" }

const failed = (reason: string): StepResult => ({ status: "failed", reason })

const skipped = (reason: string): StepResult => ({ status: "skipped", reason })

/** How a flow ended, in a sentence. */
const verdictText = (
  verdict: Verdict,
  count: Readonly<Record<StepResult["status"], number>>,
  isStopped: boolean
): string => {
  const skipped = count.skipped === 0 ? "" : `${steps(count.skipped)} skipped`
  if (verdict === "failed") return `Failed after ${steps(count.passed)}${skipped === "" ? "" : `, ${skipped}`}.`
  if (isStopped) return "Incomplete: it was stopped."
  if (verdict === "incomplete") return `Incomplete: ${skipped}, ${count.passed} passed.`
  return `Passed: ${steps(count.passed + count.warned)}${count.warned === 0 ? "" : `, ${count.warned} of them with a warning`}.`
}

export const makeFlowTab = (section: HTMLElement, app: FlowApp) => {
  const panel = part(section, ".panel.flow", HTMLElement)
  const button = (name: string) => part(panel, `button[data-do=${name}]`, HTMLButtonElement)
  const text = part(panel, "textarea", HTMLTextAreaElement)
  const seconds = part(panel, ".wait input", HTMLInputElement)
  const verdict = part(panel, ".verdict", HTMLElement)
  const list = makeStepList(part(panel, ".ran", HTMLElement))
  const video = makeRecordedVideo(section)

  /** The text of the flow before, what was recorded since, and which report of the app that is. */
  let recording: { before: string; commands: ReadonlyArray<FlowCommand>; version: number } | undefined
  /** What the app is asked for. */
  let wanted: RecordingMode = { isRecording: false, isPicking: false }
  let isPlaying = false
  let isStopped = false
  let lastId = 0
  /** When the flow began to play. */
  let begun = 0
  /** What waits for an answer of the app, or for the app itself. */
  let waiting: { readonly request: FlowRequest | "start"; readonly end: (result: StepResult) => void } | undefined

  const answered = (result: StepResult): void => {
    const was = waiting
    waiting = undefined
    was?.end(result)
  }

  const say = (status: string, sentence: string): void => {
    verdict.dataset["status"] = status
    setText(verdict, sentence)
  }

  const started = (): Promise<StepResult> =>
    new Promise((end) => {
      app.reload()
      waiting = { request: "start", end }
    })

  const timeouts = (): Timeouts => {
    const lookup = 1000 * Math.max(1, Math.min(60, Number(seconds.value) || 17))
    return { lookup, optional: Math.min(7000, lookup) }
  }

  const perform = (command: FlowCommand): Promise<StepResult> => {
    const ofDevice = Object.hasOwn(device, command.name) ? device[command.name] : undefined
    if (ofDevice !== undefined) return ofDevice(command.value)
    if (app.isStopped()) return Promise.resolve(failed("the app was stopped: launchApp starts it again"))
    return new Promise((end) => {
      const request = { kind: "perform", id: ++lastId, command, timeouts: timeouts() } as const
      waiting = { request, end }
      app.request(request)
    })
  }

  const settled = (): Promise<StepResult> => perform({ name: "waitForAnimationToEnd", value: { timeout: 2000 } })

  /** A setting that a command switches on or off. */
  const enabled = (value: unknown): boolean | undefined => {
    const state = (scalarIn(value) ?? scalarIn(Object.values(fieldsIn(value))[0]) ?? "").toLowerCase()
    return state === "enabled" || state === "true"
      ? true
      : state === "disabled" || state === "false"
        ? false
        : undefined
  }

  const setPermissions = (value: unknown): StepResult => {
    const wanted = new Set(Object.values(fieldsIn(value)).map((one) => (scalarIn(one) ?? "").toLowerCase()))
    if (wanted.size !== 1) return skipped("its permissions differ, and the device has one setting for all")
    app.set("permissions", wanted.has("allow") ? "granted" : wanted.has("deny") ? "denied" : "ask")
    return passed
  }

  const launch = async (value: unknown): Promise<StepResult> => {
    const { arguments: given, permissions, stopApp } = fieldsIn(value)
    const allowed = permissions === undefined ? passed : setPermissions(permissions)
    const isRunning = (stopApp === false || stopApp === "false") && !app.isStopped()
    const result = isRunning ? passed : await started()
    if (result.status !== "passed" || allowed.status !== "passed") return result.status === "passed" ? allowed : result
    return given === undefined ? result : skipped("the app started, without the arguments")
  }

  const setScheme = async (isDark: boolean | undefined): Promise<StepResult> => {
    if (isDark === undefined) return skipped("it is neither enabled nor disabled")
    app.set("scheme", isDark ? "dark" : "light")
    return settled()
  }

  const setOffline = (isOffline: boolean | undefined): StepResult => {
    if (isOffline === undefined) return skipped("it is neither enabled nor disabled")
    app.set("network", isOffline ? "offline" : "online")
    return passed
  }

  const is = (scheme: "light" | "dark"): StepResult =>
    app.scheme() === scheme ? passed : failed(`the appearance is ${app.scheme()}`)

  const stopApp = async (): Promise<StepResult> => {
    app.stop()
    return passed
  }

  const mark = async (): Promise<StepResult> => ({
    ...passed,
    reason: `after ${((performance.now() - begun) / 1000).toFixed(1)} s, without a picture`
  })

  /** The commands that the page performs, and not the frame of the app. */
  const device: Readonly<Record<string, (value: unknown) => Promise<StepResult>>> = {
    launchApp: launch,
    clearState: () => started(),
    clearKeychain: () => started(),
    stopApp,
    killApp: stopApp,
    openLink: async (value) => {
      const { browser, link } = fieldsIn(value)
      const url = scalarIn(value) ?? scalarIn(link) ?? ""
      if (browser === true) return skipped("there is no browser beside the app")
      if (!URL.canParse(url)) return failed(`${url || "it"} is not a link`)
      const result = app.isStopped() ? await started() : passed
      if (result.status !== "passed") return result
      app.link(url)
      return settled()
    },
    setOrientation: async (value) => {
      const wanted = (scalarIn(value) ?? scalarIn(fieldsIn(value)["orientation"]) ?? "").toUpperCase()
      if (!/^(?:PORTRAIT|LANDSCAPE(?:_(?:LEFT|RIGHT))?)$/.test(wanted)) return skipped(`${wanted} is not supported`)
      app.turn(wanted !== "PORTRAIT")
      return settled()
    },
    setAirplaneMode: async (value) => setOffline(enabled(value)),
    toggleAirplaneMode: async () => setOffline(app.network() !== "offline"),
    setDarkMode: (value) => setScheme(enabled(value)),
    toggleDarkMode: () => setScheme(app.scheme() === "light"),
    assertDarkMode: async () => is("dark"),
    assertLightMode: async () => is("light"),
    setPermissions: async (value) => setPermissions(fieldsIn(value)["permissions"] ?? value),
    takeScreenshot: mark,
    startRecording: mark,
    stopRecording: mark
  }

  /** The files of the upload that a flow can name: a flow without a path of its own may stand anywhere among them. */
  const files = JSON.parse(section.dataset["flowFiles"] ?? "[]") as ReadonlyArray<readonly [path: string, url: string]>

  const read = async (name: string, from: string): Promise<FlowFile | undefined> => {
    const exact = new URL(name, `file:///${from}`).pathname.slice(1)
    const plain = name.replace(/^(?:\.{0,2}\/)+/, "")
    const wanted = files.find(([path]) => encodeURI(path) === exact)
    const same = files.filter(([path]) => path === plain || path.endsWith(`/${plain}`))
    const file = wanted ?? (same.length === 1 ? same[0] : undefined)
    if (file === undefined) return undefined
    return { path: file[0], text: await readText(file[1], flowLimits.characters * 4) }
  }

  const listen = (): void => app.request({ kind: "listen", ...wanted })

  const show = (): void => {
    button("record").ariaPressed = String(recording !== undefined)
    setText(button("record"), recording === undefined ? "Record" : "Stop recording")
    button("assert").hidden = recording === undefined
    button("assert").ariaPressed = String(wanted.isPicking)
    button("record").disabled = isPlaying
    button("play").disabled = isPlaying || recording !== undefined
    text.readOnly = recording !== undefined
    button("end").hidden = !isPlaying
  }

  const write = (): void => {
    if (recording === undefined) return
    text.value = recording.before + recording.commands.map(printCommand).join("")
    text.scrollTop = text.scrollHeight
  }

  const ask = (to: RecordingMode): void => {
    wanted = to
    say("", to.isPicking ? "Click an element that has a testID, a text or a label." : "")
    listen()
    show()
  }

  const endRecording = (): void => {
    recording = undefined
    wanted = { isRecording: false, isPicking: false }
    show()
  }

  const record = async (): Promise<void> => {
    const isNew = text.value.trim() === ""
    list.clear()
    say("", "")
    recording = {
      before: isNew ? printFlow([{ name: "launchApp", value: undefined }]) : text.value.replace(/\n*$/, "\n"),
      commands: [],
      version: -1
    }
    wanted = { isRecording: true, isPicking: false }
    write()
    show()
    // A new flow begins where the app does.
    const result: StepResult = isNew ? await started() : { status: "passed" }
    if (result.status === "passed") listen()
    else {
      endRecording()
      say("failed", `Nothing is recorded: ${result.reason ?? ""}.`)
    }
  }

  const parser = (): Promise<{ readonly parseFlow: (text: string) => Flow }> =>
    import(section.dataset["flowParser"] ?? "")

  const play = async (): Promise<void> => {
    isPlaying = true
    isStopped = false
    list.clear()
    say("", "Playing …")
    show()
    const count = { passed: 0, failed: 0, warned: 0, skipped: 0 }
    let played = 0
    try {
      const { parseFlow } = await parser()
      begun = performance.now()
      const ended = await runFlow(parseFlow(text.value), {
        perform,
        platform: section.dataset["platform"] === "android" ? "android" : "ios",
        read,
        parse: parseFlow,
        began: ({ depth, name }) => {
          const end = list.add(name, depth)
          const command = depth === 0 ? played++ : undefined
          return (result) => {
            count[result.status] += 1
            end(result)
            if (command !== undefined) video.show(command)
          }
        },
        isStopped: () => isStopped
      })
      say(ended, verdictText(ended, count, isStopped))
    } catch (error) {
      say("failed", `This is no flow. ${error instanceof Error ? error.message : String(error)}`)
    }
    isPlaying = false
    show()
  }

  button("record").addEventListener("click", () =>
    // The app reports the last actions before it stops.
    recording === undefined ? void record() : ask({ isRecording: false, isPicking: false })
  )
  button("assert").addEventListener("click", () => ask({ isRecording: true, isPicking: !wanted.isPicking }))
  button("play").addEventListener("click", () => void play())
  button("end").addEventListener("click", () => {
    isStopped = true
    answered(failed("it was stopped"))
  })
  button("copy").hidden = !("clipboard" in navigator)
  button("copy").addEventListener("click", () => {
    void navigator.clipboard.writeText(text.value).then(() => say("", "Copied."))
  })
  const onPulse = (isDrawn: boolean): void => {
    if (waiting?.request === "start") {
      if (isDrawn) answered({ status: "passed" })
    } else if (waiting !== undefined) {
      // Its answer may have been lost among other messages of the app.
      app.request(waiting.request)
    }
    if (recording !== undefined) listen()
  }

  const onRecorded = (report: Recorded): void => {
    if (recording === undefined || report.version < recording.version) return
    recording.commands = [...recording.commands.slice(0, report.before), ...report.commands]
    if (report.version > recording.version) write()
    recording.version = report.version
    if (wanted.isPicking && !report.isPicking) {
      wanted = { ...wanted, isPicking: false }
      say("", "")
    }
    if (!wanted.isRecording && !report.isRecording) endRecording()
    show()
  }

  return {
    onMessage: (message: AppMessage): void => {
      if (message.kind === "pulse") onPulse(message.isDrawn)
      if (message.kind === "recorded") onRecorded(message)
      if (message.kind === "performed" && message.id === lastId && waiting?.request !== "start")
        answered(message.result)
    },
    /** The app was loaded, from the beginning. */
    onLoad: (): void => {
      if (recording !== undefined) {
        recording = { before: text.value, commands: [], version: -1 }
        listen()
      }
      if (waiting !== undefined && waiting.request !== "start") answered(failed("the app was loaded again meanwhile"))
    },
    /** The app is in this state from now on. */
    onState: (state: Health["state"] | "stopped"): void => {
      const reason = ends[state]
      if (reason === undefined) return
      answered(failed(reason))
      if (recording !== undefined) endRecording()
    }
  }
}

/** The most steps that are listed: a flow may repeat some. */
const maxListed = 500

const marks: Readonly<Record<StepResult["status"] | "running", string>> = {
  running: "Running",
  passed: "Passed",
  failed: "Failed",
  warned: "Warned",
  skipped: "Skipped"
}

/** A list of steps with their results. It is hidden while it is empty. */
export const makeStepList = (list: HTMLElement) => ({
  /** Adds a step; the answer receives its result. */
  add: (name: string, depth: number) => {
    const item = make("li", "running")
    item.style.setProperty("--depth", String(depth))
    const [mark, label, reason] = [
      make("span", "mark", marks.running),
      make("span", "name", name),
      make("span", "reason")
    ]
    item.append(mark, label, reason)
    list.append(item)
    if (list.childElementCount > maxListed) list.firstElementChild?.remove()
    list.hidden = false
    bringIntoView(list, item)
    return ({ reason: why, status }: StepResult): void => {
      item.className = status
      setText(mark, marks[status])
      setText(reason, why ?? "")
      bringIntoView(list, item)
    }
  },
  clear: (): void => {
    list.replaceChildren()
    list.hidden = true
  }
})

/** The video of a recorded run beside the app. It shows what the run showed after each step, once the app has done that step too. */
const makeRecordedVideo = (section: HTMLElement) => {
  const video = section.querySelector<HTMLVideoElement>(".recorded-run video")
  const moments = (video?.dataset["moments"] ?? "").split(" ").map(Number)
  return {
    /** Seeks to the end of a step, by the number of its command. The last moment stays where there is none. */
    show: (command: number): void => {
      const moment = moments[command]
      if (video === null || moment === undefined) return
      video.pause()
      video.currentTime = moment / 1000
    }
  }
}
