/** What a service has acknowledged to the accounts of a fault run. */
import type { Content } from "./contents.ts"

export interface Account {
  readonly name: string
  readonly key: string
  /** Everything that was acknowledged to it, in the order in which it was finalized. */
  readonly resources: Array<Resource>
  /** The cookie of its session, once it signed in. */
  cookie: string | undefined
}

export type Kind = "build" | "preview"

/** The identity of a build. */
export interface Identity {
  readonly branch: string
  readonly commitSha: string
}

/**
 * What a host has acknowledged.
 *
 * - `ready`: it is there whole, for its account alone.
 * - `changing`: it is there whole; which of its versions isn't known.
 * - `deleting`: it exists completely, or not at all.
 * - `deleted`: it is deleted permanently.
 */
export interface Resource {
  readonly kind: Kind
  readonly id: string
  readonly account: Account
  readonly identity: Identity
  state: "ready" | "changing" | "deleting" | "deleted"
  /** What it may show: the contents of one upload each. */
  versions: ReadonlyArray<ReadonlyArray<Content>>
  /** Whether it is kept, regardless of the retention rules. */
  isKept: boolean
  /** It may expire by the retention rules. */
  mayExpire: boolean
}

const holders = new WeakMap<ReadonlyArray<Content>, Set<Resource>>()

/** Records that a resource was acknowledged with these contents. */
export const recordAcknowledged = (contents: ReadonlyArray<Content>, resource: Resource): void => {
  holders.set(contents, (holders.get(contents) ?? new Set()).add(resource))
}

/**
 * Whether the hosted bytes of these contents may be deleted: one of the resources with them was changed, or may be
 * deleted. The service remembers one of several with the same bytes, and finds none when that one is deleted.
 */
export const mayBeDeleted = (contents: ReadonlyArray<Content>): boolean =>
  [...(holders.get(contents) ?? [])].some(
    ({ mayExpire, state, versions }) => mayExpire || state !== "ready" || !versions.includes(contents)
  )

export const pathOf = ({ id, kind }: Pick<Resource, "id" | "kind">): string => `/api/v1/${kind}s/${id}`
