import { once } from "node:events"
import { get, type IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"
import { inject } from "vitest"

declare module "vitest" {
  interface ProvidedContext {
    /** The paths at which the run of vitest serves what its tests share, as JSON. */
    readonly servers: string
    readonly hasS3: boolean
    /** How long a wait within a test may take, in milliseconds: see `.config/timeouts.ts`. */
    readonly waitMillis: number
  }
}

/**
 * Asks the run of vitest for something that its tests share, which is started on the first request. `fetch` would wait five minutes at most, and
 * packing takes longer on a busy machine.
 */
export const ask = async (path: string): Promise<string> => {
  const [answer]: ReadonlyArray<IncomingMessage> = await once(get(inject("servers") + path), "response")
  if (answer === undefined) throw new Error(`no answer from ${path}`)
  const content = await text(answer)
  if (answer.statusCode !== 200) throw new Error(content)
  return content
}
