import { Effect } from "effect"
import { inProcess } from "../testing/inProcess.ts"
import { runTarget } from "../testing/runTarget.ts"
import { faulty } from "./parts/faulty.ts"
import type { Front } from "./parts/Front.ts"
import type { Complaint } from "./Tried.ts"

/** No fault at all. */
export const faultless: Front = (ask) => ask

/** Runs the whole suite against a reference host of its own behind this front. */
export const complaints = (front: Front) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { target, transport } = yield* inProcess
      const { report } = yield* runTarget(target, { transport: faulty(transport, target, front) })
      return (
        report.checks
          // What is blocked is no complaint of its own: what blocks it is.
          .filter(({ outcome }) => outcome !== "passed" && outcome !== "blocked")
          .map(({ id, outcome, reason, violation }): Complaint => {
            const said = violation === undefined ? (reason ?? "") : `${violation.expected} ${violation.came}`
            return { check: id, outcome, said }
          })
      )
    })
  )
