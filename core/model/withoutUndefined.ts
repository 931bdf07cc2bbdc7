/** The fields of `A` that can't be undefined, and the others as optional ones. */
type WithoutUndefined<A> = {
  [K in keyof A as undefined extends A[K] ? never : K]: A[K]
} & {
  [K in keyof A as undefined extends A[K] ? K : never]?: Exclude<A[K], undefined>
}

/** The fields that have a value: a schema accepts an absent optional field, and refuses an undefined one. */
export function withoutUndefined<A extends object>(fields: A): WithoutUndefined<A>
export function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
