import { Effect, FileSystem, Redacted, Schema } from "effect"
import { Prompt } from "effect/cli"
import { BaseUrl } from "../Config.ts"
import { defaultBindings } from "../defaults.ts"
import type { ConfigFile } from "./ConfigFile.ts"
import { usualFile } from "./load.ts"
import { Refused } from "../Refused.ts"
import { repositoryFrom } from "./variables.ts"

const isUrl = Schema.is(BaseUrl)

const url = (message: string) =>
  Prompt.String({
    message,
    validate: (text) =>
      isUrl(text.replace(/\/+$/, ""))
        ? Effect.succeed(text.replace(/\/+$/, ""))
        : Effect.fail("An http or https URL, without user, query or fragment")
  })

const repository = (message: string) =>
  Prompt.String({
    message: `${message} (OWNER/REPO)`,
    validate: (text) =>
      repositoryFrom(text) === undefined ? Effect.fail("OWNER/REPO, such as acme/app") : Effect.succeed(text)
  }).pipe(Prompt.map((text) => repositoryFrom(text) ?? { owner: text, repo: text }))

const profiles = Prompt.MultiSelect({
  message: "What does it implement?",
  min: 1,
  choices: [
    { title: "builds", value: "builds" as const, selected: true },
    { title: "previews", value: "previews" as const, selected: true },
    { title: "test runs", value: "testRuns" as const, selected: true }
  ]
})

const key = (message: string) =>
  Prompt.map(
    Prompt.Password({
      message,
      validate: (text) => (text === "" ? Effect.fail("A key") : Effect.succeed(text))
    }),
    Redacted.value
  )

const keysOfA = Prompt.all({
  all: key("Account a: a key with all three scopes"),
  builds: key("Account a: a key with the scope builds alone"),
  previewUpload: key("Account a: a key with the scope preview_upload alone"),
  testRuns: key("Account a: a key with the scope test_runs alone"),
  withoutBuilds: key("Account a: a key with preview_upload and test_runs"),
  withoutPreviewUpload: key("Account a: a key with builds and test_runs"),
  withoutTestRuns: key("Account a: a key with builds and preview_upload")
})

const usualHeader = `${defaultBindings.key.header}: ${defaultBindings.key.value}`

/** A header with the place of the key. */
const keyHeader = Prompt.String({
  message: `The header of the key (${usualHeader})`,
  validate: (text) =>
    text === "" || /^[\w-]+: .*\{(?:key|key:base64|basic)\}/.test(text)
      ? Effect.succeed(text)
      : Effect.fail("A header with {key}, {key:base64} or {basic} in it, such as x-api-key: {key}")
}).pipe(
  Prompt.map((text) => {
    const [header = text, ...value] = (text === "" ? usualHeader : text).split(": ")
    return { header, value: value.join(": ") }
  })
)

const neededKeys = [
  "KEY_A_ALL",
  "KEY_A_BUILDS",
  "KEY_A_PREVIEW_UPLOAD",
  "KEY_A_TEST_RUNS",
  "KEY_A_WITHOUT_BUILDS",
  "KEY_A_WITHOUT_PREVIEW_UPLOAD",
  "KEY_A_WITHOUT_TEST_RUNS",
  "KEY_B_ALL"
].map((name) => `SLIPWAY_CONFORMANCE_${name}`)

/** Asks on the terminal for the contents of a config file. */
const ask = Effect.gen(function* () {
  const base = yield* url("Base URL of the service, without /api/v1")
  const [first, ...others] = yield* profiles
  const a = yield* repository("A repository that is linked to account a")
  const second = yield* repository("Another repository that is linked to account a")
  const b = yield* repository("A repository that is linked to account b")
  const header = yield* keyHeader
  const withKeys = yield* Prompt.Confirm({
    message: "Write the keys into the file? Otherwise they come from SLIPWAY_CONFORMANCE_KEY_A_ALL and so on",
    initial: false
  })
  const keys = withKeys ? { a: yield* keysOfA, b: { all: yield* key("Account b: a key with all three scopes") } } : {}
  return {
    url: base,
    ...(first === undefined ? {} : { profiles: [first, ...others] as const }),
    accounts: {
      a: { linked: a, second, ...("a" in keys ? { keys: keys.a } : {}) },
      b: { linked: b, ...("b" in keys ? { keys: keys.b } : {}) }
    },
    bindings: { key: header }
  } satisfies ConfigFile
})

/** The written config, and the variables that a run needs in addition. */
export interface Written {
  readonly file: string
  readonly variables: ReadonlyArray<string>
}

/** Asks for a config and writes it to a new file that only its owner can read. */
export const init = Effect.fnUntraced(function* (named: string | undefined) {
  const file = named ?? usualFile
  const files = yield* FileSystem.FileSystem
  const failed = () => new Refused({ message: `The config file ${file} can't be written` })
  if (yield* Effect.mapError(files.exists(file), failed)) {
    return yield* new Refused({ message: `There is a file ${file} already` })
  }
  const config = yield* ask
  yield* Effect.mapError(files.writeFileString(file, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 }), failed)
  return { file, variables: "keys" in config.accounts.a ? [] : neededKeys } satisfies Written
})
