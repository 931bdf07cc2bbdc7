/** Reads Maestro's output for one flow: a folder of 2.7 and newer, or the flat files of older versions. */
import { createReadStream, existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, extname, join } from "node:path"
import { createInterface } from "node:readline"
import { plainLine, plainLines } from "../../../../core/model/plainText.ts"
import { statOf } from "../../command/walk.ts"
import { filesBelow, isFile, isSendable, namedFile, recordingType } from "../files.ts"
import { type Fields, fieldsOf, itemsOf, numberOf, readJson, textOf, textsOf } from "../json.ts"
import { hidden, type Mask } from "../mask.ts"
import { type ImportLog, logStart, type RecordedFile, type Step } from "../recordedRun.ts"

/** A flow that ran once, on one device. */
export interface Flow extends FlowCommands {
  readonly name: string
  /** Its folder, or its file of commands. */
  readonly from: string
  readonly platform: "ios" | "android" | undefined
  readonly recordings: ReadonlyArray<RecordedFile>
}

const noCommands: FlowCommands = {
  name: undefined,
  fileName: undefined,
  deviceId: undefined,
  tags: [],
  startedAt: undefined,
  endedAt: undefined,
  steps: [],
  failingStep: undefined,
  isWhole: false,
  interruption: "it has no commands.json, which Maestro writes when a flow ends"
}

/** An entry of a manifest, or a folder that one would name. */
interface Entry {
  readonly kind: string
  readonly path: string
  readonly metadata: Readonly<Record<string, unknown>>
  /** Whether a manifest names it, and not only its place. */
  readonly isNamed: boolean
}

/** Where Maestro puts what it records, for folders whose manifest is missing. */
const places: Readonly<Record<string, string>> = {
  screenshots: "SCREENSHOT",
  takeScreenshot: "TAKE_SCREENSHOT",
  startRecording: "START_SCREEN_RECORDING",
  "screen-recording.mp4": "SCREEN_RECORDING",
  logs: "MAESTRO_LOG"
}

const entriesOf = (folder: string, log: ImportLog): ReadonlyArray<Entry> => {
  const manifest = join(folder, "manifest.json")
  if (isFile(manifest)) {
    const read = readJson(manifest, "$.entries.*", log)
    const entries = "whole" in read ? read.whole : itemsOf(fieldsOf(read.value)["entries"])
    return entries.flatMap((entry) => {
      const { kind, metadata, relativePath } = fieldsOf(entry)
      const path = textOf(relativePath)
      return path === undefined ? [] : [{ kind: textOf(kind) ?? "", path, metadata: fieldsOf(metadata), isNamed: true }]
    })
  }
  return Object.entries(places).map(([path, kind]) => ({ kind, path, metadata: {}, isNamed: false }))
}

/** What is not sent: the commands are the steps, and hierarchies are of use to machines only. */
const leftOut = new Set(["COMMAND_METADATA", "SCREEN_HIERARCHY"])

/** The time of a step's screenshot: before a step that passed; else at its end. */
const momentOf = ({ durationMs = 0, startedAt, status }: CommandStep, type: string): number =>
  status === "passed" && type === "SCREENSHOT" ? startedAt : startedAt + durationMs

