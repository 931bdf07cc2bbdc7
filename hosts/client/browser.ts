/** The client of the interface where there is `fetch` and nothing else: what bundlers for browsers take as `slipway/client`. */
import type { Client } from "./Client.ts"
import { makeClient } from "./makeClient.ts"
import { onFetch } from "./onFetch.ts"
import type { ClientOptions } from "./options.ts"
import { realTiming } from "./retrying.ts"

export * from "./names.ts"

/** A client of a service, by an API key. It needs nothing but what the platform has. */
export const createClient = (options: ClientOptions): Client => makeClient(options, onFetch, realTiming)
