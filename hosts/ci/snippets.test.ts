/** The snippets of `examples/ci`: each is YAML of the form that its CI wants, and asks for what the program has. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { runCi } from "./testing/runCi.ts"

const folder = join(import.meta.dirname, "../../examples/ci")
const names = readdirSync(folder).filter((name) => name.endsWith(".yml"))
const textOf = (name: string) => readFileSync(join(folder, name), "utf8")

const field = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce((inner, name) => Reflect.get(Object(inner), name), value)

/** The lines behind the comment that says what a team adds. */
const added = (text: string): ReadonlyArray<string> => {
  const lines = text.split("\n")
  const start = lines.findIndex((line) => line.includes("# What a team adds"))
  const own = lines.slice(start + 1).filter((line) => line.trim() !== "")
  const end = own.findIndex((line) => /^\S/.test(line))
  return end === -1 ? own : own.slice(0, end)
}

/** What a snippet has the program do: what stands behind `slipway-ci`, and what the action is given. */
const commandsIn = (name: string): ReadonlyArray<string> => {
  const text = textOf(name)
  const direct = Array.from(text.matchAll(/slipway-ci ([a-z][^"\n]*)/g), ([, command = ""]) => command)
  const given = Array.from(text.matchAll(/^ {10}run: (.+)$/gm), ([, command = ""]) => command)
  return [...direct, ...given]
}

/** Where each CI wants what a job does. */
const forms: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string | number>>>> = {
  "action.yml": [
    ["runs", "steps", 0, "shell"],
    ["runs", "steps", 0, "run"],
    ["inputs", "url", "required"],
    ["name"],
    ["description"]
  ],
  "github.yml": [
    ["jobs", "test", "runs-on"],
    ["jobs", "test", "steps", 2, "uses"],
    ["jobs", "test", "permissions", "id-token"]
  ],
  "gitlab.yml": [
    ["test", "script", 0],
    ["test", "after_script", 1]
  ],
  "circleci.yml": [["version"], ["jobs", "test", "docker", 0, "image"], ["jobs", "test", "steps", 2, "run", "command"]],
  "bitrise.yml": [["format_version"], ["workflows", "test", "steps", 2, "script", "inputs", 0, "content"]],
  "buildkite.yml": [["steps", 0, "command"]]
}

describe("the snippets", () => {
  it("are one for each CI", () => {
    assert.sameMembers(names, Object.keys(forms))
  })

  it.for(names)("%s is YAML of the form that its CI wants", (name) => {
    const parsed: unknown = parse(textOf(name), { strict: true })
    for (const path of forms[name] ?? []) assert.isDefined(field(parsed, ...path), path.join("."))
  })

  it.for(names.filter((name) => name !== "action.yml"))("%s: a team adds at most six lines", (name) => {
    assert.isAtMost(added(textOf(name)).length, 6)
  })

  it.for(names.filter((name) => name !== "action.yml"))(
    "%s asks for commands and flags that there are",
    async (name) => {
      const commands = commandsIn(name)
      assert.isNotEmpty(commands)
      for (const command of commands) {
        const words = command.split(" ")
        const { code, out } = await runCi([...words, "--help"])
        assert.strictEqual(code, 0)
        assert.match(out, /^slipway-ci (?:import maestro|comment) /)
        for (const flag of words.filter((word) => word.startsWith("--"))) assert.include(out, flag)
      }
    }
  )

  it("hands no input of the action to the shell as a part of its script", () => {
    const script = field(parse(textOf("action.yml")), "runs", "steps", 0, "run")
    assert.notInclude(String(script), "${{")
  })
})