/** The name of a file that Maestro made of a step's text without that text, which may be a secret, in part. */
const withoutStepText = (path: string): string =>
  path.replace(/^screenshots\//, "").replace(/^(step-\d+-[A-Za-z]+)-.*(\.\w+)$/, "$1$2")

const recordingsOf = (
  folder: string,
  { endedAt, startedAt, steps }: FlowCommands,
  log: ImportLog
): ReadonlyArray<RecordedFile> => {
  const entries = entriesOf(folder, log)
  const manifest = join(folder, "manifest.json")
  const ofStep = new Map(
    steps.flatMap((step) => step.artifacts.map(({ path, type }) => [path, { step, type }] as const))
  )
  const found = new Map<string, { readonly file: string; readonly entry: Entry }>()
  const add = (entry: Entry, path: string): void => {
    if (leftOut.has(entry.kind) || found.has(path)) return
    const file = entry.isNamed || existsSync(join(folder, path)) ? namedFile(folder, path, manifest, log) : undefined
    if (file === undefined) return
    if (isFile(file)) return void found.set(path, { file, entry })
    for (const { path: below } of filesBelow(file, log)) {
      const within = below.slice(folder.length + 1).replaceAll("\\", "/")
      found.set(within, { file: below, entry })
    }
  }
  for (const entry of entries) add(entry, entry.path.replace(/\/+$/, ""))
  // What only its step names, such as pictures of a flow that never ended.
  for (const [path, { type }] of ofStep) {
    add({ kind: type, path, metadata: {}, isNamed: true }, path)
  }
  const stopped = steps.filter(({ command }) => command === "stopRecording")
  const sent = [...found].filter(([, { file }]) => isSendable(folder, file, log))
  return sent.map(([path, { entry, file }]): RecordedFile => {
    const { step, type = entry.kind } = ofStep.get(path) ?? {}
    const { contentType, kind } = recordingType(file)
    const common = {
      path: file,
      name: withoutStepText(path),
      kind,
      contentType,
      ofFailure: step?.status === "failed"
    }
    if (step !== undefined) {
      const moment = momentOf(step, type)
      const stop = kind === "video" ? stopped.find((one) => one.startedAt >= moment) : undefined
      return { ...common, startedAt: moment, durationMs: stop === undefined ? undefined : stop.startedAt - moment }
    }
    if (kind === "log") {
      const ofFailure = /^(?:CRASH|ANR)_REPORT$/.test(entry.kind)
      const begins = ofFailure ? endedAt : logStart(file, startedAt)
      return { ...common, startedAt: begins ?? startedAt, ofFailure }
    }
    const recordedAt = numberOf(entry.metadata["startedAtEpochMs"])
    return { ...common, startedAt: recordedAt ?? (kind === "video" ? startedAt : endedAt) }
  })
}

const platformOf = (folder: string): Flow["platform"] => {
  const manifest = join(folder, "manifest.json")
  if (!isFile(manifest)) return undefined
  const text = readFileSync(manifest, "utf8").toLowerCase()
  return /logcat|"emulator"/.test(text) ? "android" : /xctest|simulator/.test(text) ? "ios" : undefined
}

/** What Maestro puts into the folder of a flow: all that is imported with the flow, and no results of others. */
export const flowFolders: ReadonlySet<string> = new Set([
  "logs",
  "screenshots",
  "takeScreenshot",
  "startRecording",
  "screen-hierarchy",
  "ai-analysis"
])

/** Whether a folder has results of its own beside its logs: those of a session, and no flow. */
const hasOthers = (folder: string, names: ReadonlySet<string>): boolean =>
  [...names].some(
    (name) => isFlatCommands(name) || (!flowFolders.has(name) && statOf(join(folder, name))?.isDirectory() === true)
  )

/**
 * Whether a folder is one that Maestro 2.7 and newer make of a flow. Maestro writes the commands and the manifest when the flow
 * ends; of one that was killed there is only the log.
 */
export const isFlowFolder = (folder: string, names: ReadonlySet<string>): boolean =>
  names.has("commands.json") ||
  (names.has("manifest.json") && (names.has("logs") || names.has("screenshots"))) ||
  (names.has("logs") && isFile(join(folder, "logs", "maestro.log")) && !hasOthers(folder, names))

/** The line of the log with which Maestro begins a flow: by its name, or by its file where it is the only one. */
const beginning = /^(?:\W*(\d\d):(\d\d):(\d\d)[.,](\d{3}))?.*\bRunning flow (?:(\S.*?)\.ya?ml\.\.\.|(\S.*?))\s*$/

/** A flow that a log says began. */
export interface FlowBegun {
  readonly name: string
  /** Whether the name is that of its file. */
  readonly isFile: boolean
  /** The time of the day in milliseconds, in the time zone of the machine. */
  readonly ofDay: number | undefined
}

/** The flows whose start is in a log of Maestro, one for each start. */
export const flowsBegun = async (log: string): Promise<ReadonlyArray<FlowBegun>> => {
  const begun: Array<FlowBegun> = []
  for await (const line of createInterface({ input: createReadStream(log), crlfDelay: Infinity })) {
    const [, hours, minutes, seconds, milliseconds, file, name = file] = beginning.exec(line) ?? []
    if (name === undefined) continue
    const ofDay = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(milliseconds)
    begun.push({ name, isFile: file !== undefined, ofDay: Number.isNaN(ofDay) ? undefined : ofDay })
  }
  return begun
}

/** A flow of which nothing but its name in a log is there. */
export const flowOfLog = (name: string, log: string): Flow => ({
  ...noCommands,
  name,
  from: log,
  platform: undefined,
  recordings: [],
  interruption: "maestro.log has its start, and there is no commands.json, which Maestro writes when a flow ends"
})

/** Reads the folder of a flow. */
export const readFlowFolder = (folder: string, mask: Mask, log: ImportLog): Flow => {
  const file = join(folder, "commands.json")
  const hasCommands = isFile(file)
  if (!hasCommands)
    log.problem({ file, reason: "It doesn't exist, so the steps of the flow and its outcome are unknown." })
  const commands = hasCommands ? readCommands(file, mask, log) : noCommands
  return {
    ...commands,
    name: commands.name ?? commands.fileName ?? basename(folder).replace(/(?:-shard-\d+)?(?:-\d+)?$/, ""),
    from: folder,
    platform: platformOf(folder),
    recordings: recordingsOf(folder, commands, log)
  }
}

const flatName = /^commands-(shard-\d+-)?\((.*)\)\.json$/s

/** Whether a file is one of commands that Maestro before 2.7 makes of a flow. */
export const isFlatCommands = (file: string): boolean => flatName.test(basename(file))

/** `screenshot-shard-1-❌-1789573768313-(name).png`: its name has its time. */
const flatScreenshot = /^screenshot-(shard-\d+-)?(\D*)-(\d+)-\((.*)\)\.png$/s

/** Reads the flat files of a flow, which lie side by side with those of others. */
export const readFlatFlow = (file: string, mask: Mask, log: ImportLog): Flow => {
  const [, shard, key = ""] = flatName.exec(basename(file)) ?? []
  const commands = readCommands(file, mask, log)
  const folder = dirname(file)
  const recordings: Array<RecordedFile> = []
  for (const name of readdirSync(folder)) {
    const [, ofShard, sign = "", at, of = ""] = flatScreenshot.exec(name) ?? []
    const path = join(folder, name)
    if (!isFile(path)) continue
    if (name === "maestro.log") {
      const startedAt = logStart(path, commands.startedAt) ?? commands.startedAt
      recordings.push({ path, name, ...recordingType(name), startedAt, ofFailure: false })
    } else if (at !== undefined && ofShard === shard && of.replaceAll("/", "_") === key) {
      const ofFailure = sign.includes("❌")
      const screenshot = `screenshot${ofFailure ? "-failed" : ""}-${recordings.length + 1}${extname(name)}`
      recordings.push({ path, name: screenshot, ...recordingType(name), startedAt: Number(at), ofFailure })
    }
  }
  return {
    ...commands,
    name: commands.name ?? commands.fileName ?? key,
    from: file,
    platform: undefined,
    recordings
  }
}

// Reads the commands that Maestro ran in a flow, as it writes them to `commands.json` or `commands-(name).json`.

/** A file that Maestro says that a command made. */
interface CommandArtifact {
  readonly type: string
  readonly path: string
}

/** A command that is a step. */
interface CommandStep extends Step {
  /** The kind of command: `tapOnElement`. */
  readonly command: string
  readonly artifacts: ReadonlyArray<CommandArtifact>
}

/** The content of a flow's commands. */
interface FlowCommands {
  /** The name that the flow gives itself. */
  readonly name: string | undefined
  /** The name of the flow's file, without folder and extension. */
  readonly fileName: string | undefined
  readonly deviceId: string | undefined
  readonly tags: ReadonlyArray<string>
  readonly startedAt: number | undefined
  readonly endedAt: number | undefined
  readonly steps: ReadonlyArray<CommandStep>
  readonly failingStep: number | undefined
  /** Whether all commands were read. For those that weren't, the typed text is unknown. */
  readonly isWhole: boolean
  /** Why the commands don't show the flow's outcome. */
  readonly interruption: string | undefined
}

/** What Maestro does before a flow: no steps of a test. */
const bookkeeping = new Set(["defineVariablesCommand", "applyConfigurationCommand"])

const statuses: Readonly<Record<string, string>> = {
  COMPLETED: "passed",
  FAILED: "failed",
  WARNED: "warned",
  SKIPPED: "skipped",
  RUNNING: "running"
}

interface CommandEntry {
  readonly kind: string
  readonly reported: Fields
  readonly metadata: Fields
  readonly at: number | undefined
  readonly sequence: number | undefined
}

const entryOf = (item: unknown): ReadonlyArray<CommandEntry> => {
  const { command, metadata } = fieldsOf(item)
  const [first] = Object.entries(fieldsOf(command))
  if (first === undefined) return []
  const [kind, fields] = first
  const of = fieldsOf(metadata)
  return [
    {
      kind,
      reported: fieldsOf(fields),
      metadata: of,
      at: numberOf(of["timestamp"]),
      sequence: numberOf(of["sequenceNumber"])
    }
  ]
}

const unordered = (one: number | undefined, other: number | undefined): number =>
  one === undefined || other === undefined ? 0 : one - other

/** In the order in which they ran: by their numbers, where each has its own, else by their times. */
const inOrder = (entries: ReadonlyArray<CommandEntry>): ReadonlyArray<CommandEntry> => {
  const numbers = new Set(entries.map(({ sequence }) => sequence))
  return numbers.size === entries.length && !numbers.has(undefined)
    ? entries.toSorted((one, other) => unordered(one.sequence, other.sequence))
    : entries.toSorted((one, other) => unordered(one.at, other.at))
}

/**
 * The index of the step that made a flow fail: the last failed one within the first one that failed, unless a command
 * around it went well all the same, as a `retry` does that passes in the end. What fails after it is a hook of the flow.
 * Older versions give no depth: what begins before a command ends is within it.
 */
export const failingStepOf = (steps: ReadonlyArray<Step>): number | undefined => {
  const around: Array<Step> = []
  let first: Step | undefined
  let failing: number | undefined
  for (const [index, step] of steps.entries()) {
    while ((around.at(-1)?.depth ?? -1) >= step.depth) around.pop()
    const isRecovered = around.some(({ status }) => status !== "failed" && status !== "running")
    around.push(step)
    if (step.status !== "failed" || isRecovered) continue
    const isWithin =
      first === undefined || around.includes(first) || step.startedAt < first.startedAt + (first.durationMs ?? 0)
    if (!isWithin) continue
    first ??= step
    failing = index
  }
  return failing
}

/** A step that ended in one of these ways lets a flow pass; one that failed, where something around it recovered. */
const ended = new Set(["passed", "warned", "skipped", "failed"])

/** Why the steps don't show the flow's outcome. */
const openEnd = (steps: ReadonlyArray<Step>, failingStep: number | undefined): string | undefined => {
  if (steps.length === 0) return "it has no step"
  if (failingStep !== undefined) return undefined
  const open = steps.findLast(({ status }) => !ended.has(status))
  if (open === undefined) return undefined
  const step = JSON.stringify(open.name)
  return open.status === "running" ? `${step} began and never ended` : `Maestro says ${open.status} of ${step}`
}

/** A step that failed without ending its flow: what was retried, or was optional. */
const recovered = (step: CommandStep): CommandStep => ({
  ...step,
  flowCommand: step.flowCommand === undefined ? undefined : optional(step.flowCommand)
})

/** Reads a file of commands. What they typed, and their variables, are hidden from now on. */
const readCommands = (file: string, mask: Mask, log: ImportLog): FlowCommands => {
  const read = readJson(file, "$.*", log)
  const items = "whole" in read ? read.whole : itemsOf(read.value)
  if (items.length === 0 && !("whole" in read)) log.problem({ file, reason: "It holds no commands." })
  const isCut = "whole" in read
  const entries = inOrder(items.flatMap(entryOf))
  let lastAt = entries.find(({ at }) => at !== undefined)?.at ?? 0
  const steps: Array<CommandStep> = []
  for (const { at, kind, metadata, reported } of entries) {
    hideTyped(kind, reported, mask)
    for (const [evaluated, of] of Object.entries(fieldsOf(metadata["evaluatedCommand"]))) hideTyped(evaluated, of, mask)
    lastAt = at ?? lastAt
    const status = textOf(metadata["status"]) ?? "unknown"
    if (bookkeeping.has(kind) && status !== "FAILED") continue
    const duration = numberOf(metadata["duration"])
    const message = textOf(fieldsOf(metadata["error"])["message"])
    const [evaluated] = Object.values(fieldsOf(metadata["evaluatedCommand"]))
    steps.push({
      flowCommand: status === "SKIPPED" ? undefined : flowCommand(kind, reported, fieldsOf(evaluated)),
      command: plainLine(kind.replace(/Command$/, ""), 100),
      name: plainLine(commandName(kind, reported)),
      status: statuses[status] ?? plainLine(status, 100),
      startedAt: lastAt,
      durationMs: duration === undefined ? undefined : Math.max(0, Math.round(duration)),
      depth: Math.max(0, Math.trunc(numberOf(metadata["depth"]) ?? 0)),
      message: message === undefined ? undefined : plainLines(message),
      artifacts: itemsOf(metadata["artifacts"]).flatMap((artifact) => {
        const { path, type } = fieldsOf(artifact)
        const at = textOf(path)
        return at === undefined ? [] : [{ path: at, type: textOf(type) ?? "" }]
      })
    })
  }
  const config = fieldsOf(entries.find(({ kind }) => kind === "applyConfigurationCommand")?.reported["config"])
  const env = fieldsOf(entries.find(({ kind }) => kind === "defineVariablesCommand")?.reported["env"])
  const ends = entries.flatMap(({ at, metadata }) =>
    at === undefined ? [] : [at + Math.max(0, numberOf(metadata["duration"]) ?? 0)]
  )
  const starts = entries.flatMap(({ at }) => at ?? [])
  const failingStep = failingStepOf(steps)
  const open = openEnd(steps, failingStep)
  return {
    name: textOf(config["name"]),
    fileName: textOf(env["MAESTRO_FILENAME"]),
    deviceId: textOf(env["MAESTRO_DEVICE_UDID"]),
    tags: textsOf(config["tags"]),
    startedAt: starts.length === 0 ? undefined : Math.min(...starts),
    endedAt: ends.length === 0 ? undefined : Math.max(...ends),
    steps: steps.map((step, index) => (step.status === "failed" && index !== failingStep ? recovered(step) : step)),
    failingStep,
    isWhole: !isCut && items.length > 0 && entries.length === items.length,
    interruption: isCut
      ? `${basename(file)} was cut after ${items.length} whole commands`
      : open === undefined
        ? undefined
        : `${basename(file)} doesn't show the flow's outcome: ${open}`
  }
}

/** A command as the YAML of a flow has it: its name, or its name and what it is about. */
type FlowCommand = string | Fields

/** The commands in a flow that Maestro calls otherwise in what it writes. The others are called the same, but for an ending. */
const names: Readonly<Record<string, string>> = {
  tapOnElement: "tapOn",
  tapOnPoint: "tapOn",
  tapOnPointV2: "tapOn",
  backPress: "back",
  copyText: "copyTextFrom"
}

/** Commands that are made of others, which are steps themselves. */
const containers = new Set(["runFlow", "repeat", "retry"])

/** The fields of an object that aren't `undefined` or `null`. */
const given = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))

