import { inject } from "vitest"

declare module "vitest" {
  interface ProvidedContext {
    /** Where tests ask for the servers: `/postgres` and `/s3` answer what opens them, as JSON. */
    readonly servers: string
    readonly hasS3: boolean
  }
}

/** Asks the run of vitest for one of the servers that its tests share; it is started if it isn't yet. */
export const ask = async (path: string): Promise<string> => {
  const answer = await fetch(inject("servers") + path)
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}
