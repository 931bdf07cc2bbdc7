/**
 * Holds "Reading order" of CONTRIBUTING.md to what the flows run, by V8's coverage: each file of a list runs, and the files of which a flow runs
 * the most functions are in a list.
 */
import { existsSync, readFileSync } from "node:fs"
import { Session } from "node:inspector/promises"
import { join } from "node:path"
import { assert, it } from "vitest"
import { hosted, out, page } from "../hosts/ci/import/testing/hosted.ts"
import { runCi } from "../hosts/ci/testing/runCi.ts"
import { identity, repository, upload } from "../hosts/cli/testing/flow.ts"

const root = join(import.meta.dirname, "..")

/** How many of the files with the most functions a flow has to list. */
const most = 5

/** The paths at the beginning of a line, before its explanation. */
const pathsIn = (line: string): ReadonlyArray<string> =>
  Array.from((line.split(": ")[0] ?? "").matchAll(/`([^`]+)`/g), ([, path = ""]) => path)

/** The paths below each heading of the section. */
const lists = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const [, section = ""] = readFileSync(join(root, ".github/CONTRIBUTING.md"), "utf8").split("\n## Reading order\n")
  const [own = ""] = section.split("\n## ")
  const flows = own.split("\n### ").slice(1)
  return new Map(
    flows.map((flow) => {
      const [title = "", ...lines] = flow.split("\n")
      return [title, lines.filter((line) => /^\d+\. `/.test(line)).flatMap(pathsIn)]
    })
  )
}

/** Counts the functions of each source file that something runs. The client of a flow and the tests are left out. */
const counting = async () => {
  const session = new Session()
  session.connect()
  await session.post("Profiler.enable")
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
  return async <A>(flow: () => Promise<A>) => {
    await session.post("Profiler.takePreciseCoverage")
    const result = await flow()
    const coverage = await session.post("Profiler.takePreciseCoverage")
    const functions = new Map<string, number>()
    for (const { functions: all, url } of coverage.result) {
      const [, file = ""] = url.split(`${root}/`)
      if (!/^(?:core|adapters|hosts)\//.test(file) || /^hosts\/client\/|\/testing\/|\.test\.ts/.test(file)) continue
      const ran = all.filter(
        ({ functionName, ranges: [range] }) =>
          range !== undefined && range.count > 0 && (functionName !== "" || range.startOffset > 0)
      )
      if (ran.length > 0) functions.set(file, ran.length)
    }
    return { functions, result }
  }
}

/** Runs each flow against a host on the embedded engines, and answers which files ran. The first round warms up. */
const measured = async (): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> => {
  const { client, env, key, url } = await hosted()
  const { cookie } = await page(url, url, key)
  const count = await counting()
  const flows = new Map<string, ReadonlyMap<string, number>>()
  for (const round of [1, 2]) {
    const app = upload(`app ${round}`, 0)
    const reserved = await count(() => client.builds.reserve({ ...identity(round), ...app.declaration }))
    const { slots, token } = reserved.result
    const put = await count(() => client.put(slots.bundle, app.bundle.bytes))
    const finalized = await count(() => client.builds.finalize(token))
    const bundle = { body: upload(`replay ${round}`, 0).bundle.bytes, contentType: "text/javascript" }
    const { shareId } = await client.previews.upload({ ...repository, bundle })
    const run = { ...repository, previewShareId: shareId, kind: "maestro", name: "Pay", status: "failed" } as const
    const { traceUrl } = await client.testRuns.register(run)
    const opened = await count(async () => (await fetch(traceUrl, { headers: { cookie } })).status)
    assert.strictEqual(opened.result, 200)
    const source = { SLIPWAY_SOURCE: `github:${round}` }
    const imported = await count(() => runCi(["import", "maestro", out], { env: { ...env, ...source } }))
    assert.strictEqual(imported.result.code, 0, imported.result.err)
    flows
      .set("Every request", reserved.functions)
      .set("Reserve a build", reserved.functions)
      .set("PUT a file", put.functions)
      .set("Finalize a build", finalized.functions)
      .set("Open the page of a run", opened.functions)
      .set("Import test results", imported.functions)
  }
  return flows
}

it("the reading order of CONTRIBUTING.md names the files that each flow runs", async () => {
  const listed = lists()
  const ran = await measured()
  assert.sameMembers([...listed.keys()], [...ran.keys()], "the headings of Reading order")
  const named = new Set([...listed.values()].flat())
  const wrong = [...ran].flatMap(([flow, functions]) => {
    const files = listed.get(flow) ?? []
    const gone = files.filter((file) => !existsSync(join(root, file)))
    const idle = files.filter((file) => !gone.includes(file) && !functions.has(file))
    const missing = [...functions]
      .toSorted(([, one], [, other]) => other - one)
      .slice(0, most)
      .filter(([file]) => !named.has(file))
    return [
      ...gone.map((file) => `${flow}: ${file} does not exist; name the file that has its code now`),
      ...idle.map((file) => `${flow}: ${file} is not run; remove it`),
      ...missing.map(([file, count]) => `${flow}: ${file} is missing; the flow runs ${count} of its functions`)
    ]
  })
  assert.deepStrictEqual(wrong, [])
})
