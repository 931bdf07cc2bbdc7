import { at, failing } from "../parts/fronts.ts"
import type { Mutant } from "../parts/Mutant.ts"

/** What a caller gets wrong is answered as the host's own fault. */
export const mistakeMutants: ReadonlyArray<Mutant> = [
  {
    id: "runs.mistakes.register-fails",
    fault: "A registration with a stepCount below 0 is answered 500.",
    caughtBy: ["runs.mistakes.register"],
    front: failing(at("runs.register", ({ fields }) => Number(fields.stepCount) < 0))
  },
  {
    id: "runs.mistakes.body-fails",
    fault: "A body that is a list is answered 500 where test runs are registered.",
    caughtBy: ["runs.mistakes.body"],
    front: failing(at("runs.register", ({ body }) => body === "[]"))
  },
  {
    id: "runs.mistakes.list-fails",
    fault: "A limit that is no number is answered 500.",
    caughtBy: ["runs.mistakes.list"],
    front: failing(at("runs.list", ({ query }) => query.limit === "many"))
  }
]
