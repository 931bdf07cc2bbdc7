/** Mutants by a grammar: any method of any port, with any fault that shows in what the cases of the suite ask. */
import { type Context, DateTime, Effect, Exit, Layer, Option, Predicate } from "effect"
import { createHash } from "node:crypto"
import { mapPorts, type MetadataPorts } from "../../../core/ports/registry.ts"
import { layerMetadata } from "../../memory/index.ts"
import { casesOf } from "../metadata.ts"
import { casesIn, type Run, type Tester } from "../parts/suite.ts"

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

// What can go wrong with a call, whatever the method and the port.

/** What a fault knows of the run. */
export interface Known {
  /** The ids of the accounts, in the order of their inserts. */
  readonly accounts: ReadonlyArray<string>
  readonly now: DateTime.Utc
}

type Given = ReadonlyArray<unknown>

/** What the engine is given instead of the arguments. */
type ChangeGiven = (given: Given, known: Known) => Given

/** A fault of a method. */
interface CallFault {
  /** Completes "A store whose `KeyStore.list` …". */
  readonly text: string
  readonly given?: ChangeGiven
  /** What is answered instead of the engine's answer. */
  readonly answer?: (answer: unknown) => unknown
  /** What is done instead of a call: nothing, the call without its refusal, or the first call with the same arguments. */
  readonly instead?: "nothing" | "unrefused" | "remembered"
}

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype

type Change = (part: unknown) => unknown

const mapMembers = (members: Readonly<Record<string, unknown>>, change: (part: unknown, name: string) => unknown) =>
  Object.fromEntries(Object.entries(members).map(([name, part]) => [name, change(part, name)]))

/** Changes a value, or the parts of it where `change` answers it unchanged. */
const everywhere =
  (change: Change): Change =>
  (value) => {
    const changed = change(value)
    if (changed !== value) return changed
    if (isList(value)) return value.map(everywhere(change))
    if (Option.isOption(value)) return Option.map(value, everywhere(change))
    return isPlain(value) ? mapMembers(value, everywhere(change)) : value
  }

/** Changes the arguments, and the members of those that are objects. */
const direct =
  (change: (part: unknown, known: Known) => unknown): ChangeGiven =>
  (given, known) =>
    given.map((one) => {
      const changed = (part: unknown) => change(part, known)
      return isPlain(one) ? mapMembers(one, changed) : changed(one)
    })

const list = (change: (all: ReadonlyArray<unknown>) => ReadonlyArray<unknown>): Change =>
  everywhere((part) => (isList(part) && part.length > 0 ? change(part) : part))

const number =
  (more: number): Change =>
  (part) =>
    typeof part === "number" ? part + more : part

const time =
  (change: (time: DateTime.Utc, known: Known) => DateTime.Utc) =>
  (part: unknown, known: Known): unknown =>
    DateTime.isDateTime(part) && DateTime.isUtc(part) ? change(part, known) : part

const second = (part: unknown): unknown =>
  DateTime.isDateTime(part) && DateTime.isUtc(part) ? DateTime.startOf(part, "second") : part

const lowerCase: Change = everywhere((part) => (typeof part === "string" ? part.toLowerCase() : part))

const forgetAccount: ChangeGiven = (given, { accounts: [first, ...others] }) =>
  given.map(everywhere((part) => (typeof part === "string" && others.includes(part) ? first : part)))

/** The optional members of arguments. */
const optional = [
  "after",
  "app",
  "before",
  "branch",
  "entry",
  "event",
  "history",
  "hosted",
  "isTestRun",
  "lost",
  "once",
  "openBelow",
  "platform",
  "removals",
  "replaces",
  "within",
  "without"
]

const without =
  (left: string): ChangeGiven =>
  (given) =>
    given.map((one) =>
      isPlain(one) ? mapMembers(one, (part, name) => (name === left ? (isList(part) ? [] : undefined) : part)) : one
    )

