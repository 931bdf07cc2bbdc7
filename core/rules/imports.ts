import type { Preview } from "../model/Preview.ts"
import type { ImportAnnouncement } from "../model/TestHistory.ts"
import { groupedBy, laterAttemptFirst } from "./attempts.ts"

/** The entry of a preview that an import makes for a run without an app. */
export const importedEntry = "imported-run.js"

/** Whether there is an app to open in a preview. */
export const hasApp = ({ declaration }: Preview): boolean => declaration.entry !== importedEntry

// Whether all imports of a CI run have ended. A client announces an import before its first run, and closes it after its last one: what
// was killed or refused meanwhile stays open. This file needs no dependency, so that programs on a CI machine use it too.
//
// @see docs/history.md

/** How many imports a CI run holds. */
export const maxImports = 300

/** After this time, nothing more is awaited of an import that is open, or of one that is expected: a day. */
export const importLifeMs = 86_400_000

/** An import that is not complete: `short` was closed with fewer runs than announced, and `interrupted` is open for a day. */
interface MissingImport extends Omit<ImportAnnouncement, "expectedImports"> {
  readonly state: "open" | "short" | "interrupted"
}

/**
 * The imports of a CI run. `incomplete`: something is missing that may still come; `interrupted`: nothing was announced for a day, and
 * something is missing. Neither is ever a success.
 */
export interface ImportsState {
  readonly state: "complete" | "incomplete" | "interrupted"
  /** How many imports the CI run has, where a client reports it. */
  readonly expectedImports?: number
  readonly completedImports: number
  readonly missing: ReadonlyArray<MissingImport>
}

/** What a reader knows of them, here or of an answer of the API. */
export interface KnownImports extends Omit<ImportsState, "missing"> {
  readonly missing: ReadonlyArray<Omit<MissingImport, "openedAt">>
}

const isComplete = ({ expectedRuns, registeredRuns }: ImportAnnouncement): boolean =>
  registeredRuns !== undefined && registeredRuns >= expectedRuns

/** The imports of each attempt, those of the earliest first. */
const byAttempt = (imports: ReadonlyArray<ImportAnnouncement>): ReadonlyArray<ReadonlyArray<ImportAnnouncement>> =>
  Array.from(
    groupedBy(imports, ({ attempt }) => attempt),
    ([attempt, own]) => ({
      attempt,
      own,
      began: Math.min(...own.map(({ openedAt }) => openedAt))
    })
  )
    .toSorted((a, b) => laterAttemptFirst(b, a))
    .map(({ own }) => own)

/**
 * The imports that count. One of a later attempt replaces the same one of an earlier attempt, else one of the same job and app. Each
 * replaces one at most, first one that is complete, because jobs of a matrix may have one name: what is missing is never replaced on a guess.
 */
const counting = (imports: ReadonlyArray<ImportAnnouncement>): ReadonlyArray<ImportAnnouncement> =>
  byAttempt(imports).reduce<ReadonlyArray<ImportAnnouncement>>((earlier, attempt) => {
    const replaceable = new Set(earlier.toSorted((a, b) => Number(isComplete(b)) - Number(isComplete(a))))
    const replaces = (fits: (one: ImportAnnouncement) => boolean): boolean => {
      const replaced = [...replaceable].find(fits)
      return replaced !== undefined && replaceable.delete(replaced)
    }
    const others = attempt.filter(({ id }) => !replaces((one) => one.id === id))
    for (const { app, job } of others) replaces((one) => job !== undefined && one.job === job && one.app === app)
    return [...replaceable, ...attempt]
  }, [])

/**
 * What is known of a CI run's imports at a time in milliseconds; `undefined` where none was announced. For one app, what is missing of
 * others doesn't count, except for the number of expected imports.
 */
export const importsOf = (
  announced: ReadonlyArray<ImportAnnouncement> | undefined,
  now: number,
  app?: string
): ImportsState | undefined => {
  if (announced === undefined || announced.length === 0) return undefined
  const imports = counting(announced)
  const isOver = (openedAt: number) => now - openedAt >= importLifeMs
  const incomplete = imports.filter((one) => !isComplete(one))
  const missing = incomplete
    .filter((one) => app === undefined || one.app === undefined || one.app === app)
    .map((one): MissingImport => {
      const { expectedImports: _expected, ...own } = one
      return {
        ...own,
        state: one.registeredRuns !== undefined ? "short" : isOver(one.openedAt) ? "interrupted" : "open"
      }
    })
  const expected = Math.max(0, ...imports.map(({ expectedImports = 0 }) => expectedImports))
  const completedImports = imports.length - incomplete.length
  const isWhole = missing.length === 0 && completedImports >= expected
  return {
    state: isWhole
      ? "complete"
      : isOver(Math.max(...imports.map(({ openedAt }) => openedAt)))
        ? "interrupted"
        : "incomplete",
    completedImports,
    missing,
    ...(expected > 0 ? { expectedImports: expected } : {})
  }
}

