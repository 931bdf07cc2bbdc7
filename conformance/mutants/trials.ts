import { Effect, Schema } from "effect"
import { inProcess, runTarget } from "../testing/target.ts"
import type { Config } from "../config/Config.ts"
import { faulty, type Area, type Middleware } from "./Mutant.ts"
import { fork } from "node:child_process"
import { once } from "node:events"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { checks } from "../checks/index.ts"
import { draw, frontOf, interval, isFaulty, seeing, type Drawn, type Seen } from "./drawn.ts"
import { randomInt } from "node:crypto"

/** A check that didn't pass. */
const Complaint = Schema.Struct({
  check: Schema.String,
  outcome: Schema.String,
  /** Whether it failed in a step that another check tests. */
  inStep: Schema.Boolean,
  /** For a person. */
  said: Schema.String
})
type Complaint = typeof Complaint.Type

/** How the whole suite ended against one mutant: every check that didn't pass. */
export const Trial = Schema.Struct({
  mutant: Schema.String,
  complaints: Schema.Array(Complaint),
  /** Whether it answered a request otherwise than the reference host. Of drawn mutants. */
  differed: Schema.optionalKey(Schema.Boolean)
})
export type Trial = typeof Trial.Type

/**
 * The profiles whose checks send requests to each area, the area's own first. Only these can report a mutant of the area. `everyMutant.matrix.test.ts` compares this with what the checks send.
 */
export const reachedBy = {
  builds: ["builds"],
  previews: ["previews", "testRuns"],
  runs: ["testRuns"]
} as const satisfies Readonly<Record<Area, Config["profiles"]>>

/** Runs the suite against a reference host of its own, behind this front and with these settings. */
export const complaintsOf = (
  front: Middleware,
  settings: Partial<Config>,
  options: Pick<NonNullable<Parameters<typeof runTarget>[1]>, "runId"> = {}
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const reference = yield* inProcess
      const target = { ...reference.target, config: { ...reference.target.config, ...settings } }
      const inSteps = new Set<string>()
      const { report } = yield* runTarget(target, {
        ...options,
        transport: faulty(reference, front),
        onProgress: (progress) =>
          Effect.sync(() => {
            if (progress._tag === "Ended" && progress.result.outcome === "blocked") inSteps.add(progress.result.id)
          })
      })
      return (
        report.checks
          // What is blocked is no complaint of its own: what blocks it is.
          .filter(({ outcome }) => !["passed", "blocked", "skipped"].includes(outcome))
          .map(({ id, outcome, reason, violation }): Complaint => {
            const said = violation === undefined ? (reason ?? "") : `${violation.expected} ${violation.came}`
            return { check: id, outcome, inStep: inSteps.has(id), said }
          })
      )
    })
  )

const decode = Schema.decodeUnknownSync(Trial)

const worker = join(import.meta.dirname, "worker.ts")

const inOneProcess = async (names: ReadonlyArray<string>, onTried: (tried: Trial) => void): Promise<void> => {
  const child = fork(worker, names, { execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] })
  child.on("message", (tried) => onTried(decode(tried)))
  const [code] = await once(child, "close")
  if (code !== 0) throw new Error(`A process that tried mutants ended with ${String(code)}`)
}

/** Tries the mutants of these names, in as many processes as the machine has processors. */
export const tryMutants = async (names: ReadonlyArray<string>, onTried: (tried: Trial) => void): Promise<void> => {
  const processes = Math.min(availableParallelism(), names.length)
  const shares = Array.from({ length: processes }, (_, share) =>
    names.filter((_, index) => index % processes === share)
  )
  await Promise.all(shares.map((share) => inOneProcess(share, onTried)))
}

/** The checks with few requests first, since the first violation ends a run. */
const ordered = checks.toSorted((one, other) => one.cost.requests - other.cost.requests)

/** The outcomes by which a mutant is found: a check that is blocked failed in a step of another check. */
const found: ReadonlyArray<string> = ["failed", "blocked", "suite-fault"]

/** Runs the checks that can report a drawn mutant, until the first that does. */
export const tryDrawn = (drawn: Drawn): Effect.Effect<Trial> =>
  Effect.gen(function* () {
    const { fault, name } = drawn
    const reference = yield* inProcess
    const ending = new AbortController()
    const complaints: Array<Complaint> = []
    let differed = false
    const front = frontOf(drawn, () => (differed = true))
    yield* runTarget(
      { ...reference.target, config: { ...reference.target.config, profiles: reachedBy[fault.area] } },
      {
        checks: ordered,
        transport: faulty(reference, front),
        runId: name.split(":")[0] ?? name,
        signal: ending.signal,
        onProgress: (progress) =>
          Effect.sync(() => {
            if (progress._tag !== "Ended" || !found.includes(progress.result.outcome)) return
            const { blockedBy, id, outcome, reason, violation } = progress.result
            const said = violation === undefined ? (reason ?? "") : `${violation.expected} ${violation.came}`
            complaints.push({ check: blockedBy ?? id, outcome, inStep: blockedBy !== undefined, said })
            ending.abort()
          })
      }
    )
    return { mutant: name, complaints, differed }
  }).pipe(Effect.scoped, Effect.orDie)

export const newSeed = (): string => String(randomInt(2 ** 31))

/** Mutants that were drawn, and how many others were that no request of the suite meets the conditions of. */
interface Names {
  readonly names: ReadonlyArray<string>
  readonly unmet: number
}

/** Draws with a seed until there are as many mutants that have their fault in at least one request of the suite. */
export const drawMutants = async (seed: string, count: number): Promise<Names> => {
  const sights: Array<Seen> = []
  await Effect.runPromise(
    complaintsOf(
      seeing((sight) => sights.push(sight)),
      {},
      { runId: seed }
    )
  )
  const names: Array<string> = []
  let place = 0
  for (; names.length < count; place++) {
    const drawn = draw(`${seed}:${place}`)
    if (sights.some((sight) => isFaulty(drawn, sight))) names.push(drawn.name)
  }
  return { names, unmet: place - count }
}

/** How the suite did against drawn mutants. */
export interface Tried {
  /** The share of those killed, of those that answered anything otherwise than the reference host. */
  readonly share: number
  readonly summary: string
  /** The sentences of those that answered otherwise and no check reported. */
  readonly survivors: ReadonlyArray<string>
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

/** Tries drawn mutants. A mutant that no check made answer otherwise than the reference host is counted apart: it isn't reached. */
export const tryAllDrawn = async (
  names: ReadonlyArray<string>,
  onTried: (line: string) => void = () => {}
): Promise<Tried> => {
  const survivors: Array<string> = []
  let [killed, unreached] = [0, 0]
  await tryMutants(names, ({ complaints, differed, mutant }) => {
    const line = `${mutant}: ${draw(mutant).sentence}`
    const [first] = complaints
    if (first !== undefined) killed += 1
    else if (differed === true) survivors.push(line)
    else unreached += 1
    onTried(`${first === undefined ? (differed === true ? "SURVIVED" : "unreached") : first.check} ${line}`)
  })
  const reached = killed + survivors.length
  const share = killed / reached
  const [least, most] = interval(killed, reached)
  const summary = `${killed} of ${reached} killed: ${percent(share)}, 95 % interval ${percent(least)} to ${percent(most)}; ${unreached} more not reached.`
  return { share, summary, survivors: survivors.toSorted() }
}
