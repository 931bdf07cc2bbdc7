import type { Fields } from "../runtime/decode.ts"

/** What stays of a component while its shadow nodes come and go. */
export interface Family {
  readonly tag: number
  readonly name: string
  /** What React knows it by. */
  readonly handle: unknown
}

/** A component of React's. Children are appended until it is committed; then it is immutable. */
export interface ShadowNode {
  readonly family: Family
  readonly props: Fields
  readonly children: Array<ShadowNode>
}

/**
 * The mark of every shadow node. On a phone they are native objects, which packages detect by a name that no other
 * object has, so that they don't copy them.
 */
const ofThePhone: object = Object.create(null)

export const shadowNode = (family: Family, props: Fields, children: Array<ShadowNode>): ShadowNode =>
  Object.assign(Object.create(ofThePhone), { family, props, children, REANIMATED_MAGIC_KEY: true })

/** The properties with changes: a null removes one. */
export const changed = (props: Fields, changes: Fields): Fields => {
  const next: Record<string, unknown> = { ...props }
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined) delete next[name]
    else next[name] = value
  }
  return next
}
