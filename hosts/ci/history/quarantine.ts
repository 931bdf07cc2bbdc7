/** Which failures are quarantined, by the host and by `slipway-quarantine.yaml`: docs/quarantine.md. */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseDocument } from "yaml"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import {
  isInForce,
  quarantineDays,
  type NamedTest,
  quarantineOf,
  type Quarantining
} from "../../../core/rules/quarantine.ts"
import { unusable } from "../command/Context.ts"
import { statOf } from "../command/walk.ts"

/** What a repository commits. */
export const quarantineFile = "slipway-quarantine.yaml"

/** A run, also one of a host that knows of no quarantines. */
type Judged = NamedTest & { readonly quarantined?: boolean }

/** A test in the file, and when its quarantine ends. */
export interface Entry extends Quarantining {
  readonly reason: string
  readonly owner?: string | undefined
}

const fields = {
  kind: 20,
  name: 1024,
  file: 1024,
  platform: 100,
  app: 100,
  reason: 500,
  owner: 100,
  expiresAt: 64
} as const
const needed = ["kind", "name", "reason", "expiresAt"] as const

const dayMs = 86_400_000

/** When a quarantine ends, from now. */
const endIn = (text: string, field: string, now: number): number => {
  const until = Date.parse(text)
  if (until <= now + quarantineDays.maximum * dayMs) return until
  throw unusable(
    `${field} must be a time such as 2026-12-24, at most ${quarantineDays.maximum} days from now, and is ${JSON.stringify(text)}.`
  )
}

const entryOf = (value: unknown, where: string, now: number): Entry => {
  const given: Readonly<Record<string, unknown>> = { ...Object(value) }
  for (const [name, text] of Object.entries(given)) {
    const longest = Object.entries(fields).find(([field]) => field === name)?.[1]
    if (longest === undefined)
      throw unusable(`${where}.${name} is unknown: the fields are ${Object.keys(fields).join(", ")}.`)
    if (typeof text !== "string" || text === "" || text.length > longest)
      throw unusable(
        `${where}.${name} must be a text of 1 to ${longest} characters; quote it if it looks like a number.`
      )
  }
  const missing = needed.filter((name) => given[name] === undefined)
  if (missing.length > 0) throw unusable(`${where} needs ${missing.join(" and ")}.`)
  const text = (name: keyof typeof fields) => (given[name] === undefined ? undefined : String(given[name]))
  if (!/^(?:maestro|detox)$/.test(text("kind") ?? "")) throw unusable(`${where}.kind must be maestro or detox.`)
  const named = {
    kind: text("kind") ?? "",
    name: text("name"),
    file: text("file"),
    platform: text("platform"),
    app: text("app")
  }
  const until = endIn(text("expiresAt") ?? "", `${where}.expiresAt`, now)
  return { ...withoutUndefined(named), kind: named.kind, reason: text("reason") ?? "", owner: text("owner"), until }
}

/** The file of the checkout: in the working folder or above it, up to the root of the repository. */
const fileIn = (folder: string): string | undefined => {
  const file = join(folder, quarantineFile)
  if (statOf(file)?.isFile() === true) return file
  return statOf(join(folder, ".git")) !== undefined || dirname(folder) === folder ? undefined : fileIn(dirname(folder))
}

/** The quarantines that the checkout commits; a file that is wrong in any field is refused. */
export const committed = (cwd: string, now: number): ReadonlyArray<Entry> => {
  const file = fileIn(cwd)
  if (file === undefined) return []
  const document = parseDocument(readFileSync(file, "utf8"))
  const [error] = document.errors
  if (error !== undefined) throw unusable(`${file} is no YAML: ${error.message}`)
  const content: Readonly<Record<string, unknown>> = { ...Object(document.toJS()) }
  const { quarantines } = content
  if (!Array.isArray(quarantines) || Object.keys(content).length > 1)
    throw unusable(`${file} must have a list, and only it: quarantines:`)
  return quarantines.map((one: unknown, index) => entryOf(one, `${file}: quarantines[${index}]`, now))
}

/** Tells whether a failed run is quarantined: by the file of the checkout if it has the test, also where it ended; else by the host. */
export const quarantining = (cwd: string): ((run: Judged) => boolean) => {
  const now = Date.now()
  const entries = committed(cwd, now)
  return (run) => {
    // An entry that has ended counts, too: each one has the test at its own end.
    const entry = entries.find((one) => quarantineOf([one], run, one.until - 1) !== undefined)
    return entry === undefined ? run.quarantined === true : isInForce(entry, now)
  }
}

/** How many failures are quarantined, in a line. */
export const quarantinedLine = (count: number): string =>
  `${count} ${count === 1 ? "failure is" : "failures are"} quarantined, and left out of the conclusion.`
