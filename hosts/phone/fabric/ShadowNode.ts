import type { Fields } from "../runtime/decode.ts"

/** What stays of a component while its shadow nodes come and go. */
export interface Family {
  readonly tag: number
  readonly name: string
  /** What React knows it by. */
  readonly handle: unknown
}

/** A component as React wants it. Until it is committed children are appended to it; afterwards nothing of it changes. */
export interface ShadowNode {
  readonly family: Family
  readonly props: Fields
  readonly children: Array<ShadowNode>
}

/**
 * What every shadow node has. On a phone they are objects of the phone's own, which packages tell by asking for a name that
 * no other object has; whoever finds it doesn't copy them.
 */
const ofThePhone: object = Object.create(null)

export const shadowNode = (family: Family, props: Fields, children: Array<ShadowNode>): ShadowNode =>
  Object.assign(Object.create(ofThePhone), { family, props, children, REANIMATED_MAGIC_KEY: true })

/** The properties with changes: what is null in these is gone. */
export const changed = (props: Fields, changes: Fields): Fields => {
  const next: Record<string, unknown> = { ...props }
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined) delete next[name]
    else next[name] = value
  }
  return next
}