/** From when on these imports are interrupted if something is still missing, in milliseconds since 1970. */
export const interruptedAt = (announced: ReadonlyArray<ImportAnnouncement>): number =>
  Math.max(...counting(announced).map(({ openedAt }) => openedAt)) + importLifeMs

/** The state for a reader that expects this many imports, also of an older host, of which nothing is known. */
export const withExpected = (
  state: KnownImports | undefined,
  expectedImports: number | undefined
): KnownImports | undefined => {
  if (expectedImports === undefined) return state
  const { completedImports, ...known } = state ?? { state: "complete" as const, completedImports: 0, missing: [] }
  const isShort = completedImports < expectedImports
  return {
    ...known,
    completedImports,
    expectedImports: Math.max(expectedImports, known.expectedImports ?? 0),
    state: known.state === "complete" && isShort ? "incomplete" : known.state
  }
}

/** Whether something of a CI run is missing, so that its results are no success. */
export const isIncomplete = (state: Pick<ImportsState, "state"> | undefined): boolean =>
  state !== undefined && state.state !== "complete"

const counted = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`

/** A name as long as one line of a report has room for. */
const shortName = (text: string): string => {
  const characters = Array.from(text)
  return characters.length > 80 ? `${characters.slice(0, 79).join("")}…` : text
}

const missingText = ({
  app,
  attempt,
  expectedRuns,
  job,
  registeredRuns,
  state
}: KnownImports["missing"][number]): string => {
  const whose = [job, app, attempt === undefined ? undefined : `attempt ${attempt}`].flatMap((text) =>
    text === undefined ? [] : shortName(text)
  )
  const name = whose.length === 0 ? "An import" : `The import of ${whose.join(", ")}`
  if (registeredRuns !== undefined) return `${name} registered ${registeredRuns} of ${counted(expectedRuns, "run")}.`
  const announced = `announced ${counted(expectedRuns, "run")} and`
  return state === "open" ? `${name} ${announced} has not finished.` : `${name} ${announced} was interrupted.`
}

/** How many imports {@link missingTexts} names. */
const maxNamed = 10

/** What is missing, in sentences; none where nothing is. */
export const missingTexts = (state: KnownImports | undefined): ReadonlyArray<string> => {
  if (state === undefined || state.state === "complete") return []
  const { completedImports, expectedImports, missing } = state
  const more = missing.length - maxNamed
  return [
    ...missing.slice(0, maxNamed).map(missingText),
    ...(more > 0 ? [`${counted(more, "more import")} ${more === 1 ? "is" : "are"} not complete.`] : []),
    ...(expectedImports === undefined || completedImports >= expectedImports
      ? []
      : [
          `${completedImports} of ${counted(expectedImports, "expected import")} ${completedImports === 1 ? "is" : "are"} complete.`
        ])
  ]
}

/**
 * The imports with one that is opened, or closed, in the place of the same one of its attempt. `undefined` if there would be more than
 * {@link maxImports}. Nothing changes if the same one was announced by a later attempt.
 */
export const withImport = (
  imports: ReadonlyArray<ImportAnnouncement>,
  announced: ImportAnnouncement
): ReadonlyArray<ImportAnnouncement> | undefined => {
  const { attempt, id, registeredRuns } = announced
  const isOpening = registeredRuns === undefined
  const same = imports.filter((one) => one.id === id)
  const before = same.find((one) => one.attempt === attempt)
  const began = isOpening ? announced.openedAt : (before?.openedAt ?? 0)
  if (same.some((one) => laterAttemptFirst({ ...one, began: one.openedAt }, { attempt, began }) < 0)) return imports
  const openedAt = isOpening ? announced.openedAt : (before?.openedAt ?? announced.openedAt)
  const next = [...imports.filter((one) => one !== before), { ...announced, openedAt }]
  return next.length > maxImports ? undefined : next
}
