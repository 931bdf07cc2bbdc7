import { Effect } from "effect"
import { runTarget } from "../testing/runTarget.ts"
import type { Base } from "./bases/Base.ts"
import { faulty } from "./parts/faulty.ts"
import { unchanged } from "./parts/fronts.ts"
import type { Mutant } from "./parts/Mutant.ts"
import type { Complaint } from "./Trial.ts"

/** No fault at all. */
export const faultless: Pick<Mutant, "claims" | "front"> = { claims: {}, front: unchanged }

/** The checks that skip every host whose config doesn't say how long its tokens live. */
const skippedByAll: ReadonlyArray<string> = ["builds.finalize.expired", "previews.finalize.expired"]

/** Runs the whole suite against a host of its own of this base, behind this front. */
export const complaints = ({ host, skippedBy }: Base, { claims, front }: Pick<Mutant, "claims" | "front">) =>
  Effect.scoped(
    Effect.gen(function* () {
      const met = yield* host
      const target = { ...met.target, config: { ...met.target.config, ...claims } }
      const { report } = yield* runTarget(target, { transport: faulty(met, front) })
      return (
        report.checks
          // What is blocked is no complaint of its own: what blocks it is.
          .filter(({ outcome }) => outcome !== "passed" && outcome !== "blocked")
          .filter(({ id, outcome }) => outcome !== "skipped" || ![...skippedBy, ...skippedByAll].includes(id))
          .map(({ id, outcome, reason, violation }): Complaint => {
            const said = violation === undefined ? (reason ?? "") : `${violation.expected} ${violation.came}`
            return { check: id, outcome, said }
          })
      )
    })
  )
