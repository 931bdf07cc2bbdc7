import { createClient, type Client } from "../../client/index.ts"
import { SlipwayError } from "../../client/SlipwayError.ts"
import { ExitCode } from "../command/ExitCode.ts"
import { Stopped, unusable } from "../command/Stopped.ts"
import { keyFor } from "./identity.ts"
import { refusalOf } from "./refusal.ts"
import { required, type Settings } from "./settings.ts"

/** How often a request is tried again: a host that is restarted may be away for half a minute. */
const retries = 6

/** The given key; else one that the host issues for the identity of the CI. */
const keyOf = async (settings: Settings, url: string): Promise<string> => {
  const { identity, isFork, key, owner = "OWNER", repo = "NAME" } = settings
  if (key !== undefined) return key
  if (identity !== undefined) {
    return keyFor(url, identity).catch((error: unknown) => {
      if (!(error instanceof SlipwayError) || error.code !== "unauthorized") throw error
      const trust = `slipway repo trust ${owner}/${repo} --github --scope builds --scope preview_upload --scope test_runs`
      const hint = `Check that SLIPWAY_URL is the host's address, and ask its operator to trust this repository:`
      throw new Stopped(ExitCode.host, `${error.message}\n${hint}\n  ${trust}`)
    })
  }
  if (isFork === true) {
    throw new Stopped(
      ExitCode.done,
      "Nothing was sent: a pull request from a fork gets no key (SLIPWAY_KEY), and no identity of the repository."
    )
  }
  return required(settings, "key").key
}

/** A client of the host that the settings name. */
const connect = async (settings: Settings): Promise<Client> => {
  const { url } = required(settings, "url")
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw unusable(`SLIPWAY_URL must be an http(s) URL, and is ${JSON.stringify(url)}.`)
  const key = await keyOf(settings, url)
  try {
    return createClient({ url, key, retries })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw unusable(`SLIPWAY_KEY doesn't fit: ${error.message}.`)
  }
}

/** Sends requests to the host that the settings name. A refusal is reported with its fix. */
export const asking = async <A>(settings: Settings, ask: (client: Client) => Promise<A>): Promise<A> => {
  const client = await connect(settings)
  return ask(client).catch((error: unknown) => {
    throw refusalOf(error, settings) ?? error
  })
}
