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

/** How the suite ended against one mutant. */
export const Trial = Schema.Struct({
  mutant: Schema.String,
  /** The id of the check that found it. */
  killedBy: Schema.optionalKey(Schema.String),
  /** Whether it answered a request otherwise than the reference host. */
  differed: Schema.Boolean
})
export type Trial = typeof Trial.Type

/**
 * The profiles whose checks judge the answers of each area, the area's own first. Others send it a few requests only. `everyMutant.matrix.test.ts` compares this with what the checks send.
 */
export const reachedBy = {
  builds: ["builds"],
  previews: ["previews", "testRuns"],
  runs: ["testRuns"]
} as const satisfies Readonly<Record<Area, Config["profiles"]>>

/** Runs the checks of these profiles against a reference host of its own, behind this front. Answers every check that didn't pass. */
export const complaintsOf = (front: Middleware, profiles: Config["profiles"], runId?: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const reference = yield* inProcess
      const target = { ...reference.target, config: { ...reference.target.config, profiles } }
      const { report } = yield* runTarget(target, {
        ...(runId === undefined ? {} : { runId }),
        transport: faulty(reference, front)
      })
      // What is blocked is no complaint of its own: what blocks it is.
      return report.checks.filter(({ outcome }) => !["passed", "blocked", "skipped"].includes(outcome))
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
const tryMutants = async (names: ReadonlyArray<string>, onTried: (tried: Trial) => void): Promise<void> => {
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
    let killedBy: string | undefined
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
            killedBy ??= progress.result.blockedBy ?? progress.result.id
            ending.abort()
          })
      }
    )
    return { mutant: name, ...(killedBy === undefined ? {} : { killedBy }), differed }
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
  const front = seeing((sight) => sights.push(sight))
  await Effect.runPromise(complaintsOf(front, ["builds", "previews", "testRuns"], seed))
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
  await tryMutants(names, ({ differed, killedBy, mutant }) => {
    const line = `${mutant}: ${draw(mutant).sentence}`
    if (killedBy !== undefined) killed += 1
    else if (differed) survivors.push(line)
    else unreached += 1
    onTried(`${killedBy ?? (differed ? "SURVIVED" : "unreached")} ${line}`)
  })
  const reached = killed + survivors.length
  const share = killed / reached
  const [least, most] = interval(killed, reached)
  const summary = `${killed} of ${reached} killed: ${percent(share)}, 95 % interval ${percent(least)} to ${percent(most)}; ${unreached} more not reached.`
  return { share, summary, survivors: survivors.toSorted() }
}
