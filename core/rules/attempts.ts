/** The items by what they have in common, in their order. */
export const groupedBy = <Item, Key>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key
): ReadonlyMap<Key, ReadonlyArray<Item>> => {
  const groups = new Map<Key, Array<Item>>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}

// The attempts at a test in one CI run. A CI that runs failed jobs again sends the same CI run with another attempt:
// `github:1234567/1`, then `github:1234567/2`. This file needs no dependency, so that programs on a CI machine use it too.

/** A source, split: which CI run it names, and which attempt at it. */
interface SourceParts {
  /** `github:1234567`; the whole source where it isn't of this form. */
  readonly ciRun: string
  /** `2`, or an id of the CI; `undefined` for a source without one, which comes before all attempts. */
  readonly attempt: string | undefined
}

/** Splits a source. Only `<ci>:<run>/<attempt>`, where the attempt is a number or a UUID, has an attempt. */
export const sourceParts = (source: string): SourceParts => {
  const [, ciRun, attempt] = /^([a-z]+:[^/]+)\/(\d{1,9}|[\da-f]{8}(?:-[\da-f]{4,12}){4})$/i.exec(source) ?? []
  return ciRun === undefined ? { ciRun: source, attempt: undefined } : { ciRun, attempt }
}

/** What selects at least all runs of the CI run that a source names, with few others. */
export const ciRunFilter = (source: string): { readonly ciRun: string } | { readonly source: string } => {
  const { ciRun } = sourceParts(source)
  return /^[a-z]+:[^/\p{Cc}]+$/iu.test(ciRun) ? { ciRun } : { source }
}

/** What the rule reads of a run. */
export interface Attempted {
  readonly kind: string
  readonly name?: string | undefined
  readonly prompt?: string | undefined
  readonly file?: string | undefined
  readonly device?: { readonly name?: string | undefined; readonly platform?: string | undefined } | undefined
  readonly app?: string | undefined
  readonly job?: string | undefined
  readonly source?: string | undefined
  readonly status: string
}

/**
 * What identifies a test within its repository: kind, name, and file, device platform and app where given, compared byte for
 * byte. A run without a name goes by its prompt.
 */
export const testIdentity = ({
  app,
  device,
  file,
  kind,
  name,
  prompt
}: Omit<Attempted, "job" | "source" | "status">): string =>
  JSON.stringify([
    kind,
    name ?? null,
    name === undefined ? (prompt ?? null) : null,
    file ?? null,
    device?.platform ?? null,
    ...(app === undefined ? [] : [app])
  ])

/** The name of a device, unless it is an id that a machine gave it: that is another one on the next machine. */
const deviceName = ({ device }: Attempted): string | undefined =>
  device?.name === undefined ||
  /^(?:emulator-\d+|[\dA-F]{8}-(?:[\dA-F]{4}-){3}[\dA-F]{12}|[\dA-F]{8}-[\dA-F]{16})$/i.test(device.name)
    ? undefined
    : device.name

/** A run, as the rule compares it; `at` is its position in the list. */
interface Listed<A> {
  readonly item: A
  readonly run: Attempted
  readonly attempt: string | undefined
  readonly at: number
}

/** The runs of one test, the latest attempt first. */
type Tries<A> = readonly [latest: Listed<A>, ...earlier: ReadonlyArray<Listed<A>>]

/** An attempt, and a number that is greater for one that began later. */
interface Begun {
  readonly attempt?: string | undefined
  readonly began: number
}

/** Orders attempts, the later first: by number, else by their beginning. One without a name comes before all others. */
export const laterAttemptFirst = (a: Begun, b: Begun): number => {
  const [left, right] = [a.attempt, b.attempt]
  if (left === right) return 0
  if (left === undefined || right === undefined) return left === undefined ? 1 : -1
  if (/^\d+$/.test(left) && /^\d+$/.test(right)) return Number(right) - Number(left)
  return b.began - a.began
}

/** When the attempt of these runs of a list began. */
const begunOf = <A>(runs: ReadonlyArray<Listed<A>>): Begun => ({
  attempt: runs[0]?.attempt,
  began: -(runs.at(-1)?.at ?? 0)
})

