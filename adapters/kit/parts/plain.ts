/**
 * Records as plain JSON, so that they are compared field by field, an absent field equals no field, differences are
 * readable, and cached values don't count.
 */
import { assert } from "@effect/vitest"
import { Option, Schema } from "effect"
import { Account } from "../../../core/model/Account.ts"
import { ApiKey, Session } from "../../../core/model/ApiKey.ts"
import { Build, BuildReservation } from "../../../core/model/Build.ts"
import { IdempotentAnswer } from "../../../core/model/Idempotency.ts"
import { Preview } from "../../../core/model/Preview.ts"
import { Removal } from "../../../core/model/HostedObject.ts"
import { Repository, RepositoryTrust } from "../../../core/model/Repository.ts"
import { Reservation } from "../../../core/model/Reservation.ts"
import { SlipwayEvent } from "../../../core/model/SlipwayEvent.ts"
import { ShareLink } from "../../../core/model/Resource.ts"
import { TestRun } from "../../../core/model/TestRun.ts"
import { BuildTicket } from "../../../core/service/Builds.ts"
import { PreviewTicket } from "../../../core/service/Previews.ts"

/** Records of a model as plain JSON. */
export const plainOf = <S extends Schema.Encoder<unknown>>(schema: S) => {
  const encode = Schema.encodeSync(schema)
  return (value: S["Type"]) => encode(value)
}

export const plainAccount = plainOf(Account)
export const plainKey = plainOf(ApiKey)
export const plainRepository = plainOf(Repository)
export const plainBuild = plainOf(Build)
export const plainReservation = plainOf(BuildReservation)
export const plainPreview = plainOf(Preview)
/** What reservations of builds and previews have in common. */
export const plainUpload = plainOf(Reservation)
export const plainSession = plainOf(Session)
export const plainShareLink = plainOf(ShareLink)
export const plainEvent = plainOf(SlipwayEvent)
export const plainTrust = plainOf(RepositoryTrust)
export const plainRemoval = plainOf(Removal)
export const plainRun = plainOf(TestRun)
export const plainAnswer = plainOf(IdempotentAnswer)
export const plainBuildTicket = plainOf(BuildTicket)
export const plainPreviewTicket = plainOf(PreviewTicket)

/** What was found, as plain JSON, or `undefined`. */
export const found = <A, B>(plain: (value: A) => B, value: Option.Option<A>): B | undefined =>
  Option.getOrUndefined(Option.map(value, plain))

/** Asserts that a record was found, and that every field of it is as expected. */
export const assertFound = <A>(plain: (value: A) => unknown, value: Option.Option<A>, expected: A): void =>
  assert.deepStrictEqual(found(plain, value), plain(expected))