/** The selector of a flow. */
const selectorOf = (selector: unknown): Fields => {
  const { above, below, childOf, containsChild, idRegex, leftOf, optional, rightOf, size, textRegex, ...more } =
    fieldsOf(selector)
  const around = { above, below, childOf, containsChild, leftOf, rightOf }
  return given({
    text: textRegex,
    id: idRegex,
    ...more,
    ...fieldsOf(size),
    ...Object.fromEntries(Object.entries(given(around)).map(([name, one]) => [name, selectorOf(one)])),
    optional: optional === true ? true : undefined
  })
}

const pointOf = (relative: unknown, absolute: unknown): string | undefined => {
  const { x, y } = fieldsOf(absolute)
  return textOf(relative) ?? (numberOf(x) === undefined ? undefined : `${numberOf(x)},${numberOf(y)}`)
}

const tapOf = ({ longPress, point, relativePoint, repeat, selector, x, y }: Fields): readonly [string, Fields] => [
  longPress === true ? "longPressOn" : "tapOn",
  given({
    ...selectorOf(selector),
    point: pointOf(relativePoint ?? point, { x, y }),
    repeat: fieldsOf(repeat)["repeat"],
    delay: fieldsOf(repeat)["delay"]
  })
]

const assertOf = ({ condition, timeout }: Fields): readonly [string, unknown] => {
  const { notVisible, scriptCondition, visible } = fieldsOf(condition)
  if (scriptCondition !== undefined && scriptCondition !== null) return ["assertTrue", scriptCondition]
  const [name, of] = visible === undefined || visible === null ? ["notVisible", notVisible] : ["visible", visible]
  return timeout === undefined || timeout === null
    ? [name === "visible" ? "assertVisible" : "assertNotVisible", selectorOf(of)]
    : ["extendedWaitUntil", { [name]: selectorOf(of), timeout }]
}

