import { Effect, Redacted } from "effect"
import { Skipped, type Check } from "../checks/steps.ts"
import { Violation, type PreviewInput } from "../dialect/Dialect.ts"
import { content, Session, type Keys } from "../session/Session.ts"
import { defaults, unlinkedRepository, type Config } from "../config/Config.ts"

/** A running host, and the config of a run against it. */
export interface Target {
  readonly config: Config
  readonly keys: Keys
}

/** A check of builds, unless it says otherwise, that costs two requests and 100 bytes. */
export const exampleCheck = (id: string, run: Check["run"] = Effect.void, more: Partial<Check> = {}): Check => ({
  id,
  profile: "builds",
  title: `Does ${id}`,
  cost: { requests: 2, bytes: 100 },
  run,
  ...more
})

/** Reads a build of this id from the target and passes, whatever is answered. */
export const reading = (id: string) =>
  Effect.flatMap(Session, ({ config, exchange }) =>
    exchange({ method: "GET", url: `${config.url}/api/v1/builds/${id}`, as: { account: "a", key: "all" } })
  )

export const failing = new Violation({ expected: "It is so", came: "It isn't" })
export const skipping = new Skipped({ reason: "It can't be" })

/** As a run has them, but for how long an answer and the run may take: on a busy machine, as long as they need. */
export const testDefaults = { ...defaults, timeoutMs: 300_000, deadlineMs: 3_600_000 }

/** A config that fits, of a target that isn't there. */
export const exampleConfig: Config = {
  ...testDefaults,
  url: "https://service.example",
  accounts: {
    a: { linked: { owner: "north", repo: "harbour" }, unlinked: unlinkedRepository },
    b: { linked: { owner: "south", repo: "harbour" }, unlinked: unlinkedRepository }
  }
}

/** The same with keys. */
export const exampleTarget: Target = {
  config: exampleConfig,
  keys: {
    a: {
      all: Redacted.make("key_of-a-with-all"),
      builds: Redacted.make("key_of-a-with-builds"),
      previewUpload: Redacted.make("key_of-a-with-preview-upload"),
      testRuns: Redacted.make("key_of-a-with-test-runs")
    },
    b: { all: Redacted.make("key_of-b-with-all") }
  }
}

const declared = (label: string, contentType: string) => ({ content: content("run", "check", label, 8), contentType })

/** A bundle, two files and a recording, each with a content type of its own. */
export const exampleInput: PreviewInput = {
  bundle: declared("bundle", "text/javascript"),
  files: [
    { path: "assets/style.css", ...declared("style", "text/css") },
    { path: "assets/data.json", ...declared("data", "application/json") }
  ],
  recordings: [{ name: "first.png", kind: "screenshot", ...declared("png", "image/png") }],
  fields: {}
}
