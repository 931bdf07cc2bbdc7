import { Effect } from "effect"
import type { Front } from "./Front.ts"
import { answer, isDone, type Where } from "./fronts.ts"
import type { Area } from "./Call.ts"
import type { MutantTable } from "./Mutant.ts"

/** Answers every seventh request that does what was asked with another status code. */
const everySeventh =
  (where: Where, status: number): Front =>
  (ask, target) => {
    let done = 0
    return (call) =>
      Effect.map(ask(call), (answered) => {
        if (!where(call, target) || !isDone(answered)) return answered
        done += 1
        return done % 7 === 0 ? answer(status, answered.json ?? {}) : answered
      })
  }

/** The host answers one situation in different ways. */
export const choiceMutants: Readonly<Record<Area, MutantTable>> = {
  builds: {
    "builds.choices.put-status": [
      "Every seventh PUT for a build is answered 201, the others 200.",
      "builds.choices-kept",
      everySeventh(({ endpoint, reservation }) => endpoint === "put" && reservation?.profile === "builds", 201)
    ]
  },
  previews: {
    "previews.choices.reserve-status": [
      "Every seventh reservation of a preview is answered 200, the others 201.",
      "previews.choices-kept",
      everySeventh(({ endpoint }) => endpoint === "previews.reserve", 200)
    ]
  },
  runs: {
    "runs.choices.register-status": [
      "Every seventh registration of a test run is answered 200, the others 201.",
      "runs.choices-kept",
      everySeventh(({ endpoint }) => endpoint === "runs.register", 200)
    ]
  }
}
