import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Base64Url from "effect/encoding/Base64Url"

/**
 * The strong validator (`ETag`) of an object, derived from its key. Hosted objects never change, so a key identifies
 * its bytes. The key is hashed so that the validator doesn't reveal it.
 */
export const validatorOf = (key: string): string => `"${Base64Url.encode(sha256(utf8ToBytes(key)).subarray(0, 16))}"`
