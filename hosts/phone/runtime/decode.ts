/** What an app passes to its phone may be anything: these take it for what it should be, or for nothing. */

export type Fields = Readonly<Record<string, unknown>>

export const numberIn = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined

export const textIn = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

export const listIn = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null

export const fieldsIn = (value: unknown): Fields => (isFields(value) ? value : {})

/** A function of the app. */
export type AppFunction = (...values: ReadonlyArray<unknown>) => unknown

const isFunction = (value: unknown): value is AppFunction => typeof value === "function"

export const functionIn = (value: unknown): AppFunction | undefined => (isFunction(value) ? value : undefined)

/** A method of an object of the app, bound to it. */
export const methodOf = (value: unknown, name: string): AppFunction | undefined => {
  const owner = typeof value === "function" || isFields(value) ? value : undefined
  const method = owner === undefined ? undefined : functionIn(Reflect.get(owner, name))
  return method?.bind(owner)
}
