import { parseAllDocuments } from "yaml"
import { flowIn, flowLimits, InvalidFlow, type Flow } from "./flow.ts"

/** Reads the YAML of a flow. Throws {@link InvalidFlow}. */
export const parseFlow = (text: string): Flow => {
  if (text.length > flowLimits.characters)
    throw new InvalidFlow(`It has more than ${flowLimits.characters} characters.`)
  return flowIn(
    Array.from(parseAllDocuments(text), (document) => {
      const [error] = document.errors
      if (error !== undefined) throw new InvalidFlow(error.message)
      return document.toJS({ maxAliasCount: 100 })
    })
  )
}
