import { Effect } from "effect"
import { runTarget } from "../testing/runTarget.ts"
import type { Base } from "./bases/Base.ts"
import { faulty } from "./parts/faulty.ts"
import type { Front } from "./parts/Front.ts"
import type { Complaint } from "./Tried.ts"

/** No fault at all. */
export const faultless: Front = (ask) => ask

/** Runs the whole suite against a host of its own of this base, behind this front. */
export const complaints = ({ host, skippedBy }: Base, front: Front) =>
  Effect.scoped(
    Effect.gen(function* () {
      const met = yield* host
      const { report } = yield* runTarget(met.target, { transport: faulty(met, front) })
      return (
        report.checks
          // What is blocked is no complaint of its own: what blocks it is.
          .filter(({ outcome }) => outcome !== "passed" && outcome !== "blocked")
          .filter(({ id, outcome }) => outcome !== "skipped" || !skippedBy.includes(id))
          .map(({ id, outcome, reason, violation }): Complaint => {
            const said = violation === undefined ? (reason ?? "") : `${violation.expected} ${violation.came}`
            return { check: id, outcome, said }
          })
      )
    })
  )
