/** Every write of one kind of resource, with its time. */
export interface Versions<Row> {
  readonly write: (id: string, row: Row) => void
  /** The current state, without delay. */
  readonly newest: (id: string) => Row | undefined
  /** The state at that time, in the order of the first write of each id. */
  readonly at: (time: number) => ReadonlyMap<string, Row>
}

export const makeVersions = <Row>(now: () => number): Versions<Row> => {
  const written = new Map<string, Array<{ readonly at: number; readonly row: Row }>>()
  return {
    write: (id, row) => {
      const versions = written.get(id) ?? []
      written.set(id, versions)
      versions.push({ at: now(), row })
    },
    newest: (id) => written.get(id)?.at(-1)?.row,
    at: (time) => {
      const rows = new Map<string, Row>()
      for (const [id, versions] of written) {
        const seen = versions.findLast(({ at }) => at <= time)
        if (seen !== undefined) rows.set(id, seen.row)
      }
      return rows
    }
  }
}

/**
 * Replicas that lag behind the writer by these milliseconds and answer in turn. Answers the time up to which the next
 * of them has come: what one read has seen, the one after it may not see yet.
 */
export const makeReplicas = (now: () => number, lagsMs: ReadonlyArray<number>): (() => number) => {
  let turn = 0
  return () => now() - (lagsMs[turn++ % lagsMs.length] ?? 0)
}
