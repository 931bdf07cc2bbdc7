/** Reads Maestro's output for one flow: a folder of 2.7 and newer, or the flat files of older versions. */
import { createReadStream, existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, extname, join } from "node:path"
import { createInterface } from "node:readline"
import { filesBelow, isFile, isSendable, namedFile, recordingType } from "../files.ts"
import { fieldsOf, itemsOf, numberOf, readJson, textOf } from "../json.ts"
import { logStart } from "../logStart.ts"
import type { Mask } from "../mask.ts"
import type { RecordedFile } from "../recordedRun.ts"
import type { ImportLog } from "../ImportLog.ts"
import { readCommands, type CommandStep, type FlowCommands } from "./commands.ts"

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

/**
 * Whether a folder is one that Maestro 2.7 and newer make of a flow. Maestro writes the commands and the manifest when the flow
 * ends; of one that was killed there is only the log.
 */
export const isFlowFolder = (folder: string, names: ReadonlySet<string>): boolean =>
  names.has("commands.json") ||
  (names.has("manifest.json") && (names.has("logs") || names.has("screenshots"))) ||
  (names.has("logs") && isFile(join(folder, "logs", "maestro.log")))

/** What Maestro puts into the folder of a flow: all that is imported with the flow, and no results of others. */
export const flowFolders: ReadonlySet<string> = new Set([
  "logs",
  "screenshots",
  "takeScreenshot",
  "startRecording",
  "screen-hierarchy",
  "ai-analysis"
])

/** The line of the log with which Maestro begins a flow: by its name, or by its file where it is the only one. */
const beginning = /\bRunning flow (?:(\S.*?)\.ya?ml\.\.\.|(\S.*?))\s*$/

/** A flow that a log says began. */
export interface FlowBegun {
  readonly name: string
  /** Whether the name is that of its file. */
  readonly isFile: boolean
}

/** The flows whose start is in a log of Maestro, one for each start. */
export const flowsBegun = async (log: string): Promise<ReadonlyArray<FlowBegun>> => {
  const begun: Array<FlowBegun> = []
  for await (const line of createInterface({ input: createReadStream(log), crlfDelay: Infinity })) {
    const [, file, name = file] = beginning.exec(line) ?? []
    if (name !== undefined) begun.push({ name, isFile: file !== undefined })
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
