import { Effect } from "effect"
import { Dialect } from "../../dialect/Dialect.ts"
import type { BuildInput } from "../../dialect/Dialect.ts"
import type { Credential } from "../../session/Exchange.ts"
import { Session } from "../../session/Session.ts"
import { mustAnswer } from "./answers.ts"
import { a } from "./credentials.ts"
import { bundle, buildInput, identityOf } from "./inputs.ts"
import type { BuildOverrides } from "./inputs.ts"

/** Sends a reservation, whatever is answered to it; what it made is in the ledger. */
export const sendReservation = Effect.fnUntraced(function* (input: BuildInput, as: Credential) {
  const dialect = yield* Dialect
  const session = yield* Session
  const answer = yield* dialect.reserveBuild(input, as)
  const { url } = yield* dialect.reserved(answer, input).pipe(Effect.orElseSucceed(() => ({ url: undefined })))
  if (url !== undefined) yield* session.made({ what: "build", id: url, url })
  return answer
})

const reserve = Effect.fnUntraced(function* (input: BuildInput, as: Credential, situation: string) {
  const dialect = yield* Dialect
  const session = yield* Session
  const answer = yield* sendReservation(input, as)
  yield* mustAnswer(answer, "The reservation of a build")
  yield* session.observe(`builds.${situation}.status`, answer.status)
  const reserved = yield* dialect.reserved(answer, input)
  return { input, as, reserved }
})

/** Reserves a build for the first time. */
export const reserveBuild = Effect.fnUntraced(function* (label: string, overrides: BuildOverrides = {}, as = a) {
  return yield* reserve(yield* buildInput(label, overrides), as, "reserve")
})

/** Reserves the build of an earlier reservation again, for another bundle. */
export const reserveBuildAgain = Effect.fnUntraced(function* (
  label: string,
  earlier: { readonly input: BuildInput; readonly as: Credential }
) {
  const input = yield* buildInput(label, { fields: identityOf(earlier.input), bundle: yield* bundle(label) })
  return yield* reserve(input, earlier.as, "reserve-again")
})
