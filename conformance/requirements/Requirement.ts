/** How binding a sentence is, as RFC 2119 has it. */
export type Level = "MUST" | "SHOULD" | "MAY"

/** One normative sentence of the interface. */
export interface Sentence {
  /** Never changes and is never given to another sentence. */
  readonly id: string
  /** The section of the interface that it stands in, such as `4.3`. */
  readonly section: string
  readonly level: Level
  /** The sentence, complete in itself. */
  readonly text: string
  /** The sections that it follows from, where the interface doesn't state it in so many words. */
  readonly from?: ReadonlyArray<string>
}

/** A sentence that shows from outside. */
export interface Observable extends Sentence {
  /** The ids of the checks that prove it: an implementation that breaks it fails at least one of them. */
  readonly checks: ReadonlyArray<string>
}

/** A sentence that no request can show to be broken. */
export interface Unobservable extends Sentence {
  /** Why not, in one sentence. */
  readonly unobservable: string
}

export type Requirement = Observable | Unobservable

/** A sentence that binds without exception, and the checks that prove it. */
export const must = (id: string, section: string, text: string, checks: ReadonlyArray<string>): Observable => ({
  id,
  section,
  level: "MUST",
  text,
  checks
})

/**
 * A sentence that the interface doesn't state but that follows from these sections, and the checks that prove it. It binds
 * unless there is good reason against it, so it alone never makes a verdict `failed`.
 */
export const derived = (
  id: string,
  section: string,
  text: string,
  from: ReadonlyArray<string>,
  checks: ReadonlyArray<string>
): Observable => ({ ...must(id, section, text, checks), level: "SHOULD", from })

/** A sentence that binds without exception, and why nobody can see from outside whether it is kept. */
export const unseen = (id: string, section: string, text: string, unobservable: string): Unobservable => ({
  id,
  section,
  level: "MUST",
  text,
  unobservable
})

/** The order of the sections. */
export const bySection = (one: Sentence, other: Sentence): number =>
  one.section.localeCompare(other.section, "en", { numeric: true })

/** The ids of the checks that prove a sentence; none where it doesn't show. */
export const checksOf = (requirement: Requirement): ReadonlyArray<string> =>
  "checks" in requirement ? requirement.checks : []
