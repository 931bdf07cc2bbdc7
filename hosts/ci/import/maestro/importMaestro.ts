/** Makes runs of the output of `maestro test`: folders of flows, reports, or both. */
import { basename, dirname, parse } from "node:path"
import { groupedBy } from "../../../../core/rules/attempts.ts"
import { plainLine, plainLines } from "../../../../core/model/plainText.ts"
import { filesOf, foldersInCommon, inRepository, isText } from "../files.ts"
import { numberOf } from "../json.ts"
import {
  durationMsOf,
  mayBeReport,
  readReport,
  type Report,
  type TestCase,
  unknownIn,
  withoutCopies
} from "../junit.ts"
import type { Mask } from "../mask.ts"
import {
  type ImportLog,
  interrupted,
  interruptedRun,
  type RecordedAttempt,
  type RecordedDevice,
  type RecordedRun,
  sinceQuarterHour
} from "../recordedRun.ts"
import {
  type Flow,
  type FlowBegun,
  flowFolders,
  flowOfLog,
  flowsBegun,
  isFlatCommands,
  isFlowFolder,
  readFlatFlow,
  readFlowFolder
} from "./readFlow.ts"

/** A test case, with the report that it is of. */
interface Reported extends TestCase {
  readonly report: string
  /** Which of the suites of one device: two shards may call their devices the same. */
  readonly shard: number
}

/** A flow as a report, its folder, or both have it. */
type FlowResult =
  | { readonly flow: Flow; readonly reported: undefined }
  | { readonly flow: Flow | undefined; readonly reported: Reported }

const reportedIn = ({ cases, path }: Report): ReadonlyArray<Reported> => {
  const suites = groupedBy(new Set(cases.map(({ suite }) => suite)), ({ device }) => device)
  return cases.map((one) => ({
    ...one,
    report: path,
    shard: suites.get(one.suite["device"])?.indexOf(one.suite) ?? 0
  }))
}

const nameOf = ({ attributes }: TestCase): string => attributes["name"] ?? attributes["id"] ?? ""

const fileIn = ({ attributes }: TestCase): string | undefined => attributes["file"]?.replaceAll("\\", "/")

/** A name as Maestro makes it a folder's. */
const asFolder = (name: string): string => name.replaceAll("/", "_")

/** Whether this is the name of a flow. One that ended early has its name only in its folder's. */
const isCalled = (flow: Flow, name: string): boolean =>
  asFolder(flow.name) === asFolder(name) || basename(flow.from) === asFolder(name)

const lengthOf = ({ endedAt, startedAt }: Flow): number | undefined =>
  startedAt === undefined || endedAt === undefined ? undefined : endedAt - startedAt

const statusOfCase = ({ failure, interruption, unknownStatus }: TestCase): string =>
  unknownStatus ?? (failure === undefined && interruption === undefined ? "passed" : "failed")

const isOpen = ({ interruption }: Flow): boolean => interruption !== undefined

const hasPassed = (flow: Flow): boolean => flow.failingStep === undefined && !isOpen(flow)

const isBelow = (folder: string, path: string): boolean =>
  foldersInCommon(folder, path) === folder.split(/[\\/]/).length

/** Whether a flow may be the one of a test case: never a failed one for a passed case. */
const mayBe = (flow: Flow, reported: Reported): boolean => {
  const file = fileIn(reported)
  const described = (reported.suite["device"] ?? "").split(" - ").map((part) => part.trim())
  const isOtherFile = file !== undefined && flow.fileName !== undefined && parse(file).name !== flow.fileName
  const isOtherDevice = flow.deviceId !== undefined && described.some(isDeviceId) && !described.includes(flow.deviceId)
  if (!isCalled(flow, nameOf(reported)) || isOtherFile || isOtherDevice) return false
  if (statusOfCase(reported) !== "passed" || hasPassed(flow)) return true
  return flow.failingStep === undefined && isBelow(dirname(reported.report), flow.from)
}

/** How little a flow matches a test case: the most significant difference comes first. */
const distance = (flow: Flow, reported: Reported): ReadonlyArray<number> => {
  const device = reported.suite["device"] ?? ""
  const isItsDevice = flow.deviceId !== undefined && device.includes(flow.deviceId)
  const isItsEnd = !isOpen(flow) && hasPassed(flow) === (statusOfCase(reported) === "passed")
  const longer = Math.abs((durationMsOf(reported) ?? 0) - (lengthOf(flow) ?? 0))
  // A report has local time without its offset; offsets are quarters of an hour.
  const at = Date.parse(`${reported.attributes["timestamp"] ?? ""}Z`)
  const later = Number.isNaN(at) || flow.startedAt === undefined ? 0 : Math.abs(sinceQuarterHour(at - flow.startedAt))
  return [-foldersInCommon(dirname(reported.report), flow.from), isItsDevice ? 0 : 1, isItsEnd ? 0 : 1, longer + later]
}