const passedFirst = (a: Attempted, b: Attempted): number =>
  Number(b.status === "passed") - Number(a.status === "passed")

/**
 * Adds a later attempt's runs to the tests of one job that earlier attempts have. Where several could be the one that was run
 * again, it is one that passed: a failure is never replaced on a guess.
 */
const withLater = <A>(earlier: ReadonlyArray<Tries<A>>, attempt: ReadonlyArray<Listed<A>>): ReadonlyArray<Tries<A>> => {
  const replacedBy = new Map<Tries<A>, Listed<A>>()
  const alone = new Set(attempt.toSorted((a, b) => passedFirst(a.run, b.run)))
  const tests = earlier.toSorted(([a], [b]) => passedFirst(a.run, b.run))
  const pair = (fits: (name: string | undefined, other: string | undefined) => boolean) => {
    for (const listed of alone) {
      const test = tests.find((one) => !replacedBy.has(one) && fits(deviceName(listed.run), deviceName(one[0].run)))
      if (test === undefined) continue
      replacedBy.set(test, listed)
      alone.delete(listed)
    }
  }
  pair((name, other) => name !== undefined && name === other)
  pair((name, other) => name === undefined || other === undefined)
  return [
    ...tests.map((test): Tries<A> => {
      const later = replacedBy.get(test)
      return later === undefined ? test : [later, ...test]
    }),
    ...Array.from(alone, (listed): Tries<A> => [listed])
  ]
}

/**
 * Sorts the runs of a repository by the tests that they are attempts at, the latest attempt of each first. A test is passed
 * or failed as its latest attempt is; the others are its history.
 *
 * | runs of one test | are |
 * | --- | --- |
 * | in one attempt at a CI run (shards, a matrix of devices) | tests of their own: none replaces another |
 * | of one job, in two attempts at a CI run | attempts at one test: each run of the later attempt replaces one of the earlier |
 * | of two jobs, or of a job and of none | tests of their own: the later attempt of a job says nothing about another |
 * | without a job | attempts as if all were of one job |
 * | on devices of two names | tests of their own |
 * | in two CI runs, or without a source | tests of their own |
 *
 * The names of jobs are compared byte for byte: `e2e 1/4` and `e2e 2/4` are two jobs, and so are the jobs of a matrix whose names
 * have its values. Of jobs that share a name, a run replaces that on the device of the same name, else one on a device without
 * one. Where an earlier attempt has several of these, it replaces one that passed: as many failures stay as may still be
 * failures. What the later attempt has no run for stays as it was.
 *
 * `items` are in the order of a list, newest first. The answer is in that order too, by the latest attempts.
 */
export const attemptsOf = <A>(
  items: ReadonlyArray<A>,
  runOf: (item: A) => Attempted
): ReadonlyArray<readonly [latest: A, ...earlier: ReadonlyArray<A>]> => {
  const listed = items.map((item, at): Listed<A> => {
    const run = runOf(item)
    return { item, run, at, attempt: run.source === undefined ? undefined : sourceParts(run.source).attempt }
  })
  const keyOf = ({ at, run }: Listed<A>): string =>
    JSON.stringify(run.source === undefined ? at : [sourceParts(run.source).ciRun, testIdentity(run), run.job ?? null])
  return Array.from(groupedBy(listed, keyOf).values())
    .flatMap((ofTest) =>
      Array.from(groupedBy(ofTest, ({ attempt }) => attempt ?? "").values())
        .toSorted((a, b) => laterAttemptFirst(begunOf(b), begunOf(a)))
        .reduce<ReadonlyArray<Tries<A>>>(withLater, [])
    )
    .toSorted(([a], [b]) => a.at - b.at)
    .map(([latest, ...earlier]) => [latest.item, ...earlier.map(({ item }) => item)] as const)
}

/** What an attempt is called: by its number, else by how many there are before it. */
export const attemptName = ({ source }: Attempted, before: number): string => {
  const { attempt = "" } = sourceParts(source ?? "")
  return `attempt ${/^\d+$/.test(attempt) ? attempt : before + 1}`
}
