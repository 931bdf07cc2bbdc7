import { fine, wrong, type Finding } from "./Finding.ts"

/** One migration of a schema. */
export interface Done {
  readonly id: number
  readonly name: string
}

const written = ({ id, name }: Done): string => `${id} (${name})`

/** What a database means that a newer version has migrated: SQLite is refused then, as a host refuses it. */
const refusedWhenNewer = (name: string, detail: string): Finding =>
  wrong(name, { detail, hint: "run that version here too" })

/** With PostgreSQL, hosts of the version before keep running while others are upgraded. */
export const usedWhenNewer = (name: string, detail: string): Finding => fine(name, `${detail}, and runs on it`)

/** Compares the migrations that a database has run with `steps`, those of this version. */
export const schemaFinding = (
  name: string,
  done: ReadonlyArray<Done>,
  steps: ReadonlyArray<Done>,
  whenNewer = refusedWhenNewer
): Finding => {
  const stranger = done.find(({ id, name }) => steps.some((one) => one.id === id && one.name !== name))
  if (stranger !== undefined) {
    return wrong(name, {
      detail: `its step ${written(stranger)} is not one of Slipway's`,
      hint: "name a database that only Slipway uses"
    })
  }
  const last = done.at(-1)
  if (last === undefined) return fine(name, "no tables yet; the first host that starts makes them")
  const newest = steps.at(-1) ?? last
  if (last.id > newest.id) {
    return whenNewer(name, `a newer Slipway has migrated it to step ${written(last)}; this version knows ${newest.id}`)
  }
  return last.id < newest.id
    ? fine(name, `at step ${written(last)}; the next host that starts migrates it to ${written(newest)}`)
    : fine(name, `at step ${written(newest)}, this version's`)
}
