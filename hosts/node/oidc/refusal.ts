import { Data } from "effect"

/** A failed sign-in, with a message that names who can fix it. Nothing was changed. */
export class SignInRefused extends Data.TaggedError("SignInRefused")<{
  readonly status: 400 | 401 | 403 | 503
  readonly detail: string
  /** For the log of the host: it may name settings, and never has a token. */
  readonly reason: string
}> {}

/** The answer belongs to no sign-in that this browser has under way. */
export const notUnderWay = (reason: string): SignInRefused =>
  new SignInRefused({
    status: 400,
    detail:
      "This sign-in was begun in another browser, was used already, or took longer than ten minutes. Start again.",
    reason
  })

export const unreachable = (reason: string): SignInRefused =>
  new SignInRefused({
    status: 503,
    detail: "The provider that signs people in can't be reached just now. Try again in a moment.",
    reason
  })

const byOperator = (what: string, settings: string) => ({
  status: 401 as const,
  detail: `${what}, so you are not signed in. Ask the operator of Slipway to check ${settings}.`
})

/** The provider says that it answered later than now. */
export const fromTheFuture = (reason: string): SignInRefused =>
  new SignInRefused({
    ...byOperator("The provider's answer is from the future", "the clocks of the two machines"),
    reason
  })

/** The provider's name for the person can't be stored. */
export const unusableSubject = (reason: string): SignInRefused =>
  new SignInRefused({
    ...byOperator("The provider's answer has no subject (sub) of 1 to 255 ASCII characters", "the provider's settings"),
    reason
  })

const mismatch = (claim: string) => {
  switch (claim) {
    case "aud":
    case "azp":
      return byOperator("The provider's answer is meant for another application", "SLIPWAY_OIDC_CLIENT_ID")
    case "iss":
    case "issuer":
      return byOperator("The provider answers by another name than was expected", "SLIPWAY_OIDC_ISSUER")
    case "nonce":
    case "state":
      return notUnderWay("")
    default:
      return byOperator("The provider's answer doesn't fit", "the log of the host")
  }
}

const textOf = (value: unknown, name: string): string => {
  const found: unknown = Reflect.get(Object(value), name)
  return typeof found === "string" ? found : ""
}

/** The cause of the library's error, or that cause's own cause, names the claim that differs. */
const claimIn = (error: unknown): string => {
  const cause: unknown = Reflect.get(Object(error), "cause")
  if (typeof cause !== "object" || cause === null) return ""
  return textOf(cause, "claim") || textOf(cause, "attribute") || claimIn(cause)
}

/** The message to the user for an error of `openid-client`. */
export const refusalOf = (error: unknown): SignInRefused => {
  const [code, said] = [textOf(error, "code"), textOf(error, "error")]
  const claim = claimIn(error)
  const reason = [textOf(error, "message"), code, said, claim].filter((part) => part !== "").join(", ")
  // What `fetch` throws when it can't connect.
  if (error instanceof TypeError || code === "OAUTH_TIMEOUT") return unreachable(reason)
  if (said === "access_denied") {
    return new SignInRefused({
      status: 403,
      detail: "The provider refused your sign-in. Ask its administrator for access to Slipway.",
      reason
    })
  }
  if (said === "invalid_grant") return notUnderWay(reason)
  if (/^(?:invalid|unauthorized)_client$/.test(said) || code === "OAUTH_WWW_AUTHENTICATE_CHALLENGE") {
    const checked = "SLIPWAY_OIDC_CLIENT_ID and SLIPWAY_OIDC_CLIENT_SECRET"
    return new SignInRefused({ ...byOperator("The provider doesn't accept this host", checked), reason })
  }
  switch (code) {
    case "OAUTH_JWT_TIMESTAMP_CHECK_FAILED":
      return new SignInRefused({
        status: 401,
        detail:
          "The provider's answer has expired, so you are not signed in. Start again; if it happens again, ask the operator of Slipway to compare the clocks of the two machines.",
        reason
      })
    case "OAUTH_JWT_CLAIM_COMPARISON_FAILED":
    case "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED": {
      const { detail, status } = mismatch(claim)
      return new SignInRefused({ detail, status, reason })
    }
    default: {
      const { detail, status } = mismatch("")
      return new SignInRefused({ detail, status, reason })
    }
  }
}
