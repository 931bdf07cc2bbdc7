/**
 * Writes `docs/interface.md` from the sections and the requirements: `npx node conformance/requirements/document.ts`.
 * Comments in the sources link to its anchors, one for each section: `docs/interface.md#4.3`.
 */
import { writeFileSync } from "node:fs"
import { requirements } from "./index.ts"
import type { Requirement } from "./Requirement.ts"
import { sections, type Section } from "./sections.ts"

const head = `# The interface

This page lists every sentence that each implementation must follow. The [conformance suite](conformance.md) checks them.
**MUST** and **SHOULD** have the meaning of RFC 2119. A SHOULD follows from other sentences, whose sections it names, and
alone never makes a verdict *failed*. Where a section says *open*, each implementation decides; [API behavior](silences.md)
documents the decisions of Slipway. \`npx node conformance/requirements/document.ts\` writes this page from
\`conformance/requirements\`: change it there.
`

const sentence = ({ from, id, level, text }: Requirement): string => {
  const follows = from === undefined ? "" : ` *(follows from ${from.map((section) => `§${section}`).join(", ")})*`
  return `- **${level}** ${text}${follows} \`${id}\``
}

const sectionText = ({ intro, number, title }: Section): string => {
  const depth = number.includes(".") ? "###" : "##"
  const own = requirements.filter(({ section }) => section === number).map(sentence)
  const texts = [...(intro === undefined ? [] : [intro]), ...(own.length === 0 ? [] : [own.join("\n")])]
  return `${depth} <a id="${number}"></a>${number} ${title}\n${texts.join("\n\n")}`
}

/** The text of `docs/interface.md`. */
export const interfaceDocument = (): string =>
  `${[head, ...sections.map(sectionText)].join("\n\n").replaceAll(/\n{3,}/g, "\n\n")}\n`

if (import.meta.main) writeFileSync(new URL("../../docs/interface.md", import.meta.url), interfaceDocument())
