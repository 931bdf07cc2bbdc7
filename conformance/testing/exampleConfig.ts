import { Redacted } from "effect"
import type { Config } from "../config/Config.ts"
import { defaults, unlinkedRepository } from "../config/defaults.ts"
import type { Target } from "./Target.ts"

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
