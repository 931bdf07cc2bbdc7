/** The identity that a CI gives its jobs, which a host exchanges for a key. */
import { objectOf, refusalOf } from "../../client/Platform.ts"
import { attempt, endingAfter, realTiming, retrying } from "../../client/retrying.ts"
import { SlipwayError } from "../../client/SlipwayError.ts"
import type { Variables } from "./variables.ts"

/** The source of a CI's identity tokens. */
export interface IdentitySource {
  /** The flags of `slipway repo trust` for tokens of this CI. */
  readonly trust: string
  /** Answers a token for a host. Rejects with a `SlipwayError`. */
  readonly token: (audience: string) => Promise<string>
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

/** The token that a program of the CI prints. */
const printed = async (env: Variables, program: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const [{ execFile }, { promisify }] = await Promise.all([import("node:child_process"), import("node:util")])
  try {
    return (await promisify(execFile)(program, [...args], { env, timeout: requestMs })).stdout.trim()
  } catch (cause) {
    const detail = "it printed no identity token, and there is no SLIPWAY_KEY"
    throw new SlipwayError(program, { code: "refused", detail, cause })
  }
}

/**
 * The source of identity that the CI offers, if any: a variable on GitLab, a request on GitHub, a program on CircleCI and Buildkite.
 *
 * - https://docs.github.com/en/actions/reference/security/oidc#methods-for-requesting-the-oidc-token
 * - https://docs.gitlab.com/ci/secrets/id_token_authentication/
 * - https://circleci.com/docs/oidc-tokens-with-custom-claims/
 * - https://buildkite.com/docs/agent/cli/reference/oidc
 */
export const identityIn = (env: Variables): IdentitySource | undefined => {
  const given = env["SLIPWAY_ID_TOKEN"]?.trim()
  const ofCircle = env["CIRCLE_OIDC_TOKEN_V2"]
  const [url, authorization] = [env["ACTIONS_ID_TOKEN_REQUEST_URL"], env["ACTIONS_ID_TOKEN_REQUEST_TOKEN"]]
  if (url && authorization) {
    return {
      trust: "--github",
      token: (audience) => {
        const asked = new URL(url)
        asked.searchParams.set("audience", audience)
        return textOf(
          "GitHub's identity token",
          asked,
          { headers: { authorization: `Bearer ${authorization}` } },
          "value"
        )
      }
    }
  }
  if (ofCircle) {
    return {
      trust: `--circleci ${env["CIRCLE_ORGANIZATION_ID"] || "ORGANIZATION_ID"}`,
      // The token of the variable is for the whole organization, and the only one on a server without that program.
      token: (audience) =>
        printed(env, "circleci", "run", "oidc", "get", "--claims", JSON.stringify({ aud: audience })).catch(
          () => ofCircle
        )
    }
  }
  if (given) {
    const server = env["CI_SERVER_URL"] ?? "https://gitlab.com"
    return {
      trust: server === "https://gitlab.com" ? "--gitlab" : `--gitlab --issuer ${server}`,
      token: () => Promise.resolve(given)
    }
  }
  if (env["BUILDKITE"] === "true") {
    const { BUILDKITE_ORGANIZATION_ID: owner = "ID", BUILDKITE_PIPELINE_ID: pipeline = "ID" } = env
    const claims = ["--claim", "organization_id", "--claim", "pipeline_id"]
    return {
      trust: `--buildkite --repository-id ${pipeline} --owner-id ${owner}`,
      token: (audience) => printed(env, "buildkite-agent", "oidc", "request-token", "--audience", audience, ...claims)
    }
  }
  return undefined
}

/** Asks the CI for a token, and exchanges it at the host for a key of fifteen minutes. A token of GitHub is good for one exchange. */
export const keyFor = (host: string, identity: IdentitySource, repository: string | undefined): Promise<string> =>
  retrying(
    async () => {
      const audience = host.replace(/\/+$/, "")
      const token = await identity.token(audience)
      const exchange = "/api/v1/token-exchange"
      const json = { "content-type": "application/json" }
      const init = { method: "POST", headers: json, body: JSON.stringify({ token, repository }) }
      return textOf(`POST ${exchange}`, audience + exchange, init, "key")
    },
    { again: "whatever passes", retries: 4, signal: undefined, timing: realTiming }
  )
