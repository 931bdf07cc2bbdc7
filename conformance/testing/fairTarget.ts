import { Redacted, Schema } from "effect"
import type { Bindings } from "../config/Config.ts"
import { defaults } from "../config/defaults.ts"
import type { Facts, FairAccount, FairHost, Path } from "../fair/FairHost.ts"
import { testDefaults } from "./exampleConfig.ts"
import type { Target } from "./Target.ts"

const pointer = (path: Path): string =>
  path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")

/** The config settings for a fair host's answers where the interface is silent. */
const bindingsOf = ({ answers, bodies, key }: Facts): Bindings => ({
  key,
  bodies: { buildReserve: {}, ...bodies },
  answers: {
    buildId: pointer(answers.build.id.path),
    ...(answers.build.id.pattern === undefined ? {} : { buildIdPattern: answers.build.id.pattern }),
    buildStatus: pointer(answers.build.status),
    previewUrl: pointer(answers.finalizePreview.url),
    runs: pointer(answers.runs.items),
    runStatus: pointer(answers.runs.status),
    runName: pointer(answers.runs.name),
    account: pointer(answers.preview.account)
  },
  uploadUrl: {},
  passed: Schema.decodeUnknownSync(Schema.Json)(answers.runs.passed),
  cursorParameter:
    answers.runs.next !== undefined && "parameter" in answers.runs.next ? answers.runs.next.parameter : "cursor"
})

const keysOf = ({ keys }: FairAccount) =>
  Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, Redacted.make(key)]))

/** The config of a run against a fair host. */
export const fairTarget = ({ accounts: { a, b }, facts, url }: FairHost): Target => ({
  config: {
    ...testDefaults,
    url,
    accounts: {
      a: { linked: a.linked, second: a.second, unlinked: a.unlinked },
      b: { linked: b.linked, unlinked: b.unlinked }
    },
    pairsOfScopes: true,
    windowMs: facts.consistencyWindowMs,
    // Each check waits for the consistency window, so many run concurrently.
    concurrency: facts.consistencyWindowMs > 0 ? 32 : defaults.concurrency,
    bindings: bindingsOf(facts)
  },
  keys: { a: keysOf(a), b: keysOf(b) }
})
