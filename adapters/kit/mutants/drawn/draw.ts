/** Mutants by a grammar: any method of any port, with any fault that shows in what the cases of the suite ask. */
import { DateTime, Effect, Exit, Option } from "effect"
import { createHash } from "node:crypto"
import { casesOf } from "../../metadata.ts"
import { callFaults, type CallFault } from "./callFaults.ts"
import { casesOn, type Method, type Section } from "./ports.ts"

/** A store in memory, one method of which has one fault. */
export interface Drawn {
  /** What it does wrong, in one sentence, which is also its name. */
  readonly sentence: string
  readonly method: string
  readonly fault: CallFault
  /** Where its fault shows. That of its port is first. */
  readonly sections: ReadonlyArray<Section>
}

const sections = Object.keys(casesOf).filter((name): name is Section => name in casesOf)

const text = (value: unknown): string => JSON.stringify([value])

/** Whether something was found: a call that is asked again for what it didn't find may find it. */
const isFound = (answer: unknown): boolean =>
  Option.isOption(answer) ? Option.isSome(answer) : Array.isArray(answer) && answer.length > 0

/** Which faults show in calls of a method that have no fault. */
const shownIn = (accounts: ReadonlyArray<string>, own: Method, show: (fault: CallFault) => void): Method => {
  const before = new Map<string, string>()
  return (...given) =>
    Effect.gen(function* () {
      const known = { accounts, now: yield* DateTime.now }
      const asked = callFaults.map((fault) => text(fault.given?.(given, known) ?? given))
      const exit = yield* Effect.exit(own(...given))
      const answer = Exit.isSuccess(exit) ? exit.value : undefined
      const earlier = before.get(text(given))
      for (const [index, fault] of callFaults.entries()) {
        const shows = {
          nothing: Exit.isSuccess(exit) && answer === undefined,
          unrefused: Exit.isFailure(exit),
          remembered: earlier !== undefined && earlier !== text(answer)
        }
        const differs =
          fault.instead === undefined
            ? asked[index] !== text(given) ||
              (fault.answer !== undefined && text(fault.answer(answer)) !== text(answer))
            : shows[fault.instead]
        if (differs) show(fault)
      }
      if (isFound(answer) && earlier === undefined) before.set(text(given), text(answer))
      return yield* exit
    })
}

/** A method with a fault. */
const faulty = (
  { answer: change = (same) => same, given: ask, instead }: CallFault,
  accounts: ReadonlyArray<string>,
  own: Method
): Method => {
  const before = new Map<string, unknown>()
  return (...given) =>
    Effect.gen(function* () {
      if (instead === "nothing") return undefined
      const question = text(given)
      if (before.has(question)) return before.get(question)
      const known = { accounts, now: yield* DateTime.now }
      const call = Effect.map(own(...(ask?.(given, known) ?? given)), change)
      const answer = yield* instead === "unrefused" ? Effect.catch(call, () => Effect.void) : call
      if (instead === "remembered" && isFound(answer)) before.set(question, answer)
      return answer
    })
}

/** Every mutant of the grammar: runs the suite once without a fault to find where each would show. */
export const allMutants: Effect.Effect<ReadonlyArray<Drawn>, unknown> = Effect.gen(function* () {
  const shown = new Map<string, Omit<Drawn, "sections"> & { readonly sections: Set<Section> }>()
  for (const section of sections) {
    const show = (method: string) => (fault: CallFault) => {
      const sentence = `A store whose \`${method}\` ${fault.text}.`
      const mutant = shown.get(sentence) ?? { sentence, method, fault, sections: new Set<Section>() }
      mutant.sections.add(section)
      shown.set(sentence, mutant)
    }
    for (const one of casesOn(section, (own, method, accounts) => shownIn(accounts, own, show(method)))) yield* one
  }
  return Array.from(shown.values(), (mutant) => {
    const own = sections.filter((section) => mutant.method.startsWith(`${section}.`))
    return { ...mutant, sections: [...new Set([...own, ...mutant.sections])] }
  })
})

/** As many of these, chosen by the seed. */
export const draw = (all: ReadonlyArray<Drawn>, count: number, seed: string): ReadonlyArray<Drawn> => {
  const place = ({ sentence }: Drawn) => createHash("sha256").update(`${seed} ${sentence}`).digest("hex")
  return all
    .map((mutant) => ({ mutant, place: place(mutant) }))
    .toSorted((one, other) => (one.place < other.place ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant)
}

/** Whether a case of the suite fails on a mutant. */
export const isKilled = ({ fault, method, sections }: Drawn): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    for (const section of sections) {
      const cases = casesOn(section, (own, name, accounts) => (name === method ? faulty(fault, accounts, own) : own))
      for (const one of cases) {
        // A fault may make a case wait for ever.
        if (Exit.isFailure(yield* Effect.exit(Effect.timeout(one, "20 seconds")))) return true
      }
    }
    return false
  })
