/** A step of the schema. Its `id` is greater than that of every step before it. */
export interface Step {
  readonly id: number
  readonly name: string
  readonly statements: ReadonlyArray<string>
}

/** The steps of a schema, from statements under numbered names such as `0001_accounts`. */
export const stepsOf = (byName: Readonly<Record<string, ReadonlyArray<string>>>): ReadonlyArray<Step> =>
  Object.entries(byName).map(([name, statements]) => ({
    id: Number(name.slice(0, 4)),
    name: name.slice(5),
    statements
  }))