/** Every fault that a call can have. */
const callFaults: ReadonlyArray<CallFault> = [
  { text: "does nothing", instead: "nothing" },
  { text: "is done where it is refused", instead: "unrefused" },
  { text: "answers what it answered to the same question before", instead: "remembered" },
  { text: "finds nothing", answer: (found) => (isList(found) ? [] : Option.isOption(found) ? Option.none() : found) },
  { text: "leaves out the first of a list", answer: list((all) => all.slice(1)) },
  { text: "leaves out the last of a list", answer: list((all) => all.slice(0, -1)) },
  { text: "reverses lists", answer: list((all) => all.toReversed()) },
  { text: "lists the last of a list twice", answer: list((all) => [...all, ...all.slice(-1)]) },
  { text: "answers the opposite", answer: (is) => (typeof is === "boolean" ? !is : is) },
  { text: "answers numbers that are one too high", answer: everywhere(number(1)) },
  { text: "forgets parts of seconds", answer: everywhere(second) },
  { text: "answers texts in lower case", answer: lowerCase },
  { text: "takes texts in lower case", given: (given) => given.map(lowerCase) },
  { text: "takes numbers for one more", given: direct(number(1)) },
  { text: "takes numbers for one less", given: direct(number(-1)) },
  { text: "takes times for a millisecond later", given: direct(time((at) => DateTime.add(at, { milliseconds: 1 }))) },
  {
    text: "takes times for a millisecond earlier",
    given: direct(time((at) => DateTime.subtract(at, { milliseconds: 1 })))
  },
  { text: "uses the engine's clock", given: direct(time((_, { now }) => now)) },
  { text: "forgets the account", given: forgetAccount },
  ...optional.map((name) => ({ text: `ignores \`${name}\``, given: without(name) }))
]

// Hosts whose ports are wrapped, and the cases of the suite on them.

/** A method of a port. A member that is an effect is one without arguments. */
export type Method = (...given: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown, unknown>

/** A store in memory, and the ids of its accounts in the order of their inserts. */
interface Store {
  readonly ports: Context.Context<MetadataPorts>
  readonly accounts: Array<string>
}

/** Called for each method of each host of each store. The method is named `KeyStore.list`. */
type Wrap = (own: Method, name: string, accounts: ReadonlyArray<string>) => Method

const wrapped = ({ accounts, ports }: Store, wrap: Wrap): Store["ports"] =>
  mapPorts(ports, (port, portName) =>
    Object.fromEntries(
      Object.entries(port).map(([name, member]: [string, unknown]) => {
        const own: Method = (...given) => {
          const [record] = given
          const isAccount = portName === "AccountStore" && name === "insert" && Predicate.hasProperty(record, "id")
          if (isAccount && typeof record.id === "string") accounts.push(record.id)
          const made: unknown = typeof member === "function" ? Reflect.apply(member, port, given) : member
          return Effect.isEffect(made) ? made : Effect.die(`${portName}.${name} is no effect`)
        }
        const method = wrap(own, `${portName}.${name}`, accounts)
        return [name, typeof member === "function" ? method : method()]
      })
    )
  )

/** A part of the suite: the cases of a port. */
export type Section = keyof typeof casesOf

/** The cases of a section, each on two hosts of a new store in memory. */
const casesOn = (section: Section, wrap: Wrap): ReadonlyArray<Effect.Effect<unknown, unknown>> => {
  const cases: Array<Effect.Effect<unknown, unknown>> = []
  let store: Store | undefined
  const host = Effect.suspend(() =>
    store === undefined ? Effect.die("No case is running.") : Effect.succeed(wrapped(store, wrap))
  )
  const tester: Tester = {
    testIf: (condition) => (_, run) => condition && cases.push(Effect.suspend(run)),
    testEach: (values) => (_, run) => values.forEach((value) => cases.push(Effect.suspend(() => run(value)))),
    section: (_, declare) => declare()
  }
  const alone = (run: Run<MetadataPorts>) =>
    Layer.build(Layer.fresh(layerMetadata)).pipe(
      Effect.tap((ports) => Effect.sync(() => (store = { ports, accounts: [] }))),
      Effect.andThen(host),
      Effect.flatMap((ports) => Effect.provide(run, ports)),
      Effect.scoped
    )
  casesOf[section](casesIn(tester, alone, host))
  return cases
}
