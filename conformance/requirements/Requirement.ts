/** How binding a sentence is, as RFC 2119 has it. */
export type Level = "MUST" | "SHOULD" | "MAY"

/** One normative sentence of the interface. */
export interface Requirement {
  /** Never changes and is never given to another sentence. */
  readonly id: string
  /** The section of the interface that it stands in, such as `4.3`. */
  readonly section: string
  readonly level: Level
  /** The sentence, complete in itself. */
  readonly text: string
}

/** A sentence that binds without exception. */
export const must = (id: string, section: string, text: string): Requirement => ({ id, section, level: "MUST", text })
