/**
 * Writes `docs/interface.md` from the sections and the requirements: `npx node conformance/requirements/document.ts`.
 * Comments in the sources link to its anchors, one for each section: `docs/interface.md#4.3`.
 */
import { writeFileSync } from "node:fs"
import { requirements } from "./index.ts"
import { sections, type Requirement, type Section } from "./Requirement.ts"

const head = `# The interface
Every implementation must follow these sentences. The [conformance suite](conformance.md) checks them. **MUST** and **SHOULD** have the meaning of RFC 2119. The sections in parentheses are the reason for a SHOULD. A violated SHOULD never makes a verdict *failed*. **Open** marks a choice of the implementation: [API behavior](api-behavior.md) documents the choices of Slipway. Each sentence ends with its id. \`conformance/requirements\` in the repository generates this page.`

const sentence = ({ from, id, level, text }: Requirement): string => {
  const follows = from === undefined ? "" : ` (${from.map((section) => `§${section}`).join(", ")})`
  return `- **${level}** ${text}${follows} \`${id}\``
}

const sectionText = ({ intro, number, title }: Section): string => {
  const depth = number.includes(".") ? "###" : "##"
  const own = requirements.filter(({ section }) => section === number).map(sentence)
  return [`${depth} <a id="${number}"></a>${number} ${title}`, ...(intro === undefined ? [] : [intro]), ...own].join(
    "\n"
  )
}

/** The text of `docs/interface.md`. */
export const interfaceDocument = (): string => `${[head, ...sections.map(sectionText)].join("\n")}\n`

if (import.meta.main) writeFileSync(new URL("../../docs/interface.md", import.meta.url), interfaceDocument())
