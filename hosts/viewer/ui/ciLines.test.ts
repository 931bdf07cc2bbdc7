import { assert, it } from "vitest"
import { unescaped } from "../testing/visit.ts"
import { bundles } from "./bundles.ts"
import { ciLines } from "./ciLines.ts"

const { examples } = await bundles()
const shown = (name: "runs" | "builds", hasPrograms = true) =>
  unescaped(String(ciLines({ assets: { examples }, hasPrograms }, name))).replaceAll(/<\/?span[^>]*>/g, "")

it("a page without runs has the lines for each CI whose example there is, and the choice needs no script", () => {
  const lines = shown("runs")
  for (const [name, text] of Object.entries(examples)) assert.include(lines, text.trimEnd(), name)
  assert.lengthOf(lines.match(/<input\s[^>]*name="ci-of-runs"/g) ?? [], Object.keys(examples).length)
  assert.lengthOf(lines.match(/\schecked\s/g) ?? [], 1)
})

it("lines for a build upload it instead of test results", () => {
  const lines = shown("builds")
  assert.include(lines, 'npx --yes "$SLIPWAY_URL/cli/slipway-ci.tgz" upload build --platform ios dist || failed=$?')
  assert.notMatch(lines, /maestro test|import (?:maestro|detox|junit)/)
})

it("a host without programs names the package of npm", () => {
  assert.include(shown("runs", false), "npx --yes slipway-ci import maestro out")
  assert.notInclude(shown("runs", false), "/cli/")
})

it("scripts export nothing, as a classic script with an export doesn't run, but for those that a script imports", async () => {
  const { scripts } = await bundles()
  const exporting = new Array<string>()
  for (const [name, { text }] of Object.entries(scripts)) if (/\bexport\s*\{/.test(await text())) exporting.push(name)
  assert.deepStrictEqual(exporting, ["flowParser", "sourceNames"])
})
