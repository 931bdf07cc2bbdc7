import { randomUUID } from "node:crypto"
import { Refusal } from "../parts/http.ts"
import { asBody, asCount, asList, asText } from "../parts/json.ts"

/** A declared object: the name of its slot, where it is kept until finalize, its size and type. */
export interface Declared {
  readonly name: string
  readonly key: string
  readonly bytes: number
  readonly type: string
}

export const declared = (name: string, bytes: unknown, type: unknown): Declared => {
  const [count, mime] = [asCount(bytes), asText(type)]
  if (count === undefined || mime === undefined) throw new Refusal(400, "body")
  return { name, key: randomUUID(), bytes: count, type: mime }
}

/** The items of a list; `prefix` stands before their names in `slots`. */
export const declaredList = (list: unknown, prefix = ""): ReadonlyArray<Declared> =>
  asList(list).map((item) => {
    const { bytes, name, type } = asBody(item)
    if (asText(name) === undefined) throw new Refusal(400, "body")
    return declared(`${prefix}${String(name)}`, bytes, type)
  })
