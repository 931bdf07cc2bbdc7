/** What can go wrong with a call, whatever the method and the port. */
import { DateTime, Option } from "effect"

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
export interface CallFault {
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
export const callFaults: ReadonlyArray<CallFault> = [
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
