/**
 * JSON of the model, compiled once for a schema. A schema would check and rebuild each value, and run a fiber for that. This only
 * changes what JSON writes differently. It is for values that Slipway made itself; what comes from outside is decoded by its schema.
 */
import { DateTime, Predicate, Result, Schema, SchemaAST } from "effect"

type Convert = (value: unknown) => unknown

const codecOf = (ast: SchemaAST.AST) => Schema.make<Schema.Codec<unknown>>(ast)

const encodesToItself = (ast: SchemaAST.AST): boolean => SchemaAST.toEncoded(ast) === SchemaAST.toType(ast)

const sampleTime = DateTime.makeUnsafe(0)

/** Whether a schema encodes times as `JSON.stringify` writes them. */
const isTime = (ast: SchemaAST.AST): boolean => {
  if (!SchemaAST.isDeclaration(ast)) return false
  const encoded = Schema.encodeUnknownResult(codecOf(ast))(sampleTime)
  return Result.isSuccess(encoded) && encoded.success === sampleTime.toJSON()
}

/** The fields of an object that its schema has, and no others. */
const encodeFields = ({ propertySignatures }: SchemaAST.Objects): Convert => {
  const fields = propertySignatures.map(({ name, type }) => ({ name: String(name), encode: encoderOf(type) }))
  return (value) => {
    const encoded: Record<string, unknown> = {}
    for (const { encode, name } of fields) {
      const field: unknown = Object(value)[name]
      if (field !== undefined) encoded[name] = encode === undefined ? field : encode(field)
    }
    return encoded
  }
}

/** Whether an object has the required fields of a schema, and its literals. */
const fits = (ast: SchemaAST.Objects) => {
  const required = ast.propertySignatures.filter(({ type }) => !SchemaAST.isOptional(type))
  return (value: object): boolean =>
    required.every(({ name, type }) => {
      const field: unknown = Object(value)[name]
      return field !== undefined && (!SchemaAST.isLiteral(type) || type.literal === field)
    })
}

/** An object is of the member of which it has the most required fields. */
const encodeMember = (members: ReadonlyArray<SchemaAST.AST>): Convert => {
  const requiredFields = ({ propertySignatures }: SchemaAST.Objects) =>
    propertySignatures.filter(({ type }) => !SchemaAST.isOptional(type)).length
  const objects = members
    .filter(SchemaAST.isObjects)
    .toSorted((one, other) => requiredFields(other) - requiredFields(one))
    .map((ast) => ({ isOf: fits(ast), encode: encoderOf(ast) }))
  return (value) => {
    const member = Predicate.isObject(value) ? objects.find(({ isOf }) => isOf(value)) : undefined
    return member?.encode === undefined ? value : member.encode(value)
  }
}

const isObjectOrItself = (ast: SchemaAST.AST): boolean =>
  encodesToItself(ast) || (ast.encoding === undefined && SchemaAST.isObjects(ast))

/** What turns a value into one that `JSON.stringify` writes as the schema encodes it. None where that does it by itself. */
const encoderOf = (ast: SchemaAST.AST): Convert | undefined => {
  if (isTime(ast)) return undefined
  const isPlain = ast.encoding === undefined
  if (isPlain && SchemaAST.isObjects(ast)) return ast.indexSignatures.length === 0 ? encodeFields(ast) : undefined
  if (isPlain && SchemaAST.isArrays(ast) && ast.elements.length === 0 && ast.rest[0] !== undefined) {
    const encode = encoderOf(ast.rest[0])
    return encode && ((value) => (Array.isArray(value) ? value.map((item) => encode(item)) : value))
  }
  if (encodesToItself(ast)) return undefined
  const isOfObjects = isPlain && SchemaAST.isUnion(ast) && ast.types.every(isObjectOrItself)
  return isOfObjects ? encodeMember(ast.types) : Schema.encodeUnknownSync(codecOf(ast), { disableChecks: true })
}

/** Writes values of a schema as JSON. */
export const jsonEncoder = <A>(schema: Schema.Codec<A, unknown>): ((value: A) => string) => {
  const encode = encoderOf(schema.ast)
  return (value) => JSON.stringify(encode === undefined ? value : encode(value))
}

