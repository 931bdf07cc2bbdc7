import { Effect } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { base62 } from "../rules/secrets.ts"

/** Makes texts of so many base62 characters that nobody guesses. */
export const makeRandomText = Effect.map(
  SecureRandom,
  (random) => (length: number) =>
    // Four bytes for each character: that they run out has never been seen, and is a defect.
    Effect.flatMap(random.randomBytes(4 * length), (bytes) => {
      const text = base62(bytes, length)
      return text === undefined ? Effect.die("too few random bytes for a text") : Effect.succeed(text)
    })
)
