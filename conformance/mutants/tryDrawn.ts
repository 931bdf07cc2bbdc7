import { Effect } from "effect"
import { checks } from "../checks/index.ts"
import { runTarget } from "../testing/runTarget.ts"
import { reachedBy } from "./complaints.ts"
import { faulty } from "./parts/faulty.ts"
import type { Complaint, Trial } from "./Trial.ts"
import { frontOf, type Drawn } from "./drawn/draw.ts"

/** The checks with few requests first, since the first violation ends a run. */
const ordered = checks.toSorted((one, other) => one.cost.requests - other.cost.requests)

/** The outcomes by which a mutant is found: a check that is blocked failed in a step of another check. */
const found: ReadonlyArray<string> = ["failed", "blocked", "suite-fault"]

/** Runs the checks that can report a drawn mutant, until the first that does. */
export const tryDrawn = (drawn: Drawn): Effect.Effect<Trial> =>
  Effect.gen(function* () {
    const { base, fault, name } = drawn
    const met = yield* base.host
    const ending = new AbortController()
    const complaints: Array<Complaint> = []
    let differed = false
    const front = frontOf(drawn, () => (differed = true))
    yield* runTarget(
      { ...met.target, config: { ...met.target.config, profiles: reachedBy[fault.area] } },
      {
        checks: ordered,
        transport: faulty(met, front),
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
    return { base: base.name, mutant: name, complaints, differed }
  }).pipe(Effect.scoped, Effect.orDie)
