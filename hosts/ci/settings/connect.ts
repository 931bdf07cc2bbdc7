import { createClient, type Client } from "../../client/index.ts"
import { unusable } from "../command/Stopped.ts"
import { required, type Settings } from "./settings.ts"

/** How often a request is tried again: a host that is restarted may be away for half a minute. */
const retries = 6

/** A client of the host that the settings name. */
export const connect = async (settings: Settings): Promise<Client> => {
  const { key, url } = required(settings, "url", "key")
  try {
    return createClient({ url, key, retries })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw unusable(
      `The settings don't fit: ${error.message}. They come from --url or SLIPWAY_URL, and --key or SLIPWAY_KEY.`
    )
  }
}
