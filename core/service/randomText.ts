import { Effect } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { base62 } from "../rules/credentials.ts"

/** Makes random texts of `length` base62 characters. */
export const makeRandomText = Effect.map(
  SecureRandom,
  (random) => (length: number) =>
    // Four random bytes for each character are far more than needed; running out of them is a defect.
    Effect.flatMap(random.randomBytes(4 * length), (bytes) => {
      const text = base62(bytes, length)
      return text === undefined ? Effect.die("too few random bytes for a text") : Effect.succeed(text)
    })
)
