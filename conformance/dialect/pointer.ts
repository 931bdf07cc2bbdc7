import { JsonPointer } from "effect"
import type { Json } from "../session/Exchange.ts"

const member = (value: Json | undefined, token: string): Json | undefined =>
  Object.entries(typeof value === "object" && value !== null ? value : {}).find(([name]) => name === token)?.[1]

/** The value at a JSON Pointer (RFC 6901), or `undefined` when there is none. */
export const follow = (json: Json | undefined, pointer: string): Json | undefined =>
  pointer.split("/").slice(1).map(JsonPointer.unescapeToken).reduce<Json | undefined>(member, json)
