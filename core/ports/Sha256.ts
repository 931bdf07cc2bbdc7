import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { Context } from "effect"

/** An incremental digest: call `update` with pieces, then read the lower-case hex once. */
export interface Sha256Hasher {
  readonly update: (bytes: Uint8Array) => void
  readonly digest: () => string
}

/**
 * Makes SHA-256 hashers for content. The default is written in JavaScript and runs anywhere. A host provides a faster one if its
 * platform has it.
 */
export const Sha256 = Context.Reference<() => Sha256Hasher>("slipway/core/ports/Sha256", {
  defaultValue: () => () => {
    const hash = sha256.create()
    return { update: (bytes) => void hash.update(bytes), digest: () => bytesToHex(hash.digest()) }
  }
})