const swipeOf = ({ direction, duration, elementSelector, endPoint, endRelative, startPoint, startRelative }: Fields) =>
  given({
    direction,
    from: elementSelector === undefined || elementSelector === null ? undefined : selectorOf(elementSelector),
    start: pointOf(startRelative, startPoint),
    end: pointOf(endRelative, endPoint),
    duration
  })

const detailOf = (kind: string, fields: Fields): readonly [string, unknown] => {
  const name = names[kind] ?? kind
  switch (name) {
    case "tapOn":
      return tapOf(fields)
    case "assertCondition":
      return assertOf(fields)
    case "inputText":
      return [name, fields["text"]]
    case "eraseText":
      return [name, fields["charactersToErase"]]
    case "pressKey":
      // `ENTER` is the name of a constant, `Enter` that of the key.
      return [name, textOf(fields["code"])?.toLowerCase().replaceAll("_", " ")]
    case "swipe":
      return [name, swipeOf(fields)]
    case "scrollUntilVisible": {
      const { direction, selector, timeout, visibilityPercentage } = fields
      return [name, given({ element: selectorOf(selector), direction, timeout, visibilityPercentage })]
    }
    case "copyTextFrom":
      return [name, selectorOf(fields["selector"])]
    case "launchApp":
      return [name, given({ stopApp: fields["stopApp"] === false ? false : undefined })]
    case "openLink":
      return [name, fields["link"]]
    case "setOrientation":
      return [name, fields["orientation"]]
    case "waitForAnimationToEnd":
      return [name, given({ timeout: fields["timeout"] })]
    default:
      return [name, undefined]
  }
}