const toTime: Convert = (value) => (typeof value === "string" ? DateTime.makeUnsafe(value) : value)

const decodeFields = ({ propertySignatures }: SchemaAST.Objects): Convert | undefined => {
  const fields = propertySignatures.flatMap(({ name, type }) => {
    const decode = decoderOf(type)
    return decode === undefined ? [] : [{ name: String(name), decode }]
  })
  if (fields.length === 0) return undefined
  return (value) => {
    if (!Predicate.isObject(value)) return value
    const decoded: Record<string, unknown> = { ...value }
    for (const { decode, name } of fields) if (decoded[name] !== undefined) decoded[name] = decode(decoded[name])
    return decoded
  }
}

/** What turns parsed JSON into a value of the schema. None where it is one already, as a text that was decoded before it was stored. */
const decoderOf = (ast: SchemaAST.AST): Convert | undefined => {
  if (isTime(ast)) return toTime
  if (encodesToItself(ast) || (SchemaAST.isString(ast) && SchemaAST.isString(SchemaAST.toEncoded(ast))))
    return undefined
  if (ast.encoding === undefined && SchemaAST.isObjects(ast) && ast.indexSignatures.length === 0)
    return decodeFields(ast)
  if (ast.encoding === undefined && SchemaAST.isArrays(ast) && ast.elements.length === 0 && ast.rest[0] !== undefined) {
    const decode = decoderOf(ast.rest[0])
    return decode && ((value) => (Array.isArray(value) ? value.map((item) => decode(item)) : value))
  }
  return Schema.decodeUnknownSync(codecOf(ast), { disableChecks: true })
}

type Guard = (value: unknown) => boolean

const everyField = ({ indexSignatures, propertySignatures }: SchemaAST.Objects): Guard => {
  const fields = propertySignatures.map(({ name, type }) => ({
    name: String(name),
    fits: hasShape(type),
    isOptional: SchemaAST.isOptional(type)
  }))
  const others = indexSignatures.flatMap(({ type }) => hasShape(type) ?? [])
  return (value) => {
    if (!Predicate.isObject(value)) return false
    const isWhole = fields.every(({ fits, isOptional, name }) => {
      const field: unknown = Object(value)[name]
      return field === undefined ? isOptional : fits === undefined || fits(field)
    })
    return isWhole && others.every((fits) => Object.values(value).every(fits))
  }
}

/**
 * Whether parsed JSON has the objects, lists, texts and numbers of a schema. Texts may be any, as a newer version may store more of
 * them. None where everything fits.
 */
export const hasShape = (ast: SchemaAST.AST): Guard | undefined => {
  const encoded = SchemaAST.toEncoded(ast)
  if (SchemaAST.isString(encoded)) return Predicate.isString
  if (SchemaAST.isNumber(encoded)) return Predicate.isNumber
  if (SchemaAST.isBoolean(encoded)) return Predicate.isBoolean
  if (SchemaAST.isLiteral(encoded)) return (value) => typeof value === typeof encoded.literal
  if (SchemaAST.isObjects(encoded)) return everyField(encoded)
  if (SchemaAST.isArrays(encoded)) {
    const fits = encoded.rest[0] && hasShape(encoded.rest[0])
    return (value) => Array.isArray(value) && (fits === undefined || value.every((item) => fits(item)))
  }
  if (!SchemaAST.isUnion(encoded)) return undefined
  const members = encoded.types.map(hasShape)
  return (value) => members.some((fits) => fits === undefined || fits(value))
}

/** Reads values of a schema from JSON that `jsonEncoder` wrote. It throws where the JSON is of another shape. */
export const jsonDecoder = (schema: Schema.Codec<unknown>): ((text: string) => unknown) => {
  const [decode, fits] = [decoderOf(schema.ast), hasShape(schema.ast)]
  return (text) => {
    const parsed: unknown = JSON.parse(text)
    if (fits?.(parsed) === false) throw new TypeError("its JSON is of another shape")
    return decode === undefined ? parsed : decode(parsed)
  }
}