const byDistance = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): number =>
  one.map((value, index) => value - (other[index] ?? 0)).find((difference) => difference !== 0) ?? 0

/** Puts flows and reports together by name; of several with one name, those that are nearest to each other. */
const joined = (flows: ReadonlyArray<Flow>, reported: ReadonlyArray<Reported>): ReadonlyArray<FlowResult> => {
  const left = new Set(flows)
  const pairs = reported
    .flatMap((one) =>
      flows.filter((flow) => mayBe(flow, one)).map((flow) => ({ one, flow, apart: distance(flow, one) }))
    )
    .toSorted((one, other) => byDistance(one.apart, other.apart))
  const flowOf = new Map<TestCase, Flow>()
  for (const { flow, one } of pairs) {
    if (!left.has(flow) || flowOf.has(one)) continue
    flowOf.set(one, flow)
    left.delete(flow)
  }
  return [
    ...reported.map((one) => ({ reported: one, flow: flowOf.get(one) })),
    ...Array.from(left, (flow) => ({ flow, reported: undefined }))
  ]
}

const statusOf = ({ flow, reported }: FlowResult): string =>
  reported === undefined ? (hasPassed(flow) ? "passed" : "failed") : statusOfCase(reported)

const failureOf = ({ flow, reported }: FlowResult, status: string): string | undefined => {
  if (status === "passed") return undefined
  const step = flow?.failingStep === undefined ? undefined : flow.steps[flow.failingStep]
  // A report has the last failure, which is that of a hook where one failed too.
  const isOfHook = flow?.steps.some(
    (one) => one !== step && one.status === "failed" && one.message === reported?.failure
  )
  const messages = isOfHook === true ? [step?.message, reported?.failure] : [reported?.failure, step?.message]
  const message = messages.find((one) => one !== undefined && one.trim() !== "")
  const known = message === undefined ? undefined : plainLines(message)
  if (reported?.interruption !== undefined) return interrupted(reported.interruption, known)
  if (reported === undefined && flow.interruption !== undefined) return interrupted(flow.interruption, known)
  return known ?? (flow?.interruption === undefined ? "Maestro gives no reason." : interrupted(flow.interruption))
}

const attemptOf = (result: FlowResult): RecordedAttempt => {
  const { flow, reported } = result
  const status = statusOf(result)
  return {
    status,
    // A report has local time without its offset, so only the commands show the instant.
    startedAt: flow?.startedAt,
    durationMs:
      (reported === undefined ? undefined : durationMsOf(reported)) ??
      (flow === undefined ? undefined : lengthOf(flow)),
    failureMessage: failureOf(result, status),
    steps: flow?.steps ?? [],
    failingStep: status === "passed" ? undefined : flow?.failingStep,
    recordings: flow?.recordings ?? []
  }
}

const tagsOf = ({ flow, reported }: FlowResult): ReadonlyArray<string> =>
  reported?.properties["tags"]
    ?.split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "") ??
  flow?.tags ??
  []

const deviceOfResult = ({ flow, reported }: FlowResult): RecordedDevice | undefined => {
  const device = deviceOf(reported?.suite["device"], flow?.deviceId)
  if (flow?.platform === undefined) return device
  return { ...device, platform: device?.platform ?? flow.platform }
}

/** When the suite of a test case began and ended, by the clock of its machine. */
const suiteTimes = ({ suite }: Reported): readonly [number, number] | undefined => {
  const begin = Date.parse(`${suite["timestamp"] ?? ""}Z`)
  const seconds = numberOf(suite["time"])
  return Number.isNaN(begin) || seconds === undefined ? undefined : [begin, begin + seconds * 1000]
}

/**
 * The tries of one flow: test cases with its whole path, of one device and shard, in one folder. Those of two reports
 * are tries of it only where one suite began after the other had ended; else they may be of two machines whose devices
 * are called the same. The name of a flow and that of its file identify nothing: flows in two folders share both.
 */
const tries = (all: ReadonlyArray<FlowResult>): ReadonlyArray<ReadonlyArray<FlowResult>> => {
  const groups = groupedBy(all, (result): unknown => {
    const { reported } = result
    const file = reported === undefined ? undefined : fileIn(reported)
    return reported === undefined || file === undefined
      ? result
      : JSON.stringify([dirname(reported.report), reported.suite["device"], reported.shard, nameOf(reported), file])
  })
  return [...groups.values()].flatMap((group) => {
    const byReport = [...groupedBy(group, ({ reported }) => reported?.report).values()]
    if (byReport.length === 1) return byReport
    const timed = byReport.flatMap((of) => {
      const [first] = of
      const times = first?.reported === undefined ? undefined : suiteTimes(first.reported)
      return times === undefined ? [] : [{ of, begin: times[0], end: times[1] }]
    })
    const ordered = timed.toSorted((one, other) => one.begin - other.begin)
    const isOneAfterOther = ordered.every(({ begin }, index) => begin >= (ordered[index - 1]?.end ?? -Infinity))
    return isOneAfterOther && timed.length === byReport.length ? [ordered.flatMap(({ of }) => of)] : byReport
  })
}

