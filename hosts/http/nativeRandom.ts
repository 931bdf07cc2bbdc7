import { Layer } from "effect"
import { make, SecureRandom } from "effect/crypto/SecureRandom"
import { randomFillSync } from "node:crypto"

/**
 * Random bytes of Node's generator. They are drawn 4 KiB at a time, because a draw is expensive and every request needs
 * an id. Used bytes are wiped.
 */
const pooled = () => {
  const pool = new Uint8Array(4096)
  let used = pool.length
  return (size: number): Uint8Array => {
    if (size > pool.length) return randomFillSync(new Uint8Array(size))
    if (used + size > pool.length) {
      randomFillSync(pool)
      used = 0
    }
    const bytes = pool.slice(used, used + size)
    pool.fill(0, used, used + size)
    used += size
    return bytes
  }
}

export const layer = Layer.sync(SecureRandom, () => make(pooled()))