/** The command of a step that may fail. */
export const optional = (command: FlowCommand): FlowCommand => {
  if (typeof command === "string") return { [command]: { optional: true } }
  return Object.fromEntries(
    Object.entries(command).map(([name, value]) => [
      name,
      { ...(typeof value === "object" ? value : { text: value }), optional: true }
    ])
  )
}

/**
 * A step as a command of a flow, by which it can be played again; `undefined` for one that is made of others. `evaluated`
 * is the command with the values of its variables. What it types keeps its variables: their values may be secrets.
 */
export const flowCommand = (kind: string, reported: Fields, evaluated: Fields): FlowCommand | undefined => {
  const command = kind.replace(/Command$/, "")
  if (containers.has(command)) return undefined
  const isSecret = isTyping(kind) && hasOnlyVariables(reported["text"])
  const [name, value] = detailOf(command, isSecret ? reported : { ...reported, ...evaluated })
  const isBare = value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0)
  const made = isBare ? name : { [name]: value }
  return reported["optional"] === true ? optional(made) : made
}

/** What a selector selects by. */
const selected = (selector: unknown): string | undefined => {
  const { idRegex, textRegex } = fieldsOf(selector)
  const text = textOf(textRegex)
  const id = textOf(idRegex)
  return text === undefined ? (id === undefined ? undefined : `id ${JSON.stringify(id)}`) : JSON.stringify(text)
}