const runOf = ([first, ...rest]: ReadonlyArray<FlowResult>, cwd: string): ReadonlyArray<RecordedRun> => {
  if (first === undefined) return []
  const { flow, reported } = first
  const file = reported === undefined ? undefined : fileIn(reported)
  return [
    {
      kind: "maestro",
      name: reported === undefined ? flow.name : nameOf(reported),
      attempts: [attemptOf(first), ...rest.map(attemptOf)],
      device: deviceOfResult(first),
      file: file === undefined ? flow?.fileName : inRepository(file, cwd),
      tags: tagsOf(first),
      from: flow?.from ?? reported?.report ?? ""
    }
  ]
}

/** Without a report only the name of a flow's file is known: of several with one name, each gets a number, as they may be different. */
const numbered = (
  runs: ReadonlyArray<RecordedRun>,
  results: ReadonlyArray<FlowResult>,
  cwd: string
): ReadonlyArray<RecordedRun> => {
  const files = results.flatMap(({ reported }) => (reported === undefined ? [] : (fileIn(reported) ?? [])))
  const paths = new Set(files.map((file) => inRepository(file, cwd)))
  const seen = new Map<string, number>()
  return runs.map((run) => {
    if (run.file !== undefined && paths.has(run.file)) return run
    const key = JSON.stringify([run.name, run.file, run.device?.platform])
    const number = (seen.get(key) ?? 0) + 1
    seen.set(key, number)
    return number === 1 ? run : { ...run, file: `${run.file ?? run.name} (${number})` }
  })
}

/**
 * The flows without the logs whose secrets are unknown: the typed text is in a flow's commands, and some are missing.
 */
const withoutUnmasked = (flows: ReadonlyArray<Flow>, log: ImportLog): ReadonlyArray<Flow> => {
  const unmasked = new Set(
    flows.flatMap(({ from, isWhole, recordings }) => (isWhole ? [] : [from, ...recordings.map(({ path }) => path)]))
  )
  return flows.map((flow) => ({
    ...flow,
    recordings: flow.recordings.filter((recording) => {
      if (!isText(recording) || !unmasked.has(recording.path)) return true
      const reason = "It is not sent: the commands that show what to hide in it are missing or truncated."
      log.problem({ file: recording.path, reason })
      return false
    })
  }))
}

/** The folder of a session, as Maestro names it by its time. */
const sessionOf = (path: string): string | undefined => /(?:^|[\\/])(\d{4}-\d\d-\d\d_\d{6})(?=[\\/]|$)/.exec(path)?.[1]

/** So long after the line of a log a flow may begin with its first command, in milliseconds: drivers are installed before. */
const latestBegin = 120_000

/**
 * Whether a flow from another folder may be the one that a log says began: the folders lie beside each other, are not
 * those of two sessions, and the times fit.
 */
const isNeighbour = (flow: Flow, log: string, { ofDay }: FlowBegun): boolean => {
  const sessions = [sessionOf(flow.from), sessionOf(log)]
  const isOtherSession = !sessions.includes(undefined) && sessions[0] !== sessions[1]
  if (isOtherSession || !isBelow(dirname(dirname(log)), flow.from)) return false
  if (flow.startedAt === undefined || ofDay === undefined) return false
  const later = sinceQuarterHour(flow.startedAt - ofDay)
  return later > -1000 && later <= latestBegin
}

/** The flows whose only trace is their start in a log. */
const missingIn = (
  log: string,
  begun: ReadonlyArray<FlowBegun>,
  flows: ReadonlyArray<Flow>,
  known: Set<string>
): ReadonlyArray<Flow> => {
  const beside = flows.filter(({ from }) => dirname(from) === dirname(log) || from === dirname(log))
  const others = flows.filter((flow) => !beside.includes(flow))
  return begun.flatMap((one) => {
    const { isFile, name, ofDay } = one
    // Of a log that was copied.
    const key = JSON.stringify([name, ofDay])
    // A flow that ended early doesn't name its file.
    const isIt = (flow: Flow) => (isFile ? (flow.fileName ?? name) === name : isCalled(flow, name))
    const claim = (all: Array<Flow>, index: number): boolean => {
      if (index !== -1) all.splice(index, 1)
      return index !== -1
    }
    if (claim(beside, beside.findIndex(isIt))) return []
    const near = others.findIndex((flow) => isIt(flow) && isNeighbour(flow, log, one))
    if (claim(others, near) || (ofDay !== undefined && known.has(key))) return []
    known.add(key)
    return [flowOfLog(name, log)]
  })
}

