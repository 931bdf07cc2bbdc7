import { Effect } from "effect"
import { createHash } from "node:crypto"
import type { Answer } from "../../session/Exchange.ts"
import type { Area, Call, Endpoint } from "../parts/Call.ts"
import type { Front } from "../parts/Front.ts"
import { bases } from "../bases/index.ts"
import type { Base } from "../bases/Base.ts"
import { dimensions, ofBranches, ofCallers, type Condition } from "./conditions.ts"
import { faults, type Fault } from "./faults.ts"
import { Scene, type Sight } from "./Sight.ts"

/** A mutant of the grammar: a fault, wherever all of its conditions hold. */
export interface Drawn {
  /** `seed:place`, or `base#place` of one that is always tried. */
  readonly name: string
  readonly base: Base
  readonly fault: Fault
  readonly conditions: ReadonlyArray<Condition>
  /** What it does wrong, in one sentence. */
  readonly sentence: string
}

const drawnOf = (name: string, base: Base, fault: Fault, conditions: ReadonlyArray<Condition>): Drawn => {
  const when = conditions.length === 0 ? "" : ` if ${conditions.map(([text]) => text).join(" and ")}`
  const sentence = `The answer to ${fault.endpoint} of ${fault.area} ${fault.text}${when}.`
  return { name, base, fault, conditions, sentence }
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

const drawAtRandom = (name: string): Drawn => {
  const choose = chooser(name)
  const [base, fault] = [choose("base", bases), choose("fault", faults)]
  const fits = ([, , endpoints]: Condition) =>
    (endpoints?.includes(fault.endpoint) ?? true) &&
    !(fault.refuses && endpoints === ofBranches) &&
    !(fault.isOfKeys && endpoints === ofCallers)
  const fitting = Object.values(dimensions)
    .map((all) => all.filter(fits))
    .filter((all) => all.length > 0)
  const first = choose("dimension", fitting)
  const second = choose(
    "second dimension",
    fitting.filter((one) => one !== first)
  )
  const conditions = [choose("condition", first), choose("second condition", second)].slice(0, choose("count", counts))
  return drawnOf(name, base, fault, conditions)
}

/** Mutants of the grammar that are tried in every run, on each base: vendors got through with these. */
const always: ReadonlyArray<readonly [Area, Endpoint, fault: string, ...conditions: ReadonlyArray<string>]> = [
  ["builds", "builds.latest", "is 403 for a repository that isn't linked", "it is for Android"],
  ["builds", "builds.latest", "is 404 although it is there", "its branch has a slash"],
  ["builds", "builds.reserve", "is given for a repository that isn't linked"],
  ["builds", "builds.reserve", "has no slot for the last of its files", "it has more than two files"],
  ["builds", "builds.reserve", "has the slot of another object for the last of its files"],
  ["builds", "put", "is 200, and the object is lost", "it is for Android"],
  ["previews", "put", "is 400 although it is done", "another one is under way"],
  ["previews", "previews.finalize", "is given to the other account", "it has recordings"],
  ["previews", "previews.read", "is without the first of its recordings"],
  ["previews", "previews.read", "is without the last of its files"],
  ["runs", "runs.register", "is given for a repository that isn't linked"],
  ["runs", "runs.list", "ignores the kind"]
]

const thatIs = <A>(some: ReadonlyArray<A>, is: (one: A) => boolean, text: string): A => {
  const found = some.find(is)
  if (found === undefined) throw new Error(`The grammar has no ${text}`)
  return found
}

const drawNamed = (name: string, base: Base, place: number): Drawn => {
  const [area, endpoint, text, ...conditions] = thatIs(always, (one) => one === always[place], name)
  const isMeant = (one: Fault) => one.area === area && one.endpoint === endpoint && one.text === text
  const all = Object.values(dimensions).flat()
  const chosen = conditions.map((text) => thatIs(all, ([own]) => own === text, text))
  return drawnOf(name, base, thatIs(faults, isMeant, text), chosen)
}

/** The names of the mutants that are always tried. */
export const alwaysTried: ReadonlyArray<string> = bases.flatMap(({ name }) =>
  always.map((_, place) => `${name}#${place}`)
)

/** The mutant of this name. */
export const draw = (name: string): Drawn => {
  const [base, place] = name.split("#")
  return place === undefined
    ? drawAtRandom(name)
    : drawNamed(
        name,
        thatIs(bases, (one) => one.name === base, name),
        Number(place)
      )
}

/** Whether a mutant has its fault in a request. */
export const isFaulty = ({ conditions, fault }: Drawn, sight: Sight): boolean => {
  const { call, isAgain } = sight
  const isHere = call.endpoint === fault.endpoint && (call.reservation?.profile ?? fault.area) === fault.area
  const isUnspecified = isAgain && !fault.isOfKeys && /finalize|put/.test(fault.endpoint)
  return isHere && !isUnspecified && conditions.every(([, holds]) => holds(sight))
}

/** The front of a mutant. `onDiffering` is called when it answers otherwise than the host behind it. */
export const frontOf =
  (drawn: Drawn, onDiffering: () => void): Front =>
  (ask, target, dialect) => {
    const scene = new Scene()
    const sights = new WeakMap<Call, Sight>()
    const answers = new WeakMap<Call, string>()
    const asText = ({ json, status }: Answer) => JSON.stringify([status, json])
    const front = drawn.fault.front((call) => {
      const sight = sights.get(call)
      return sight !== undefined && isFaulty(drawn, sight)
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

/** The front of a base without a fault. It reports what the conditions of mutants see. */
export const seeing =
  (onSight: (sight: Sight) => void): Front =>
  (ask) => {
    const scene = new Scene()
    return (call) =>
      Effect.suspend(() => {
        onSight(scene.begin(call))
        return Effect.tap(ask(call), (answer) => Effect.sync(() => scene.end(call, answer)))
      })
  }