const conditionOf = (condition: unknown): string | undefined => {
  const { notVisible, platform, scriptCondition, visible } = fieldsOf(condition)
  const seen = selected(visible)
  const unseen = selected(notVisible)
  if (seen !== undefined) return `${seen} is visible`
  if (unseen !== undefined) return `${unseen} is not visible`
  return textOf(scriptCondition) ?? textOf(platform)
}

/** The first description in a command. */
const subject = (fields: Fields): string | undefined => {
  const times = fields["times"] ?? fields["maxRetries"]
  return (
    selected(fields["selector"]) ??
    selected(fields["originalSelector"] ?? fields["elementSelector"]) ??
    conditionOf(fields["condition"]) ??
    textOf(fields["appId"]) ??
    textOf(fields["sourceDescription"]) ??
    textOf(fields["link"]) ??
    textOf(fields["path"]) ??
    textOf(fields["code"]) ??
    textOf(fields["direction"] ?? fields["scrollDirection"]) ??
    textOf(fields["point"]) ??
    textOf(fields["assertion"]) ??
    (numberOf(times) === undefined ? textOf(times) : `${numberOf(times)} times`)
  )
}

/** What a step is called: its label, or the kind of command and what it is about. Never what it typed. */
const commandName = (kind: string, fields: Fields): string => {
  const label = textOf(fields["label"])
  if (label !== undefined) return label
  const command = kind.replace(/Command$/, "")
  if (isTyping(kind)) return `${command} ${hidden}`
  const of = subject(fields)
  return of === undefined ? command : `${command} ${of}`
}

