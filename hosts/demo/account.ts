import { Effect, Option, Redacted } from "effect"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Administration } from "../../core/service/Administration.ts"
import { Authorization } from "../../core/service/Authorization.ts"

/** The account that the demo uploads for, and its repository. */
export const account = "demo"
export const repository = { owner: "slipway", repo: "harbour" }

/** What CI would know of the commit that it built. Always the same, so each run of the demo updates the same build. */
export const provenance = {
  ...repository,
  branch: "main",
  commitSha: "5ee0d1e5".repeat(5),
  commitMessage: "Count people at the gate, not boats",
  author: "Ada Berg"
}

/** The demo's key is that of an owner, so that its pages show what owners see. */
const demoScopes = ["builds", "preview_upload", "test_runs", "account_admin"] as const

const keptKey = (data: string): Option.Option<string> => {
  try {
    return Option.some(readFileSync(join(resolve(data), "demo.key"), "utf8").trim())
  } catch {
    return Option.none()
  }
}

/** Makes the demo's account, key and link where they aren't there yet, and answers the key, kept in the data folder. */
export const demoAccount = Effect.fnUntraced(function* (data: string) {
  const administration = yield* Administration
  const authorization = yield* Authorization
  const accounts = yield* administration.listAccounts()
  if (!accounts.some(({ name }) => name === account)) yield* administration.createAccount({ name: account })
  yield* administration.linkRepository({ account, ...repository })

  const kept = keptKey(data)
  if (Option.isSome(kept)) {
    const works = yield* authorization.authenticate(Redacted.make(kept.value)).pipe(
      Effect.map(({ scopes }) => scopes.length === demoScopes.length),
      Effect.orElseSucceed(() => false)
    )
    if (works) return kept.value
  }
  const { key } = yield* administration.createKey({
    account,
    name: "demo",
    scopes: demoScopes
  })
  yield* Effect.sync(() => {
    // With a database server and a bucket there is no data folder but for this.
    mkdirSync(resolve(data), { recursive: true, mode: 0o700 })
    writeFileSync(join(resolve(data), "demo.key"), `${key}\n`, { mode: 0o600 })
  })
  return key
})

const main = { git: provenance, source: "demo:4260/1" }
const pull = {
  git: {
    ...provenance,
    branch: "feature/shore-power-first",
    commitSha: "b0a7f001".repeat(5),
    pr: 7,
    commitMessage: "List slips with shore power first",
    author: "Jonas Lind"
  },
  source: "demo:4261/1"
}

/**
 * The test runs that the demo registers, as its tests left them in `recordings/`: one that passed, and one that passed
 * before a branch broke it. Of the one that failed the preview is the phone's own bundle, as such a test runs it.
 */
export const demoRuns = [
  { folder: "gate", kind: "maestro", name: "Counting people at the gate", app: "web", ...main },
  { folder: "feet-passed", kind: "maestro", name: "Settings › shows lengths in feet", app: "web", ...main },
  { folder: "feet-failed", kind: "maestro", name: "Settings › shows lengths in feet", app: "native", ...pull }
] as const
export type DemoRun = (typeof demoRuns)[number]

/** The CI runs that these runs are of, the last one of the main branch first. */
export const lastCiRuns = [main, pull] as const
