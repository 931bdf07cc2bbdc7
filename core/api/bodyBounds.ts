import { Schema, SchemaAST } from "effect"
import type { LimitedList, Limits } from "../rules/limits.ts"

const limitedBy = "slipway/core/api/limitedBy"

/** Annotates a list whose maximum length is a setting. `listLengthIssue` refuses longer ones. */
export const lengthOf = (limit: LimitedList) => ({ [limitedBy]: limit })

/** The most that a value of a valid body has, by its schema. */
export interface BodyBounds {
  /** How many values: itself, its items and fields, and theirs. */
  readonly values: number
  /** How deep lists and objects are nested, itself included; 0 for texts, numbers and the like. */
  readonly depth: number
  /** The bounds of its fields, where it is an object. */
  readonly fields: ReadonlyMap<string, BodyBounds>
  /** How many items it may have, and the bounds of each, where it is a list. */
  readonly items?: { readonly most: number; readonly bounds: BodyBounds }
}

const scalar: BodyBounds = { values: 1, depth: 0, fields: new Map() }

/** The bounds of what fits one of two schemas. */
const either = (one: BodyBounds, other: BodyBounds): BodyBounds => {
  const fields = new Map(one.fields)
  for (const [name, bounds] of other.fields) fields.set(name, either(fields.get(name) ?? scalar, bounds))
  const items = (one.items?.most ?? 0) > (other.items?.most ?? 0) ? one.items : other.items
  return {
    values: Math.max(one.values, other.values),
    depth: Math.max(one.depth, other.depth),
    fields,
    ...(items && { items })
  }
}

const maxLength = Schema.Struct({
  id: Schema.Literal("effect/schema/isMaxLength"),
  payload: Schema.Struct({ maxLength: Schema.Number })
})
const isMaxLength = Schema.is(maxLength)

/** The declared maximum length of a list. */
const maxItems = (list: SchemaAST.Arrays, limits: Limits): number => {
  const limit = SchemaAST.resolveAt<LimitedList>(limitedBy)(list)
  const lengths = (list.checks ?? []).flatMap(({ annotations }) => {
    const check = annotations?.["representation"]
    return isMaxLength(check) ? [check.payload.maxLength] : []
  })
  const most = Math.min(...lengths, ...(limit === undefined ? [] : [limits[limit]]))
  if (most === Infinity) throw new Error("a list in a request body needs a maximum length: isMaxLength, or lengthOf")
  return most
}

const boundsOfAst = (ast: SchemaAST.AST, limits: Limits): BodyBounds => {
  if (SchemaAST.isUnion(ast)) return ast.types.map((type) => boundsOfAst(type, limits)).reduce(either)
  if (SchemaAST.isArrays(ast)) {
    const most = maxItems(ast, limits)
    const bounds = ast.rest.map((type) => boundsOfAst(type, limits)).reduce(either)
    return { values: 1 + most * bounds.values, depth: 1 + bounds.depth, fields: new Map(), items: { most, bounds } }
  }
  if (SchemaAST.isObjects(ast)) {
    const fields = new Map(ast.propertySignatures.map(({ name, type }) => [String(name), boundsOfAst(type, limits)]))
    const all = Array.from(fields.values())
    return {
      values: all.reduce((sum, { values }) => sum + values, 1),
      depth: 1 + Math.max(0, ...all.map(({ depth }) => depth)),
      fields
    }
  }
  return scalar
}

/**
 * The bounds of the bodies that fit a schema. Throws for a list without a maximum length: no such body could be refused
 * before it is decoded.
 */
export const boundsOf = (schema: Schema.Top, limits: Limits): BodyBounds =>
  boundsOfAst(SchemaAST.toEncoded(schema.ast), limits)
