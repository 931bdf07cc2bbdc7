import { Array as Arr, Redacted } from "effect"

/**
 * The secrets that sign URLs, cookies and capabilities. The first secret signs, and signatures of all of them are accepted. So a
 * secret can be rotated without invalidating existing signatures.
 */
export type SigningSecret = Redacted.Redacted | Arr.NonEmptyReadonlyArray<Redacted.Redacted>

/** The texts of the secrets; the first is the one that signs. */
export const secretTexts = (secret: SigningSecret): Arr.NonEmptyReadonlyArray<string> =>
  Redacted.isRedacted(secret) ? [Redacted.value(secret)] : Arr.map(secret, Redacted.value)
