import { Config, Effect } from "effect"
import { Refused } from "../Config.ts"
import type { Json } from "../../session/Exchange.ts"

/** The place of a setting in a config file, and its variable in the environment. */
interface Variable {
  readonly name: string
  readonly path: ReadonlyArray<string>
}

const prefix = "SLIPWAY_CONFORMANCE_"

const variable = (name: string, path: string): Variable => ({ name: prefix + name, path: path.split(".") })

const texts = [
  variable("URL", "url"),
  variable("VIEWER_URL", "viewerUrl"),
  variable("BUILD_ID", "supplied.buildId"),
  variable("BUILD_BRANCH", "supplied.buildBranch"),
  variable("BUILD_PLATFORM", "supplied.buildPlatform"),
  variable("SHARE_ID", "supplied.shareId"),
  ...["a", "b"].flatMap((account) => [
    variable(`KEY_${account.toUpperCase()}_ALL`, `accounts.${account}.keys.all`),
    variable(`KEY_${account.toUpperCase()}_CLEANUP`, `accounts.${account}.keys.cleanup`),
    variable(`KEY_${account.toUpperCase()}_BUILDS`, `accounts.${account}.keys.builds`),
    variable(`KEY_${account.toUpperCase()}_PREVIEW_UPLOAD`, `accounts.${account}.keys.previewUpload`),
    variable(`KEY_${account.toUpperCase()}_TEST_RUNS`, `accounts.${account}.keys.testRuns`)
  ]),
  variable("KEY_A_WITHOUT_BUILDS", "accounts.a.keys.withoutBuilds"),
  variable("KEY_A_WITHOUT_PREVIEW_UPLOAD", "accounts.a.keys.withoutPreviewUpload"),
  variable("KEY_A_WITHOUT_TEST_RUNS", "accounts.a.keys.withoutTestRuns")
]
const lists = [variable("PROFILES", "profiles")]
const numbers = [
  variable("WINDOW_MS", "windowMs"),
  variable("TOKEN_LIFE_MS", "tokenLifeMs"),
  variable("PUT_URL_LIFE_MS", "putUrlLifeMs"),
  variable("TIMEOUT_MS", "timeoutMs"),
  variable("CONCURRENCY", "concurrency"),
  variable("DEADLINE_MS", "deadlineMs")
]
const repositories = ["a", "b"].flatMap((account) => [
  variable(`${account.toUpperCase()}_LINKED`, `accounts.${account}.linked`),
  variable(`${account.toUpperCase()}_SECOND`, `accounts.${account}.second`),
  variable(`${account.toUpperCase()}_UNLINKED`, `accounts.${account}.unlinked`)
])

/** Every variable. Bindings can be set only in a file. */
export const variables: ReadonlyArray<Variable> = [...texts, ...lists, ...numbers, ...repositories]

/** `OWNER/REPO`. The owner may contain slashes. */
export const repositoryFrom = (text: string): { readonly owner: string; readonly repo: string } | undefined => {
  const [, owner, repo] = /^(.+)\/([^/]+)$/s.exec(text) ?? []
  return owner === undefined || repo === undefined ? undefined : { owner, repo }
}

const read = ({ name }: Variable, text: string): Json | undefined => {
  if (lists.some((one) => one.name === name)) return text.split(",").map((one) => one.trim())
  if (numbers.some((one) => one.name === name)) return /^\d+$/.test(text) ? Number(text) : undefined
  return repositories.some((one) => one.name === name) ? repositoryFrom(text) : text
}

/** The settings in the environment, each with its variable. An empty variable is ignored. */
export const readVariables = Effect.gen(function* () {
  const said: Array<readonly [Variable, Json]> = []
  for (const one of variables) {
    const text = yield* Config.String(one.name).pipe(
      Config.withDefault(""),
      Effect.mapError(({ message }) => new Refused({ message }))
    )
    if (text === "") continue
    const value = read(one, text)
    if (value === undefined) {
      const form = repositories.includes(one) ? "OWNER/REPO" : "a whole number"
      return yield* new Refused({ message: `${one.name} must be ${form}` })
    }
    said.push([one, value])
  }
  return said
})
