/** Makes runs of what `maestro test` left behind: folders of flows, reports, or both. */
import { extname, parse } from "node:path"
import { filesOf } from "../files.ts"
import { numberOf } from "../json.ts"
import { sinceQuarterHour } from "../logStart.ts"
import { readJUnitOf, type TestCase } from "../junit.ts"
import type { Mask } from "../mask.ts"
import { plainLine, plainLines } from "../plainText.ts"
import type { RecordedAttempt, RecordedDevice, RecordedRun } from "../recordedRun.ts"
import type { Telling } from "../Telling.ts"
import { deviceOf } from "./device.ts"
import { isFlatCommands, isFlowFolder, readFlatFlow, readFlowFolder, type Flow } from "./readFlow.ts"

/** A flow as a report, its folder, or both tell of it. */
interface Told {
  readonly flow: Flow | undefined
  readonly reported: TestCase | undefined
}

const nameOf = ({ attributes }: TestCase): string => attributes["name"] ?? attributes["id"] ?? ""

/** A name as Maestro makes it a folder's. */
const asFolder = (name: string): string => name.replaceAll("/", "_")

const secondsOf = (testCase: TestCase): number | undefined => {
  const seconds = numberOf(testCase.attributes["time"])
  return seconds === undefined || seconds < 0 ? undefined : Math.round(seconds * 1000)
}

const lengthOf = ({ endedAt, startedAt }: Flow): number | undefined =>
  startedAt === undefined || endedAt === undefined ? undefined : endedAt - startedAt

/** How far a flow is from being the one that a report tells of. */
const distance = (flow: Flow, reported: TestCase): number => {
  const device = reported.suite["device"] ?? ""
  const isItsDevice = flow.deviceId !== undefined && device.includes(flow.deviceId)
  const isItsFile = flow.fileName === undefined || (reported.attributes["file"] ?? "").includes(`${flow.fileName}.`)
  const isItsEnd = (flow.failingStep === undefined) === (reported.failure === undefined)
  const longer = Math.abs((secondsOf(reported) ?? 0) - (lengthOf(flow) ?? 0))
  // A report tells local time without its offset; time zones differ by quarters of an hour.
  const at = Date.parse(`${reported.attributes["timestamp"] ?? ""}Z`)
  const later = Number.isNaN(at) || flow.startedAt === undefined ? 0 : Math.abs(sinceQuarterHour(at - flow.startedAt))
  return (isItsDevice ? 0 : 1e12) + (isItsFile ? 0 : 1e11) + (isItsEnd ? 0 : 1e10) + longer + later
}

/** Puts flows and reports together by name; of several with one name, those that are nearest to each other. */
const joined = (flows: ReadonlyArray<Flow>, reported: ReadonlyArray<TestCase>): ReadonlyArray<Told> => {
  const left = new Set(flows)
  const pairs = reported
    .flatMap((one) =>
      flows
        .filter(({ name }) => asFolder(name) === asFolder(nameOf(one)))
        .map((flow) => ({ one, flow, apart: distance(flow, one) }))
    )
    .toSorted((one, other) => one.apart - other.apart)
  const flowOf = new Map<TestCase, Flow>()
  for (const { flow, one } of pairs) {
    if (!left.has(flow) || flowOf.has(one)) continue
    flowOf.set(one, flow)
    left.delete(flow)
  }
  return [
    ...reported.map((one) => ({ reported: one, flow: flowOf.get(one) })),
    ...[...left].map((flow) => ({ flow, reported: undefined }))
  ]
}

const reportStatuses: Readonly<Record<string, string>> = { SUCCESS: "passed", WARNING: "passed", ERROR: "failed" }

const statusOf = ({ flow, reported }: Told): string => {
  if (reported !== undefined) {
    const status = reported.attributes["status"]
    if (status !== undefined) return reportStatuses[status] ?? plainLine(status, 100)
    return reported.failure === undefined ? "passed" : "failed"
  }
  const hasEnded = flow?.steps.every(({ status }) => status !== "running") === true
  return flow?.failingStep === undefined && hasEnded ? "passed" : "failed"
}

