import { Effect } from "effect"
import type { Area } from "./Call.ts"
import type { Front } from "./Front.ts"
import { answer, at, isDone, type Where } from "./fronts.ts"
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

const seventh = (id: string, requests: string, where: Where, status: 200 | 201): MutantTable => ({
  [`choices.${id}-status`]: [
    `Every seventh ${requests} is answered ${status}, the others ${status === 200 ? 201 : 200}.`,
    "choices-kept",
    everySeventh(where, status)
  ]
})

/** The host answers one situation in different ways. */
export const choiceMutants: Readonly<Record<Area, MutantTable>> = {
  builds: seventh("put", "PUT for a build", at("put"), 201),
  previews: seventh("reserve", "reservation of a preview", at("previews.reserve"), 200),
  runs: seventh("register", "registration of a test run", at("runs.register"), 200)
}
