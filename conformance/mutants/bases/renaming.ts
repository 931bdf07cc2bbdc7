/** Moves members of JSON objects between the places where two hosts have them. */
import { isList, isObject } from "../../dialect/search.ts"
import type { Json } from "../../session/Exchange.ts"

type Members = Readonly<Record<string, Json>>

/** A place in a host's own object, and the one where the reference host has it. `a.b` is the `b` of the `a`. */
export type Renaming = readonly [own: string, reference: string]

/** The names of members, and those of the members of items of lists, by the reference host's name of the list. */
export interface Names {
  readonly members: ReadonlyArray<Renaming>
  readonly items?: Readonly<Record<string, ReadonlyArray<Renaming>>>
}

/** The value at a place, and the object without it and without an object that it leaves empty. */
const taken = (fields: Members, [name = "", ...inner]: ReadonlyArray<string>): readonly [Json | undefined, Members] => {
  const { [name]: value, ...others } = fields
  if (inner.length === 0) return [value, others]
  if (!isObject(value)) return [undefined, fields]
  const [found, rest] = taken(value, inner)
  return [found, Object.keys(rest).length === 0 ? others : { ...others, [name]: rest }]
}

/** The object with a value at a place. */
const given = (fields: Members, [name = "", ...inner]: ReadonlyArray<string>, value: Json): Members => {
  const within = fields[name]
  return { ...fields, [name]: inner.length === 0 ? value : given(isObject(within) ? within : {}, inner, value) }
}

const moved = (fields: Members, moves: ReadonlyArray<readonly [from: string, to: string]>): Members => {
  let rest = fields
  let result: Members = {}
  for (const [from, to] of moves) {
    const [value, others] = taken(rest, from.split("."))
    if (value === undefined) continue
    rest = others
    result = given(result, to.split("."), value)
  }
  return { ...rest, ...result }
}

const back = (renamings: ReadonlyArray<Renaming>) => renamings.map(([own, reference]) => [reference, own] as const)

/** The object with the items of its lists moved. */
const itemsMoved = (fields: Members, { items = {} }: Names, turned: typeof back): Members => {
  const lists = Object.entries(items).map(([name, renamings]): readonly [string, Json] => {
    const list = fields[name]
    const moves = turned(renamings)
    return [name, isList(list) ? list.map((one) => (isObject(one) ? moved(one, moves) : one)) : (list ?? null)]
  })
  return { ...fields, ...Object.fromEntries(lists.filter(([name]) => fields[name] !== undefined)) }
}

/** A host's own object in the wire dialect of the reference host. What isn't an object stays as it is. */
export const toReference = (own: Json, names: Names): Json =>
  isObject(own) ? itemsMoved(moved(own, names.members), names, (renamings) => [...renamings]) : own

/** The same the other way round. */
export const toOwn = (reference: Json, names: Names): Json =>
  isObject(reference) ? moved(itemsMoved(reference, names, back), back(names.members)) : reference
