import { objectOf, refusalOf } from "../../client/Answer.ts"
import { attempt, endingAfter } from "../../client/attempt.ts"
import { realTiming, retrying } from "../../client/retrying.ts"
import { SlipwayError } from "../../client/SlipwayError.ts"
import type { Variables } from "./variables.ts"

/** Where a workflow of GitHub with the permission `id-token: write` requests a token that identifies its repository. */
export interface IdentitySource {
  readonly url: string
  readonly token: string
}

/**
 * The source of identity that the CI offers, if any.
 *
 * See https://docs.github.com/en/actions/reference/security/oidc#methods-for-requesting-the-oidc-token
 */
export const identityIn = (env: Variables): IdentitySource | undefined => {
  const [url, token] = [env["ACTIONS_ID_TOKEN_REQUEST_URL"], env["ACTIONS_ID_TOKEN_REQUEST_TOKEN"]]
  return url && token ? { url, token } : undefined
}

const requestMs = 30_000

/** The text in a field of the object that a request answers. */
const textOf = (name: string, url: string | URL, init: RequestInit, wanted: string): Promise<string> =>
  attempt(name, undefined, async () => {
    const response = await fetch(url, { ...init, signal: endingAfter(requestMs, undefined) })
    const { headers, status } = response
    const answer = { status, header: (header: string) => headers.get(header), text: await response.text() }
    if (!response.ok) throw refusalOf(name, answer, Date.now())
    const found: unknown = Reflect.get(objectOf(name, answer), wanted)
    if (typeof found === "string") return found
    throw new SlipwayError(name, { code: "answer_unreadable", detail: `The answer has no ${wanted}.`, status })
  })

/** Asks the CI for a token, and exchanges it at the host for a key of fifteen minutes. Each token is good for one exchange. */
export const keyFor = (host: string, identity: IdentitySource): Promise<string> =>
  retrying(
    async () => {
      const audience = host.replace(/\/+$/, "")
      const asked = new URL(identity.url)
      asked.searchParams.set("audience", audience)
      const headers = { authorization: `Bearer ${identity.token}` }
      const token = await textOf("GitHub's identity token", asked, { headers }, "value")
      const exchange = "/api/v1/token-exchange"
      const json = { "content-type": "application/json" }
      const init = { method: "POST", headers: json, body: JSON.stringify({ token }) }
      return textOf(`POST ${exchange}`, audience + exchange, init, "key")
    },
    { again: "whatever passes", retries: 4, signal: undefined, timing: realTiming }
  )
