import { Effect } from "effect"
import { Dialect, type Fields, type Listed, type ListedRun } from "../../dialect/Dialect.ts"
import { must, testedBy } from "../../dialect/Violation.ts"
import { isAbsoluteUrl } from "../../dialect/search.ts"
import type { Answer, Json } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import { a } from "./accounts.ts"
import { mustAnswer } from "./answers.ts"
import { eventually, settled } from "./eventually.ts"
import { branch, drawn } from "./inputs.ts"

/** The unique name of the run with this label. */
export const runName = Effect.fnUntraced(function* (label: string) {
  const session = yield* Session
  return `Run ${session.unique(`${label}.run`)}`
})

/** The branch of a check's runs, unless it gives them another. Its name has a slash in some checks. */
export const runBranch = Effect.gen(function* () {
  return (yield* branch("runs")) + (yield* drawn("runs.branch-end", ["", "/runs"]))
})

/** Registers a run that points at a preview, whatever the answer: with its own name, on the check's branch. */
export const sendRun = Effect.fnUntraced(function* (label: string, shareId: string, fields: Fields = {}, as = a) {
  const dialect = yield* Dialect
  const name = yield* runName(label)
  const usual = { name, branch: yield* runBranch, previewShareId: shareId }
  return yield* dialect.registerRun({ ...usual, ...fields }, as)
})

const registered = testedBy("runs.register.stored")

/** Requires the links to the hosted viewer that a registration answers. */
const mustLink = Effect.fnUntraced(function* (answer: Answer) {
  const dialect = yield* Dialect
  const { config } = yield* Session
  const { previewUrl, traceUrl } = yield* dialect.registered(answer)
  for (const [name, check, url] of [
    ["previewUrl", "runs.register.preview-url", previewUrl],
    ["traceUrl", "runs.register.trace-url", traceUrl]
  ] as const) {
    const isAbsolute = url !== undefined && isAbsoluteUrl(url)
    yield* testedBy(check)(must(isAbsolute, `A registration returns ${name}, an absolute URL.`, url ?? answer.text))
  }
  const urls = [config.viewerUrl, previewUrl, traceUrl].filter((url) => url !== undefined)
  const isOneHost = must(
    new Set(urls.map((url) => URL.parse(url)?.host)).size <= 1,
    `Both links are on ${config.viewerUrl ?? "the same host"}.`,
    `previewUrl is ${previewUrl ?? "none"}, traceUrl ${traceUrl ?? "none"}.`
  )
  yield* testedBy("runs.register.viewer-host")(isOneHost)
})

/** Registers a run, and requires a 2xx and its links. */
export const registerRun = Effect.fnUntraced(function* (label: string, shareId: string, fields: Fields = {}, as = a) {
  const session = yield* Session
  const kind = yield* drawn(`${label}.kind`, ["maestro", "detox"])
  const answer = yield* sendRun(label, shareId, { kind, ...fields }, as)
  yield* mustAnswer(answer, "The registration of a test run")
  const passed = fields.status === undefined || fields.status === "passed"
  yield* session.observe(`runs.register.${passed ? "passed" : "failed"}.status`, answer.status)
  yield* mustLink(answer)
  return answer
}, registered)

/** Lists as many runs as one list may have, of the check's branch unless the query names another. */
export const listRuns = Effect.fnUntraced(function* (query: Fields = {}, as = a) {
  const dialect = yield* Dialect
  const whole = { branch: yield* runBranch, limit: 100, ...query }
  const asked = dialect.listRuns(whole, as)
  const listed = yield* testedBy("runs.list.repository-alone")(Effect.flatMap(asked, dialect.listed))
  const most = Math.min(100, Math.max(1, Number(whole.limit ?? 100)))
  const isWithin = must(listed.runs.length <= most, `The list has at most ${most} runs.`, listed.runs.length)
  yield* testedBy("runs.list.limit")(isWithin)
  return listed
})

/** Whether an item of a list is the run of that name. */
export const isRun = (json: Json | undefined, name: string): boolean => JSON.stringify(json ?? null).includes(name)

/** The run of that name in a list. */
export const runIn = ({ runs }: Listed, name: string): ListedRun | undefined =>
  runs.find(({ json }) => isRun(json, name))

/** Lists the runs of the check's branch until those with these labels are in the list. */
export const listWith = Effect.fnUntraced(function* (labels: ReadonlyArray<string>) {
  const names = yield* Effect.forEach(labels, runName)
  const missing = (listed: Listed) => names.filter((name) => runIn(listed, name) === undefined)
  const listed = yield* eventually(listRuns(), (listed) => missing(listed).length === 0)
  yield* must(
    missing(listed).length === 0,
    "A registered test run is in the list of its repository and branch.",
    `The list was without ${missing(listed).join(", ")}.`
  )
  return listed
}, registered)

/** Lists until the runs with these labels are in the list, and answers them in the order of the labels. */
export const storedRuns = Effect.fnUntraced(function* (labels: ReadonlyArray<string>) {
  const listed = yield* listWith(labels)
  const names = yield* Effect.forEach(labels, runName)
  return names.flatMap((name) => runIn(listed, name) ?? [])
})

/** Requires that the run with this label is not in a list once every write must be visible. */
export const mustNotBeStored = Effect.fnUntraced(function* (label: string, what: string, query?: Fields, as = a) {
  const name = yield* runName(label)
  const listed = yield* settled(listRuns(query, as))
  yield* must(runIn(listed, name) === undefined, `${what} is not stored.`, "It was in the list of test runs.")
})

/** Requires that so many runs of the check's branch are listed. */
export const mustListAll = Effect.fnUntraced(function* (count: number) {
  const { runs } = yield* eventually(listRuns(), ({ runs }) => runs.length === count)
  yield* must(runs.length === count, `All ${count} runs that were registered are listed.`, `There were ${runs.length}.`)
}, registered)
