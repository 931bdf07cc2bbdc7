import { parseAllDocuments } from "yaml"
import { flowIn, mostOfFlow, NoFlow, type Flow } from "./flow.ts"

/** Reads the YAML of a flow. Throws {@link NoFlow}. */
export const parseFlow = (text: string): Flow => {
  if (text.length > mostOfFlow.characters) throw new NoFlow(`It has more than ${mostOfFlow.characters} characters.`)
  return flowIn(
    Array.from(parseAllDocuments(text), (document) => {
      const [error] = document.errors
      if (error !== undefined) throw new NoFlow(error.message)
      return document.toJS({ maxAliasCount: 100 })
    })
  )
}
