/** The documents agree with the sources: settings, packages, links, commands, snippets. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { TestConsole } from "effect/testing"
import { existsSync, readFileSync, statSync } from "node:fs"
import { glob } from "node:fs/promises"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { checks } from "../conformance/checks/index.ts"
import { browserSupport, type BundleKind } from "../core/rules/bundleFormat.ts"
import { conformance } from "../conformance/command.ts"
import { choicesKept } from "../conformance/run/judge.ts"
import { commands as ciCommands } from "../hosts/ci/commands.ts"
import { command as slipway } from "../hosts/cli/command.ts"
import { hostMetrics } from "../hosts/node/metrics.ts"
import { reliedOn } from "../hosts/node/doctor/s3.ts"
import { settingNames } from "../hosts/node/settings/settings.ts"
import { drawings } from "./drawings.ts"
import { commandsIn, pages, readPage, snippetsOf } from "./testing/snippets.ts"

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

/** What a link can name in a page: its headings, as GitHub makes anchors of them, and its `<a id>`. */
const anchorsOf = (page: string): ReadonlySet<string> => {
  const text = read(page).replaceAll(/^ *```.*?^ *```$/gms, "")
  const headings = Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading = ""]) =>
    heading
      .replaceAll(/<[^>]*>/g, "")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-")
  )
  return new Set([...headings, ...Array.from(text.matchAll(/<a id="([^"]+)">/g), ([, id = ""]) => id)])
}

/** Parses the arguments of a command of Effect's without running it, and returns what is wrong with them. */
const refusalOf = <Name extends string, Input, Context, E, R>(
  command: Command.Command<Name, Input, Context, E, R>,
  args: ReadonlyArray<string>,
  within: "block" | "text"
): Promise<string> => {
  // A command in the middle of a sentence may lack arguments: its help lists the flags that it has.
  const path = args.slice(0, args.findIndex((word) => !/^[a-z]+$/.test(word)) >>> 0)
  const mentioned = within === "text"
  const parsed = mentioned ? [...path, "--help"] : args
  return Effect.gen(function* () {
    yield* Command.runWith(
      Command.withHandler(command, () => Effect.void),
      { version: "0" }
    )(parsed)
    const help = (yield* TestConsole.logLines).join("\n")
    if (mentioned && help.includes("SUBCOMMANDS") && !help.includes(path.join(" "))) return "no such command"
    const flags = mentioned ? args.filter((word) => word.startsWith("--")) : []
    return flags.filter((flag) => !help.includes(flag)).join(" ")
  }).pipe(
    Effect.catch((error) => Effect.succeed(String(error))),
    Effect.provide([NodeServices.layer, TestConsole.layer]),
    Effect.runPromise
  )
}

/** What is wrong with a command of ours, or nothing; `undefined` for other programs. */
const refusal = async (line: string, within: "block" | "text"): Promise<string | undefined> => {
  // Anybody could register the name, and would get the keys of teams.
  if (/\bnpx (?:--\S+ )*slipway-/.test(line)) return "the package comes from a host"
  const words = line
    .replace(/^(?:[A-Z_]+=\S+ )+/, "")
    .replace(/^npx (?:--yes )?/, "")
    .replace(/^https:\/\/slipway\.example\/cli\/([\w-]+)\.tgz/, "$1")
    .replace(/^docker compose exec slipway /, "")
    .replace(/^npm run (?:--silent )?slipway -- /, "slipway ")
    .split(/\s+/)
  const [program = "", ...args] = words
  if (program === "npm" && args[0] === "run" && args.length > 1)
    return Object.hasOwn(manifest.scripts, args[1] ?? "") ? "" : "no such script"
  if (program === "node" && args[0]?.endsWith(".ts"))
    return existsSync(join(root, args[0])) || /^\w+\.ts$/.test(args[0]) ? "" : "no such file"
  const name =
    program === "slipway-ci" || ["upload", "import", "comment"].includes(args[0] ?? "") ? "slipway-ci" : program
  if (name === "slipway") return args.length === 0 ? "" : refusalOf(slipway, args, within)
  if (name === "slipway-conformance") return refusalOf(conformance, args, within)
  if (name !== "slipway-ci") return undefined
  const found = ciCommands.find(({ name }) => args.join(" ").startsWith(name))
  if (found === undefined) return args.length === 0 || within === "text" ? "" : "no such command"
  const help = found.help(name)
  return args.filter((word) => word.startsWith("--") && word !== "--help" && !help.includes(word)).join(" ")
}

describe("the documents", () => {
  it("have each setting, and none that isn't there", () => {
    assert.sameMembers(
      [...named("docs/settings.md")],
      settingNames.map(({ env }) => env)
    )
  })

  it("have each metric, and none that isn't there", () => {
    assert.sameMembers(
      [...named("docs/monitoring.md")],
      hostMetrics.map(({ metric }) => metric)
    )
  })

  it("have each dependency, and none that isn't there", () => {
    const { dependencies, devDependencies } = manifest
    const packages = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !name.startsWith("@types/"))
    assert.sameMembers([...named(".github/DEPENDENCIES.md")], packages)
  })

  it("link to files and headings that exist", async () => {
    const broken: Array<string> = []
    for (const page of await filesOf("{*,docs/*,.github/*,examples/**/*,{core,adapters,hosts,conformance}/**/*}.md")) {
      for (const [, path = "", , anchor] of read(page).matchAll(/\]\(([^)#\s]*)(#([^)]*))?\)/g)) {
        if (/^[a-z]+:/.test(path)) continue
        const target = path === "" ? page : join(dirname(page), path)
        if (!existsSync(join(root, target))) broken.push(`${page}: ${path}`)
        else if (anchor !== undefined && !anchorsOf(target).has(anchor)) broken.push(`${page}: ${path}#${anchor}`)
      }
    }
    assert.deepStrictEqual(broken, [])
  })

  it("name files and folders that exist", async () => {
    const unknown: Array<string> = []
    for (const page of await pages()) {
      const named = readPage(page).matchAll(
        /[\s`]((?:examples|hosts|adapters|conformance|core)\/[\w./-]*\w)(?![\w/*{[<])/g
      )
      for (const [, path = ""] of named) {
        if (!path.endsWith("/dist") && !existsSync(join(root, path))) unknown.push(`${page}: ${path}`)
      }
    }
    assert.deepStrictEqual(unknown, [])
  })

  it("write commands and flags that exist", async () => {
    const wrong: Array<string> = []
    let found = 0
    for (const page of await pages()) {
      const lines = snippetsOf(page).flatMap(commandsIn)
      const steps = Array.from(readPage(page).matchAll(/^ +run: (import .*)$/gm), ([, run = ""]) => `slipway-ci ${run}`)
      for (const line of [...lines, ...steps]) {
        const refused = await refusal(line, "block")
        if (refused === undefined) continue
        found++
        if (refused !== "") wrong.push(`${page}: ${line}: ${refused}`)
      }
      for (const [, line = ""] of readPage(page).matchAll(/(?<!`)`((?:slipway|npx|npm run|node|SLIPWAY)[^`\n]*)`/g)) {
        const refused = await refusal(line, "text")
        if (refused !== undefined && refused !== "") wrong.push(`${page}: ${line}: ${refused}`)
      }
    }
    assert.isAbove(found, 60)
    assert.deepStrictEqual(wrong, [])
  })

  it("have JSON and YAML that parses", async () => {
    for (const page of await pages()) {
      for (const { at, language, text } of snippetsOf(page)) {
        if (language === "json") assert.doesNotThrow(() => JSON.parse(text), undefined, at)
        const keys = text.startsWith('{ "databaseUrl"') ? Object.keys(JSON.parse(text)) : []
        for (const key of keys)
          assert.isDefined(
            settingNames.find((one) => one.key === key),
            `${at}: ${key}`
          )
        if (language === "yaml") assert.doesNotThrow(() => parse(text, { strict: true }), undefined, at)
      }
    }
  })

  it("name variables that the sources read", async () => {
    const known = new Set<string>()
    for (const file of await filesOf("{.config,adapters,conformance,hosts,examples}/**/*.{ts,yml,sh}")) {
      for (const [name] of read(file).matchAll(/SLIPWAY_\w+/g)) known.add(name)
    }
    const unknown: Array<string> = []
    for (const page of await pages()) {
      for (const [name] of readPage(page).matchAll(/SLIPWAY_\w*\w(?![…_])/g)) {
        if (!known.has(name)) unknown.push(`${page}: ${name}`)
      }
    }
    assert.deepStrictEqual(unknown, [])
  })

  it("name the proxy wherever a host has an https URL", async () => {
    const served: Array<string> = []
    for (const file of await filesOf("{*.md,docs/*.md,examples/**/*}")) {
      if (/\.(?:ts|tsx)$/.test(file) || !statSync(join(root, file)).isFile()) continue
      // A list of arguments continues in the next line.
      const commands = read(file).split(/\n(?!")/)
      served.push(...commands.filter((line) => /\bserve\b.*--url[", ]+https:/s.test(line)))
    }
    assert.isAtLeast(served.length, 3)
    for (const command of served) assert.match(command, /--trusted-proxies/, command)
    const deployed = (await filesOf("{docs/get-started-operator.md,examples/deploy/**/*.{env,yaml}}")).filter((file) =>
      /\bSLIPWAY_URL[=:]\s*https:/.test(read(file))
    )
    assert.isAtLeast(deployed.length, 3)
    for (const file of deployed) assert.match(read(file), /SLIPWAY_TRUSTED_PROXIES[=:]\s*\d/, file)
  })

  it("list what is relied on of an S3 server, as the doctor prints it", () => {
    const [, section = ""] = /^## S3 servers\n(.*?)^## /ms.exec(read(".github/SECURITY.md")) ?? []
    assert.deepStrictEqual(
      section.split("\n").filter((line) => line.startsWith("- ")),
      reliedOn.map(([name, detail]) => `- ${name}: ${detail}`)
    )
  })

  it("give the number of conformance checks", () => {
    for (const page of ["README.md", "docs/conformance.md"])
      assert.include(read(page), `${checks.length + choicesKept.length} checks`)
  })

  it("have each error code of the service, with its status", () => {
    const codes = Array.from(
      read("hosts/client/problems.ts").matchAll(/ProblemOf<"(\w+)", (\d+)>/g),
      ([, code, status]) => `${code} ${status}`
    )
    const [, section = ""] = /^## Upload refused\n(.*?)^## /ms.exec(read("docs/troubleshooting.md")) ?? []
    const rows = Array.from(section.matchAll(/^\| `(\w+)` \| (\d+) \|/gm), ([, code, status]) => `${code} ${status}`)
    assert.isAtLeast(codes.length, 20)
    assert.sameMembers(rows, codes)
  })

  it("list which kinds of bundles run, with the text of pages and comments", () => {
    const rows = Array.from(
      read("docs/replay.md").matchAll(/^\| `(web|ios|android|hermes)` \| (yes|no) \| (.*) \|$/gm),
      ([, kind, runs, text]) => [kind, runs, text]
    )
    const kinds: ReadonlyArray<BundleKind> = ["web", "ios", "android", "hermes"]
    assert.deepStrictEqual(
      rows,
      kinds.map((kind) => {
        const { runs, text } = browserSupport(kind)
        return [kind, runs ? "yes" : "no", (text.split("\n")[0] ?? "").replace(/:$/, ".")]
      })
    )
  })

  it("allow the credentials of a bucket the actions that the S3 adapter needs, and no others", async () => {
    const actions: Readonly<Record<string, ReadonlyArray<string>>> = {
      CopyObject: ["s3:GetObject", "s3:PutObject"],
      DeleteObjects: ["s3:DeleteObject"],
      GetObject: ["s3:GetObject"],
      // The probe of unsigned headers tries it, and continues without the permission.
      GetObjectAcl: [],
      HeadObject: ["s3:GetObject"],
      ListObjectsV2: ["s3:ListBucket"],
      PutObject: ["s3:PutObject"]
    }
    const files = (await filesOf("adapters/s3/*.ts")).filter((file) => !file.includes(".test."))
    const commands = new Set(
      files.flatMap((file) => Array.from(read(file).matchAll(/new (\w+)Command\(/g), ([, name = ""]) => name))
    )
    assert.sameMembers([...commands], Object.keys(actions))
    const policy = snippetsOf("docs/scale-out.md").find(({ text }) => text.includes('"Statement"'))
    assert.sameMembers(
      Array.from(policy?.text.matchAll(/"(s3:\w+)"/g) ?? [], ([, action]) => action),
      [...new Set(Object.values(actions).flat())]
    )
  })

  it("have drawings that are those of their texts", () => {
    assert.isAtLeast(drawings().length, 3)
    for (const [file, svg] of drawings())
      assert.strictEqual(readFileSync(file, "utf8"), svg, "node .config/drawings.ts")
  })

  it.each([
    ["flaky test", "docs/concepts.md"],
    ["upload from GitHub Actions", "docs/get-started-mobile-team.md"],
    ["delete old previews", "docs/retention.md"],
    ["S3 permissions", "docs/scale-out.md"],
    ["how big a server", "docs/get-started-operator.md"],
    ["preview blank", "docs/troubleshooting.md"]
  ])("are found by grep: %s", async (words, page) => {
    // The index has links, and no page of its own.
    const pages = (await filesOf("docs/*.md")).filter((file) => file !== "docs/README.md").toSorted()
    // A link to a page is not the page.
    const textOf = (file: string) => read(file).replaceAll(/\[[^\]]*\]\([^)]*\)/g, "")
    assert.strictEqual(
      pages.find((file) => textOf(file).toLowerCase().includes(words.toLowerCase())),
      page
    )
  })

  it("keep the README to 120 lines, with the command of the demo and that of the tests first", () => {
    assert.isAtMost(read("README.md").split("\n").length, 120)
    const commands = snippetsOf("README.md").flatMap(({ text }) =>
      text.split("\n").filter((line) => line.startsWith("npm ci &&"))
    )
    assert.deepStrictEqual(commands, ["npm ci && npm run demo", "npm ci && npm test"])
  })
})

describe("the lockfile", () => {
  it("has the integrity of each package that the registry has, since npm installs any content without it", () => {
    const { packages }: { packages: Record<string, { integrity?: string }> } = JSON.parse(read("package-lock.json"))
    const unknown = Object.keys(packages).filter((path) => path !== "" && packages[path]?.integrity === undefined)
    // Known limits of .github/SECURITY.md has these.
    assert.deepStrictEqual(
      unknown.filter((path) => !/^node_modules\/@effect\/tsgo-\w+-\w+$/.test(path)),
      []
    )
    assert.isAtMost(unknown.length, 6)
  })
})

describe("the workflows", () => {
  it("pin each action by a commit, since a tag can be moved", async () => {
    const unpinned: Array<string> = []
    for (const file of [
      ...(await filesOf(".github/workflows/*.yml")),
      ...(await filesOf("examples/ci/{action,github}.yml"))
    ]) {
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