const failureOf = (told: Told, status: string): string | undefined => {
  if (status === "passed") return undefined
  const { flow, reported } = told
  const step = flow?.failingStep === undefined ? undefined : flow.steps[flow.failingStep]
  const message = reported?.failure ?? step?.message
  if (message !== undefined && message.trim() !== "") return plainLines(message)
  return status === "failed" ? "Maestro tells no reason; the flow may have been ended from outside." : status
}

const attemptOf = (told: Told): RecordedAttempt => {
  const { flow, reported } = told
  const status = statusOf(told)
  return {
    status,
    // A report tells local time without its offset, so only the commands tell when it was.
    startedAt: flow?.startedAt,
    durationMs:
      (reported === undefined ? undefined : secondsOf(reported)) ?? (flow === undefined ? undefined : lengthOf(flow)),
    failureMessage: failureOf(told, status),
    steps: flow?.steps ?? [],
    failingStep: status === "passed" ? undefined : flow?.failingStep,
    recordings: flow?.recordings ?? []
  }
}

const tagsOf = ({ flow, reported }: Told): ReadonlyArray<string> =>
  reported?.properties["tags"]
    ?.split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "") ??
  flow?.tags ??
  []

const deviceOfTold = ({ flow, reported }: Told): RecordedDevice | undefined => {
  const device = deviceOf(reported?.suite["device"], flow?.deviceId)
  if (flow?.platform === undefined) return device
  return { ...device, platform: device?.platform ?? flow.platform }
}

/** Attempts of one flow on one device have this in common. */
const groupOf = ({ flow, reported }: Told): string =>
  JSON.stringify([
    flow?.name ?? (reported === undefined ? "" : nameOf(reported)),
    flow?.fileName ?? parse(reported?.attributes["file"] ?? "").name,
    flow?.deviceId ?? reported?.suite["device"]
  ])

const byTime = (one: number | undefined, other: number | undefined): number =>
  one === undefined || other === undefined ? 0 : one - other

const runOf = (attempts: readonly [Told, ...ReadonlyArray<Told>]): RecordedRun => {
  const [first = attempts[0], ...rest] = attempts.toSorted((one, other) =>
    byTime(one.flow?.startedAt, other.flow?.startedAt)
  )
  // A report tells more of the flow and its device than the folder does, and may tell of the last attempt alone.
  const of = attempts.find(({ reported }) => reported !== undefined) ?? first
  return {
    kind: "maestro",
    name: of.reported === undefined ? (of.flow?.name ?? "") : nameOf(of.reported),
    attempts: [attemptOf(first), ...rest.map(attemptOf)],
    device: deviceOfTold(of),
    file: of.reported?.attributes["file"] ?? of.flow?.fileName,
    tags: tagsOf(of)
  }
}

/** Reads everything that the paths name or hold. */
export const importMaestro = async (
  paths: ReadonlyArray<string>,
  cwd: string,
  mask: Mask,
  telling: Telling
): Promise<ReadonlyArray<RecordedRun>> => {
  const flows: Array<Flow> = []
  const reported: Array<TestCase> = []
  for await (const { isFolder, path } of filesOf(paths, cwd, telling, isFlowFolder)) {
    if (isFolder) flows.push(await readFlowFolder(path, mask, telling))
    else if (isFlatCommands(path)) flows.push(await readFlatFlow(path, mask, telling))
    else if (extname(path) === ".xml") reported.push(...((await readJUnitOf("Maestro", path, telling)) ?? []))
  }
  const groups = new Map<string, [Told, ...Array<Told>]>()
  for (const told of joined(flows, reported)) {
    if (told.reported === undefined && told.flow?.hasCommands === false) continue
    const group = groupOf(told)
    const attempts = groups.get(group)
    if (attempts === undefined) groups.set(group, [told])
    else attempts.push(told)
  }
  return [...groups.values()].map(runOf)
}
