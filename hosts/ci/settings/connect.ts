import { createClient, type Client } from "../../client/index.ts"
import { SlipwayError } from "../../client/SlipwayError.ts"
import { ExitCode } from "../command/ExitCode.ts"
import { Stopped, unusable } from "../command/Stopped.ts"
import { keyFor } from "./identity.ts"
import { refusalOf, trustCommand } from "./refusal.ts"
import { required, type Settings } from "./settings.ts"

/** How often a request is tried again: a host that is restarted may be away for half a minute. */
const retries = 6

const ofFork = new Stopped(
  ExitCode.done,
  "Nothing was sent: a pull request from a fork gets no key (SLIPWAY_KEY), and no identity of the repository."
)

/** The given key; else one that the host issues for the identity of the CI. */
const keyOf = async (settings: Settings, url: string): Promise<string> => {
  const { identity, isFork, key, owner, repo } = settings
  if (key !== undefined) return key
  if (identity !== undefined) {
    const repository = owner === undefined || repo === undefined ? undefined : `${owner}/${repo}`
    return keyFor(url, identity, repository).catch((error: unknown) => {
      if (!(error instanceof SlipwayError) || error.code !== "unauthorized") throw error
      if (isFork === true) throw ofFork
      const hint = `Check that SLIPWAY_URL is the host's address, and ask its operator to trust this repository:`
      throw new Stopped(ExitCode.host, `${error.message}\n${hint}\n${trustCommand(settings)}`)
    })
  }
  if (isFork === true) throw ofFork
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
