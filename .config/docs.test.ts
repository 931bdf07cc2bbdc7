/** What the documents say of names that the sources know: settings, packages, files, sections. */
import { existsSync, readFileSync, statSync } from "node:fs"
import { glob } from "node:fs/promises"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { checks } from "../conformance/checks/index.ts"
import { choicesKept } from "../conformance/run/choices.ts"
import { settingNames } from "../hosts/node/settings/settings.ts"
import manifest from "../package.json" with { type: "json" }

const root = join(import.meta.dirname, "..")
const read = (path: string) => readFileSync(join(root, path), "utf8")
const outside = /(?:^|\/)(?:node_modules|dist|\.git)\//

const filesOf = async (pattern: string): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for await (const file of glob(pattern, { cwd: root })) if (!outside.test(file)) found.push(file)
  return found
}

/** The names in backticks in the first column of a page's tables. */
const named = (page: string): ReadonlyArray<string> =>
  read(page)
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .flatMap((line) => Array.from((line.split(" | ")[0] ?? "").matchAll(/`([^`]+)`/g), ([, name = ""]) => name))

describe("the documents", () => {
  it("have each setting, and none that isn't there", () => {
    assert.sameMembers(
      [...named("docs/settings.md")],
      settingNames.map(({ env }) => env)
    )
  })

  it("have each dependency, and none that isn't there", () => {
    const { dependencies, devDependencies } = manifest
    const packages = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !name.startsWith("@types/"))
    assert.sameMembers([...named("docs/dependencies.md")], packages)
  })

  it("link to files that are there", async () => {
    const broken: Array<string> = []
    for (const page of await filesOf("{*,docs/*,.github/*,{core,adapters,hosts,conformance}/**/*}.md")) {
      for (const [, target = ""] of read(page).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
        if (!/^[a-z]+:/.test(target) && !existsSync(join(root, dirname(page), target)))
          broken.push(`${page}: ${target}`)
      }
    }
    assert.deepStrictEqual(broken, [])
  })

  it("name the proxy wherever a host has an https URL", async () => {
    const served: Array<string> = []
    for (const file of await filesOf("{*.md,docs/*.md,examples/**/*}")) {
      if (/\.(?:ts|tsx)$/.test(file) || !statSync(join(root, file)).isFile()) continue
      // A list of arguments goes on in the next line.
      const commands = read(file).split(/\n(?!")/)
      served.push(...commands.filter((line) => /\bserve\b.*--url[", ]+https:/s.test(line)))
    }
    assert.isAtLeast(served.length, 4)
    for (const command of served) assert.match(command, /--trusted-proxies/, command)
  })

  it("give the number of conformance checks", () => {
    for (const page of ["README.md", "docs/conformance.md"])
      assert.include(read(page), `${checks.length + choicesKept.length} checks`)
  })

  it("keep the README to 150 lines", () => {
    assert.isAtMost(read("README.md").split("\n").length, 150)
  })
})

describe("the workflows", () => {
  it("pin each action by a commit, since a tag can be moved", async () => {
    const unpinned: Array<string> = []
    for (const file of [...(await filesOf(".github/workflows/*.yml")), ...(await filesOf("examples/ci/*.yml"))]) {
      for (const [, action = ""] of read(file).matchAll(/\buses: (\S.*)$/gm)) {
        if (!/^(?:\.\/\S+|\S+@[0-9a-f]{40} # v\d\S*)$/.test(action)) unpinned.push(`${file}: ${action}`)
      }
    }
    assert.deepStrictEqual(unpinned, [])
  })
})

describe("the comments of the sources", () => {
  it("name sections that docs/interface.md has", async () => {
    const anchors = new Set(Array.from(read("docs/interface.md").matchAll(/<a id="([^"]+)">/g), ([, id]) => id))
    const unknown: Array<string> = []
    for (const file of await filesOf("{core,adapters,hosts,conformance}/**/*.ts")) {
      for (const [, section] of read(file).matchAll(/docs\/interface\.md#(\d+(?:\.\d+)?)/g)) {
        if (!anchors.has(section)) unknown.push(`${file}: ${section}`)
      }
    }
    assert.deepStrictEqual(unknown, [])
  })
})
