import { Array as Arr, Redacted } from "effect"

/** An object of another copy of `effect` fails deep within Slipway's copy, with errors that name neither. */
export const anotherEffect = (what: string): TypeError =>
  new TypeError(
    `${what} of the copy of effect that Slipway uses. If npm ls effect lists several copies, install only the version that Slipway names.`
  )

/**
 * The secrets that sign URLs, cookies and capabilities. The first secret signs, and signatures of all of them are accepted. So a
 * secret can be rotated without invalidating existing signatures.
 */
export type SigningSecret = Redacted.Redacted | Arr.NonEmptyReadonlyArray<Redacted.Redacted>

const textOf = (secret: Redacted.Redacted): string => {
  try {
    return Redacted.value(secret)
  } catch {
    throw anotherEffect("The secret is not a Redacted")
  }
}

/** The texts of the secrets; the first is the one that signs. */
export const secretTexts = (secret: SigningSecret): Arr.NonEmptyReadonlyArray<string> =>
  Redacted.isRedacted(secret) ? [textOf(secret)] : Arr.map(secret, textOf)
