import { DateTime, Option, Result } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import { TestRunId, type RunCursor } from "../model/TestRun.ts"

/**
 * How many records of a page a store leaves out at most because it can't decode them. With more, the page is a defect: a store that another
 * version wrote must not look empty, nor be read whole for a single page.
 */
export const maxUnreadable = 1000
export const tooManyUnreadable = `more than ${maxUnreadable} records of one page can't be decoded; was the store written by another version?`

/**
 * Cuts a list of found items to one page. Search for one item more than the page holds: if there is one, another page
 * follows, and it starts after `last`. `last` is `undefined` on the last page.
 */
export const pageOf = <A>(
  found: ReadonlyArray<A>,
  size: number
): { readonly page: ReadonlyArray<A>; readonly last: A | undefined } =>
  found.length > size ? { page: found.slice(0, size), last: found[size - 1] } : { page: found, last: undefined }

/**
 * As {@link pageOf}, of items that together weigh at most `most`, or of one that weighs more. Search until the items found weigh more than
 * that: then another page follows, which is empty if a single item that weighs more was the last.
 */
export const pageWithin = <A>(
  found: ReadonlyArray<A>,
  { most, size, weightOf }: { readonly size: number; readonly most: number; readonly weightOf: (item: A) => number }
): { readonly page: ReadonlyArray<A>; readonly last: A | undefined } => {
  const heavy = firstBeyond(found, most, weightOf)
  if (heavy === -1 || heavy >= size) return pageOf(found, size)
  const end = Math.max(heavy, 1)
  return { page: found.slice(0, end), last: found[end - 1] }
}

/** A predicate for items, called with one after the other: whether all so far weigh more than `most` together. */
export const weighing = <A>(most: number, weightOf: (item: A) => number): ((item: A) => boolean) => {
  let weight = 0
  return (item) => (weight += weightOf(item)) > most
}

/** The index of the first item with which all so far weigh more than `most`, or -1. */
export const firstBeyond = <A>(found: ReadonlyArray<A>, most: number, weightOf: (item: A) => number): number =>
  found.findIndex(weighing(most, weightOf))

const form = /^(\d{1,15})\.([\x21-\x7e]{1,64})$/

/** A position in a list that is ordered by time, then by id. */
interface Position {
  readonly at: DateTime.Utc
  readonly id: string
}

/** Encodes a position in a list as an opaque cursor. */
export const positionText = ({ at, id }: Position): string => Base64Url.encode(`${DateTime.toEpochMillis(at)}.${id}`)

/** Decodes a cursor; none when {@link positionText} did not make it. */
export const positionFrom = (cursor: string): Option.Option<Position> => {
  const written = Base64Url.decodeString(cursor)
  const [, millis, id] = form.exec(Result.isSuccess(written) ? written.success : "") ?? []
  return millis === undefined || id === undefined
    ? Option.none()
    : Option.map(DateTime.make(Number(millis)), (at) => ({ at: DateTime.toUtc(at), id }))
}

/** The cursor after a run. */
export const toCursor = ({ createdAt, id }: RunCursor): string => positionText({ at: createdAt, id })

/** Decodes a cursor; none when {@link toCursor} did not make it. */
export const fromCursor = (cursor: string): Option.Option<RunCursor> =>
  Option.map(positionFrom(cursor), ({ at, id }) => ({ createdAt: at, id: TestRunId.make(id) }))

/**
 * Orders texts by UTF-16 code unit, as the ports promise. No database collation does that: `"C"` orders by UTF-8 bytes,
 * which places characters beyond U+FFFF after those from U+E000 on.
 */
export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
