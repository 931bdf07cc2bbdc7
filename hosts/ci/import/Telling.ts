/** What an import tells beside its runs. */

/** Something of the input that wasn't imported. */
export interface ImportProblem {
  readonly file: string
  /** From 1. */
  readonly line?: number
  readonly reason: string
}

/** Takes what an import has to tell. With `--strict`, a problem makes the command fail; a note never does. */
export interface Telling {
  readonly problem: (problem: ImportProblem) => void
  readonly note: (note: string) => void
}

/** Keeps what is told, each once. */
export const keptTelling = (): Telling & {
  readonly problems: ReadonlyArray<ImportProblem>
  readonly notes: ReadonlyArray<string>
} => {
  const problems = new Map<string, ImportProblem>()
  const notes = new Set<string>()
  return {
    problem: (problem) => void problems.set(JSON.stringify(problem), problem),
    note: (note) => void notes.add(note),
    get problems() {
      return [...problems.values()]
    },
    get notes() {
      return [...notes]
    }
  }
}
