import { inject } from "vitest"

declare module "vitest" {
  interface ProvidedContext {
    /** Where tests ask for what they share: `/postgres`, `/s3` and `/command` answer what leads there, as JSON. */
    readonly servers: string
    readonly hasS3: boolean
  }
}

/** Asks the run of vitest for one of the things that its tests share; it is started or made if it isn't yet. */
export const ask = async (path: string): Promise<string> => {
  const answer = await fetch(inject("servers") + path)
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}