// What a flow types, and the secret ones of the variables that it is given.

const typing = new Set(["inputTextCommand", "setClipboardCommand"])

/** Whether a command's `text` is what it types. */
const isTyping = (kind: string): boolean => typing.has(kind)

/** A text that only names variables says nothing of their values. */
const onlyNames = /^(?:\s*\$\{[^}]*\}\s*)+$/

/** Whether a text consists of variables. */
const hasOnlyVariables = (value: unknown): boolean => onlyNames.test(textOf(value) ?? "")

const valueOf = (value: unknown): string | undefined => {
  const text = textOf(typeof value === "number" ? String(value) : value)
  return text === undefined || onlyNames.test(text) ? undefined : text
}

const hide = (value: unknown, mask: Mask): void => {
  const text = valueOf(value)
  if (text !== undefined) mask.hide(text)
}

/** Hides what a command types, and every secret variable in it and in the commands that it is made of. */
const hideTyped = (kind: string, command: unknown, mask: Mask): void => {
  if (isTyping(kind)) hide(fieldsOf(command)["text"], mask)
  const open: Array<unknown> = [command]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) {
      open.push(...next.filter((item) => item !== undefined && item !== null))
      continue
    }
    for (const [key, value] of Object.entries(fieldsOf(next))) {
      if (key === "env") {
        for (const [name, of] of Object.entries(fieldsOf(value))) {
          const text = valueOf(of)
          if (text !== undefined) mask.hideVariable(name, text)
        }
      } else if (isTyping(key)) hide(fieldsOf(value)["text"], mask)
      if (typeof value === "object" && value !== null) open.push(value)
    }
  }
}
