/** Reads flows. It is loaded by the page of a replay when somebody plays one, because a parser of YAML is large. */
export { parseFlow } from "../../phone/flows/parseFlow.ts"
