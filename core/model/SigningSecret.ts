import { Array as Arr, Redacted } from "effect"

/**
 * What signs URLs, cookies and capabilities. Of several secrets the first signs, and what any of them signed is accepted: so
 * a secret is replaced without ending what is under way.
 */
export type SigningSecret = Redacted.Redacted | Arr.NonEmptyReadonlyArray<Redacted.Redacted>

/** The texts of the secrets; the first is the one that signs. */
export const secretTexts = (secret: SigningSecret): Arr.NonEmptyReadonlyArray<string> =>
  Redacted.isRedacted(secret) ? [Redacted.value(secret)] : Arr.map(secret, Redacted.value)
