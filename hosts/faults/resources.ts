/** What a service has acknowledged to the accounts of a fault run. */
import type { Content } from "./contents.ts"

export interface Account {
  readonly name: string
  readonly key: string
  /** Everything that was acknowledged to it, in the order in which it was finalized. */
  readonly things: Array<Thing>
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
 * - `deleting`: it may be there whole, or be gone.
 * - `deleted`: it is gone for ever.
 */
export interface Thing {
  readonly kind: Kind
  readonly id: string
  readonly account: Account
  readonly identity: Identity
  state: "ready" | "changing" | "deleting" | "deleted"
  /** What it may show: the contents of one upload each. */
  versions: ReadonlyArray<ReadonlyArray<Content>>
  /** Whether it was said to be kept, whatever the rules of retention say. */
  isKept: boolean
  /** The rules of retention may take it. */
  mayGo: boolean
}

const holders = new WeakMap<ReadonlyArray<Content>, Set<Thing>>()

/** Writes down that a thing was acknowledged with these contents. */
export const hold = (contents: ReadonlyArray<Content>, thing: Thing): void => {
  holders.set(contents, (holders.get(contents) ?? new Set()).add(thing))
}

/**
 * Whether what is hosted of these contents may be gone: one of the things that had them changed, or may have gone. The service
 * remembers one of several that host the same, and finds none when that one goes.
 */
export const mayBeGone = (contents: ReadonlyArray<Content>): boolean =>
  [...(holders.get(contents) ?? [])].some(
    ({ mayGo, state, versions }) => mayGo || state !== "ready" || !versions.includes(contents)
  )

export const pathOf = ({ id, kind }: Pick<Thing, "id" | "kind">): string => `/api/v1/${kind}s/${id}`
