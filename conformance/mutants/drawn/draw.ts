import { Effect } from "effect"
import { createHash } from "node:crypto"
import type { Answer } from "../../session/Exchange.ts"
import type { Call } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import { bases } from "../bases/index.ts"
import type { Base } from "../bases/Base.ts"
import { dimensions, ofBranches, type Condition } from "./conditions.ts"
import { faults, type Fault } from "./faults.ts"
import { Scene, type Sight } from "./Sight.ts"

/** A mutant of the grammar: a fault, wherever all of its conditions hold. */
export interface Drawn {
  /** `seed:place`. */
  readonly name: string
  readonly base: Base
  readonly fault: Fault
  readonly conditions: ReadonlyArray<Condition>
  /** What it does wrong, in one sentence. */
  readonly sentence: string
}

/** Chooses by the seed, the place of a mutant and what is chosen, so each mutant can be drawn again alone. */
const chooser =
  (name: string) =>
  <A>(what: string, some: ReadonlyArray<A>): A => {
    const place = createHash("sha256")
      .update(JSON.stringify([name, what]))
      .digest()
      .readUInt32BE()
    const chosen = some[place % some.length]
    if (chosen === undefined) throw new Error(`There is nothing to choose as ${what}`)
    return chosen
  }

/** How many conditions a mutant has, each as often as it is here. */
const counts = [0, 1, 1, 1, 2]

/** The mutant of this name. */
export const draw = (name: string): Drawn => {
  const choose = chooser(name)
  const [base, fault] = [choose("base", bases), choose("fault", faults)]
  const fitting = Object.values(dimensions)
    .map((all) => all.filter(([, , endpoints]) => endpoints?.includes(fault.endpoint) ?? true))
    .map((all) => (fault.refuses ? all.filter(([, , endpoints]) => endpoints !== ofBranches) : all))
    .filter((all) => all.length > 0)
  const first = choose("dimension", fitting)
  const second = choose(
    "second dimension",
    fitting.filter((one) => one !== first)
  )
  const conditions = [choose("condition", first), choose("second condition", second)].slice(0, choose("count", counts))
  const when = conditions.length === 0 ? "" : ` if ${conditions.map(([text]) => text).join(" and ")}`
  const sentence = `The answer to ${fault.endpoint} of ${fault.area} ${fault.text}${when}.`
  return { name, base, fault, conditions, sentence }
}

/** The front of a mutant. `onDiffering` is called when it answers otherwise than the host behind it. */
export const frontOf =
  ({ conditions, fault }: Drawn, onDiffering: () => void): Front =>
  (ask, target, dialect) => {
    const scene = new Scene()
    const sights = new WeakMap<Call, Sight>()
    const answers = new WeakMap<Call, string>()
    const asText = ({ json, status }: Answer) => JSON.stringify([status, json])
    const front = fault.front((call) => {
      const sight = sights.get(call)
      const isHere = call.endpoint === fault.endpoint && (call.reservation?.profile ?? fault.area) === fault.area
      if (!isHere || sight === undefined) return false
      const isUnspecified = sight.isAgain && !fault.evenAgain && /finalize|put/.test(fault.endpoint)
      return !isUnspecified && conditions.every(([, holds]) => holds(sight))
    })((call) => Effect.tap(ask(call), (own) => Effect.sync(() => answers.set(call, asText(own)))), target, dialect)
    return (call) =>
      Effect.suspend(() => {
        sights.set(call, scene.begin(call))
        return Effect.tap(front(call), (answer) =>
          Effect.sync(() => {
            scene.end(call, answer)
            if (asText(answer) !== answers.get(call)) onDiffering()
          })
        )
      })
  }