/** Flows that were copied with their folders: the same steps at the same times on one device, whatever their folders are called. */
const withoutCopiedFlows = (flows: ReadonlyArray<Flow>): ReadonlyArray<Flow> => {
  const known = new Set<string>()
  return flows.filter(({ deviceId, fileName, interruption, name, startedAt, steps }) => {
    if (startedAt === undefined || deviceId === undefined || interruption !== undefined) return true
    const all = steps.map(({ durationMs, name, startedAt, status }) => [name, status, startedAt, durationMs])
    const key = JSON.stringify([name, fileName, deviceId, startedAt, all])
    if (known.has(key)) return false
    known.add(key)
    return true
  })
}

/** Reads everything that the paths name or hold. */
export const importMaestro = async (
  paths: ReadonlyArray<string>,
  cwd: string,
  mask: Mask,
  log: ImportLog
): Promise<ReadonlyArray<RecordedRun>> => {
  const read: Array<Flow> = []
  const reports: Array<Report> = []
  const logs: Array<string> = []
  for (const found of filesOf(paths, cwd, log, { isWhole: isFlowFolder, within: flowFolders })) {
    const { isFolder, path } = found
    if (isFolder) read.push(readFlowFolder(path, mask, log))
    else if (isFlatCommands(path)) read.push(readFlatFlow(path, mask, log))
    else if (basename(path) === "maestro.log") logs.push(path)
    else if (mayBeReport(found)) {
      const report = await readReport("Maestro", found, log)
      if (report !== undefined) reports.push(report)
    }
  }
  const missing: Array<Flow> = []
  const known = new Set<string>()
  for (const path of logs) {
    const begun = await flowsBegun(path)
    const folder = dirname(dirname(path))
    // The log of a flow whose folder has other folders, too.
    const isOfFlow = begun.length === 0 && basename(dirname(path)) === "logs"
    if (isOfFlow && !read.some(({ from }) => isBelow(folder, from))) missing.push(readFlowFolder(folder, mask, log))
    missing.push(...missingIn(path, begun, read, known))
  }
  const flows = withoutUnmasked([...withoutCopiedFlows(read), ...missing], log)
  const results = joined(flows, withoutCopies(reports).flatMap(reportedIn))
  for (const [index, { reported }] of results.entries()) {
    if (reported?.isSkipped === true) log.skipped({ name: nameOf(reported), status: "skipped" }, String(index))
  }
  const ran = results.filter(({ reported }) => reported?.isSkipped !== true)
  return [
    ...numbered(
      tries(ran).flatMap((all) => runOf(all, cwd)),
      ran,
      cwd
    ),
    ...unknownIn(reports, results.length > 0).map(({ path, reason }) =>
      interruptedRun("maestro", basename(path), reason, path)
    )
  ]
}

const system = /^(iOS|iPadOS|Android)[ -]?([\d.]+)?$/i

const id = /^(?:[0-9A-F]{8}-(?:[0-9A-F]{4}-){3}[0-9A-F]{12}|[0-9A-F]{8}-[0-9A-F]{16}|emulator-\d+)$/i

const emulator = /^emulator-\d+$/

/** Whether a text is the id of one device, and not a name that others may share. */
const isDeviceId = (text: string): boolean => id.test(text)

/** A device as Maestro describes it: `iPhone 17 - iOS 26.5 - 089E029C-…`, or the name or number of one of Android. */
export const deviceOf = (described: string | undefined, deviceId: string | undefined): RecordedDevice | undefined => {
  const parts = (described ?? deviceId ?? "").split(" - ").filter((part) => part.trim() !== "")
  const [, systemName, osVersion] = parts.map((part) => system.exec(part.trim())).find((found) => found !== null) ?? []
  const platform = systemName ?? (emulator.test(deviceId ?? "") ? "Android" : undefined)
  const named = parts.filter((part) => !system.test(part.trim()))
  const names = named.filter((part) => !isDeviceId(part.trim()))
  const name = names.join(" - ") || named[0]
  if (name === undefined && platform === undefined) return undefined
  return {
    ...(name === undefined ? {} : { name: plainLine(name, 200) }),
    ...(platform === undefined ? {} : { platform: /^android/i.test(platform) ? "android" : "ios" }),
    ...(osVersion === undefined ? {} : { osVersion })
  }
}
