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

/** Asks the run of vitest for something that its tests share, which is started on the first request. */
export const ask = async (path: string): Promise<string> => {
  const answer = await fetch(inject("servers") + path)
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}
