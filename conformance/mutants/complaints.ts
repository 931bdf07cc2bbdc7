import { Effect } from "effect"
import { runTarget } from "../testing/runTarget.ts"
import type { Base } from "./bases/Base.ts"
import { areaOf, type Area } from "./parts/Call.ts"
import { faulty } from "./parts/faulty.ts"
import type { Front } from "./parts/Front.ts"
import type { Mutant } from "./parts/Mutant.ts"
import type { Complaint } from "./Trial.ts"

/**
 * The profiles whose checks send requests to each area, the area's own first. Only these can report a mutant of the area, since
 * its front gets no other requests: see `within`. `everyMutant.matrix.test.ts` compares this with what the checks send.
 */
export const reachedBy = {
  builds: ["builds"],
  previews: ["previews", "testRuns"],
  runs: ["testRuns"]
} as const satisfies Readonly<Record<Area, Mutant["claims"]["profiles"]>>

/** The front that gets only the requests to an area; all others go straight to the host. That of runs sees what happens to previews. */
const within =
  (area: Area, front: Front): Front =>
  (ask, ...host) => {
    const inside = front(ask, ...host)
    return (call) => (area === "runs" || areaOf(call) === area ? inside(call) : ask(call))
  }

/** The checks that skip every host whose config doesn't say how long its tokens live. */
const skippedByAll: ReadonlyArray<string> = ["builds.finalize.expired", "previews.finalize.expired"]

/**
 * Runs a mutant of this base on a host of its own: the checks of its area, or on a base that isn't whole, only those that must
 * report it.
 */
export const complaints = (base: Base, { area, caughtBy, claims, front }: Mutant) =>
  complaintsOf(
    base,
    within(area, front),
    { profiles: [reachedBy[area][0]], ...claims },
    { only: base.isWhole ? [] : caughtBy }
  )

/** Runs the suite, or these checks, against a host of its own of this base, behind this front and with these settings. */
export const complaintsOf = (
  { host, skippedBy }: Base,
  front: Front,
  settings: Mutant["claims"],
  options: Pick<NonNullable<Parameters<typeof runTarget>[1]>, "only" | "runId"> = {}
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const met = yield* host
      const target = { ...met.target, config: { ...met.target.config, ...settings } }
      const inSteps = new Set<string>()
      const { report } = yield* runTarget(target, {
        ...options,
        transport: faulty(met, front),
        onProgress: (progress) =>
          Effect.sync(() => {
            if (progress._tag === "Ended" && progress.result.outcome === "blocked") inSteps.add(progress.result.id)
          })
      })
      return (
        report.checks
          // What is blocked is no complaint of its own: what blocks it is.
          .filter(({ outcome }) => outcome !== "passed" && outcome !== "blocked")
          .filter(({ id, outcome }) => outcome !== "skipped" || ![...skippedBy, ...skippedByAll].includes(id))
          .map(({ id, outcome, reason, violation }): Complaint => {
            const said = violation === undefined ? (reason ?? "") : `${violation.expected} ${violation.came}`
            return { check: id, outcome, inStep: inSteps.has(id), said }
          })
      )
    })
  )
