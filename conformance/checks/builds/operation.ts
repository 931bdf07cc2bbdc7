import { Effect } from "effect"
import type { Json } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import type { Check } from "../steps/Check.ts"
import { mustLook } from "../steps/builds.ts"
import { a } from "../steps/credentials.ts"
import { bundleSizeBytes } from "../steps/inputs.ts"
import { refuses } from "../steps/refuses.ts"
import { uploadedBuild } from "../steps/uploadedBuild.ts"

interface Wrong {
  readonly name: string
  readonly title: string
  /** Begins "… is refused". */
  readonly what: string
  readonly body: (token: string) => Json
}

const wrongs: ReadonlyArray<Wrong> = [
  {
    name: "other-operation",
    title: "A token with another operation than `finalize` doesn't finalize the build.",
    what: "A token with the operation `publish`",
    body: (token) => ({ operation: "publish", token })
  },
  {
    name: "no-operation",
    title: "A token without an operation doesn't finalize the build.",
    what: "A token without an operation",
    body: (token) => ({ token })
  }
]

const wrongOperation = ({ body, name, title, what }: Wrong): Check => ({
  id: `builds.finalize.${name}`,
  profile: "builds",
  title,
  cost: { requests: 5, bytes: bundleSizeBytes },
  run: Effect.gen(function* () {
    const { config, exchange } = yield* Session
    const { before, latest, reserved } = yield* uploadedBuild("build")
    const url = `${config.url}/api/v1/builds`
    const attempt = exchange({ method: "POST", url, as: a, json: body(reserved.token) })
    yield* refuses(attempt, what, `builds.finalize.${name}`)
    yield* mustLook(latest, before, "A refused finalize leaves the build as it was.")
  })
})

export const operationChecks: ReadonlyArray<Check> = wrongs.map(wrongOperation)
