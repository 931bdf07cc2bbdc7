import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Base64Url from "effect/encoding/Base64Url"

/**
 * The strong validator (`ETag`) of an object by its key. What lies below a hosted prefix never changes, so the key says
 * which bytes they are; the digest keeps the key to itself.
 */
export const validatorOf = (key: string): string => `"${Base64Url.encode(sha256(utf8ToBytes(key)).subarray(0, 16))}"`
