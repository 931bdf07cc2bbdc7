/** What others build on is documented where it stands: every export of the ports, the services and the client. */
import { readFileSync } from "node:fs"
import { glob } from "node:fs/promises"
import { join } from "node:path"
import { assert, it } from "vitest"

const root = join(import.meta.dirname, "..")

/** A declaration, or a member of a service. What is re-exported is documented where it is declared. */
const declaration =
  /^export (?:abstract |declare )?(?:class|const|function|interface|type) (?!\{|\* from|(\w+) = typeof \1\b)|^ {4}readonly \w+\??: /

/** The lines of a text that declare something without a docstring just before them. */
const undocumented = (text: string): ReadonlyArray<number> => {
  const lines = text.split("\n")
  return lines.flatMap((line, index) =>
    declaration.test(line) && !/\*\/\s*$/.test(lines[index - 1] ?? "") ? [index + 1] : []
  )
}

it("every export and every member of a service in core/ports, core/service and hosts/client has a docstring", async () => {
  const missing: Array<string> = []
  let files = 0
  for await (const file of glob("{core/ports,core/service,hosts/client}/**/*.ts", { cwd: root })) {
    if (file.endsWith(".test.ts")) continue
    files++
    for (const line of undocumented(readFileSync(join(root, file), "utf8"))) missing.push(`${file}:${line}`)
  }
  assert.isAbove(files, 25)
  assert.deepStrictEqual(missing, [])
})

it("an export or a member without one is found", () => {
  const text =
    "/** Documented. */\nexport class A {\n  {\n    readonly b: string\n    /** Too. */\n    readonly c: string\n"
  assert.deepStrictEqual(undocumented(`${text}\nexport const d = 1\n`), [4, 8])
})
