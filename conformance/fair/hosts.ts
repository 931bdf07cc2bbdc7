import { start as enveloped } from "./enveloped/start.ts"
import { start as eventual } from "./eventual/start.ts"
import type { Start } from "./parts/FairHost.ts"
import { start as lax } from "./lax/start.ts"
import { start as terse } from "./terse/start.ts"

/** The hosts, by name. */
export const fairHosts: Readonly<Record<string, Start>> = { terse, enveloped, eventual, lax }
