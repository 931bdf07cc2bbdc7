/**
 * `docs/interface.md`, made from the sections and the requirements: `npx node conformance/requirements/document.ts` writes it.
 * Comments in the sources name its anchors, one for each section: `docs/interface.md#4.3`.
 */
import { writeFileSync } from "node:fs"
import { requirements } from "./index.ts"
import type { Requirement } from "./Requirement.ts"
import { sections, type Section } from "./sections.ts"

const head = `# The interface

Every sentence that an implementation has to keep, whoever wrote it: what the conformance suite holds it
to. **MUST** and **SHOULD** are meant as in RFC 2119; what isn't stated but follows from other sentences names their
sections, is a SHOULD, and alone never makes a verdict *failed*. Where a section says *open*, each implementation answers for itself;
how Slipway does is told in [silences](silences.md).

This page is made from \`conformance/requirements\` by
\`npx node conformance/requirements/document.ts\`; change it there.
`

const sentence = ({ from, id, level, text }: Requirement): string => {
  const follows = from === undefined ? "" : ` *(follows from ${from.map((section) => `§${section}`).join(", ")})*`
  return `- **${level}** ${text}${follows} \`${id}\``
}

const sectionText = ({ intro, number, title }: Section): string => {
  const depth = number.includes(".") ? "###" : "##"
  const own = requirements.filter(({ section }) => section === number).map(sentence)
  return [
    `<a id="${number}"></a>\n\n${depth} ${number} ${title}`,
    ...(intro === undefined ? [] : [intro]),
    ...(own.length === 0 ? [] : [own.join("\n")])
  ].join("\n\n")
}

/** The text of `docs/interface.md`. */
export const interfaceDocument = (): string =>
  `${[head, ...sections.map(sectionText)].join("\n\n").replaceAll(/\n{3,}/g, "\n\n")}\n`

if (import.meta.main) writeFileSync(new URL("../../docs/interface.md", import.meta.url), interfaceDocument())
