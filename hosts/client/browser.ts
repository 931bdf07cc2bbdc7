/**
 * The client of the interface for platforms with only `fetch`: bundlers for browsers resolve `slipway/client` to it.
 */
import type { Client, ClientOptions } from "./Client.ts"
import { makeClient } from "./makeClient.ts"
import { onFetch } from "./onFetch.ts"
import { realTiming } from "./retrying.ts"

export * from "./names.ts"

/** A client of a service, by an API key. It needs nothing but what the platform has. */
export const createClient = (options: ClientOptions): Client => makeClient(options, onFetch, realTiming)
