/** The client of the interface on Node, Bun and Deno: `slipway/client`. */
import type { Client, ClientOptions } from "./Client.ts"
import { makeClient } from "./makeClient.ts"
import { onNode } from "./onNode.ts"
import { realTiming } from "./retrying.ts"

export * from "./names.ts"

/** A client of a service, by an API key. It needs nothing but what the platform has. */
export const createClient = (options: ClientOptions): Client => makeClient(options, onNode, realTiming)
