import { Redacted, Schema } from "effect"
import type { Bindings } from "../config/Config.ts"
import { defaultBindings, defaults } from "../config/defaults.ts"
import type { Facts, FairAccount, FairHost } from "../fair/parts/FairHost.ts"
import type { Path } from "../fair/parts/follow.ts"
import type { Template } from "../fair/parts/fill.ts"
import type { Json } from "../session/Exchange.ts"
import type { Target } from "./Target.ts"

/** What the facts call a value that a template of the config calls otherwise. */
const names: Readonly<Record<string, string>> = {
  "bundle.sizeBytes": "bundleSizeBytes",
  "bundle.contentType": "bundleContentType",
  "bundle.contentHash": "contentHash",
  "bundle.origin": "bundleOrigin",
  "bundle.entry": "entry",
  "bundle.isTransformed": "isTransformed",
  "device.width": "width",
  "device.height": "height",
  "git.owner": "owner",
  "git.repo": "repo",
  "git.branch": "branch",
  "git.commitSha": "commitSha",
  "git.pr": "pr"
}

type Items = Record<string, Readonly<Record<string, Json>>>

const isList = (template: Template): template is ReadonlyArray<Template> => Array.isArray(template)

/** A template of the config; those of the items of its lists are put into `items` by the names of the lists. */
const template = (of: Template, items: Items): Json => {
  if (typeof of === "string") {
    return of.replaceAll(/\{([\w.]+)\}/g, (_, name: string) => `{${names[name] ?? name}}`)
  }
  if (typeof of !== "object" || of === null) return of
  if (isList(of)) return of.map((one) => template(one, items))
  const { $each, ...members } = of
  const filled = body(members, items)
  if (typeof $each !== "string") return filled
  items[$each] = filled
  return `{${$each}}`
}

const body = (of: Template, items: Items = {}): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    Object.entries(Object(of)).map(([name, one]) => [name, template(Schema.decodeUnknownSync(Schema.Json)(one), items)])
  )

const pointer = (path: Path): string =>
  path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")

/** What a config says of what a fair host answers where the interface is silent. */
const bindingsOf = ({ answers, key, requests }: Facts): Bindings => {
  const items: Items = {}
  const previewReserve = body(requests.reservePreview, items)
  return {
    key,
    bodies: {
      ...defaultBindings.bodies,
      file: body(requests.buildFile),
      previewFile: items.files ?? {},
      recording: items.recordings ?? {},
      previewReserve,
      previewFinalize: body(requests.finalizePreview),
      runRegister: body(requests.runExtras)
    },
    answers: {
      buildId: pointer(answers.build.id.path),
      ...(answers.build.id.pattern === undefined ? {} : { buildIdPattern: answers.build.id.pattern }),
      buildStatus: pointer(answers.build.status),
      previewUrl: pointer(answers.finalizePreview.url),
      runs: pointer(answers.runs.items),
      runStatus: pointer(answers.runs.status),
      runName: pointer(answers.runs.name)
    },
    passed: Schema.decodeUnknownSync(Schema.Json)(answers.runs.passed),
    cursorParameter:
      answers.runs.next !== undefined && "parameter" in answers.runs.next ? answers.runs.next.parameter : "cursor"
  }
}

const keysOf = ({ keys }: FairAccount) => ({
  all: Redacted.make(keys.all),
  builds: Redacted.make(keys.builds),
  previewUpload: Redacted.make(keys.previewUpload),
  testRuns: Redacted.make(keys.testRuns)
})

/** What a run is told of a fair host. */
export const fairTarget = ({ accounts: { a, b }, facts, url }: FairHost): Target => ({
  config: {
    ...defaults,
    url,
    accounts: {
      a: { linked: a.linked, unlinked: a.unlinked },
      b: { linked: b.linked, unlinked: b.unlinked }
    },
    windowMs: facts.consistencyWindowMs,
    // Where each check waits for the window, many of them wait at the same time.
    concurrency: facts.consistencyWindowMs > 0 ? 32 : defaults.concurrency,
    bindings: bindingsOf(facts)
  },
  keys: { a: keysOf(a), b: keysOf(b) }
})
