import type { Base } from "./bases/Base.ts"
import { planted } from "./bases/planted.ts"
import type { Mutant } from "./parts/Mutant.ts"

/** What stands around the matrix in the README of this folder. */
const marks = ["<!-- matrix -->", "<!-- end of matrix -->"] as const

const code = (id: string): string => `\`${id}\``

const table = (mutants: ReadonlyArray<Mutant>): ReadonlyArray<string> => [
  "| mutant | fault | caught by |",
  "| --- | --- | --- |",
  ...mutants.map(({ caughtBy, fault, id }) => `| ${code(id)} | ${fault} | ${caughtBy.map(code).join(", ")} |`)
]

const titles = { builds: "Builds", previews: "Previews", runs: "Test runs" }

/** The checks that never fail alone, whichever mutant is tried. */
const neverAlone = (mutants: ReadonlyArray<Mutant>, checks: ReadonlyArray<string>): ReadonlyArray<string> =>
  checks.filter((id) => !mutants.some(({ caughtBy }) => caughtBy.length === 1 && caughtBy[0] === id))

/** How many mutants a base has, and where it differs from the others. */
const standing = (base: Base, mutants: ReadonlyArray<Mutant>): ReadonlyArray<string> => {
  const own = planted(mutants).filter((one) => one.base === base)
  const differences = [
    ...Object.entries(base.unplanted).map(([id, reason]) => `- ${code(id)} can't be planted: ${reason}`),
    ...Object.entries(base.caughtBy).map(([id, checks]) => `- ${code(id)} is caught by ${checks.map(code).join(", ")}`)
  ]
  const end = differences.length === 0 ? "." : ", as in the tables, except for:"
  const list = differences.length === 0 ? [] : ["", ...differences]
  return ["", `On the base ${code(base.name)}, ${own.length} mutants are planted and caught${end}`, ...list]
}

/** The matrix of these mutants on these bases and the ids of all checks, in Markdown. */
export const matrix = (
  mutants: ReadonlyArray<Mutant>,
  checks: ReadonlyArray<string>,
  bases: ReadonlyArray<Base>
): string => {
  const alone = neverAlone(mutants, checks)
  return [
    `${mutants.length} mutants, ${checks.length} checks. Each check but ${alone.length} has a mutant that it alone catches. Other checks do on their way`,
    "what these do:",
    "",
    ...alone.map((id) => `- ${code(id)}`),
    ...bases.flatMap((base) => standing(base, mutants)),
    ...Object.entries(titles).flatMap(([area, title]) => [
      "",
      `### ${title}`,
      "",
      ...table(mutants.filter(({ id }) => id.startsWith(`${area}.`)))
    ])
  ].join("\n")
}

/** A README with this matrix in place of the one that it has. */
export const withMatrix = (readme: string, matrix: string): string => {
  const [start, end] = marks.map((mark) => readme.indexOf(mark))
  if (start === undefined || end === undefined || start < 0 || end < start) {
    throw new Error(`The README has no ${marks.join(" … ")}`)
  }
  return `${readme.slice(0, start)}${marks[0]}\n\n${matrix}\n\n${readme.slice(end)}`
}
