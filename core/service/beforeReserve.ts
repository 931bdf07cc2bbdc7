import { Context, Effect, Schema } from "effect"
import { BuildDeclaration, BuildIdentity, type CiDetails } from "../model/Build.ts"
import type { PreviewDeclaration } from "../model/Preview.ts"
import type { Caller } from "../model/ApiKey.ts"
import type { InvalidRequest, Unavailable } from "../model/Problem.ts"
import { OwnerName, RepoName } from "../model/Repository.ts"

/** What a build reservation asks for. @see docs/interface.md#2.1 */
export const ReserveBuild = Schema.Struct({
  owner: OwnerName,
  repo: RepoName,
  identity: BuildIdentity,
  declaration: BuildDeclaration
})
export type ReserveBuild = typeof ReserveBuild.Type

/** An upload that somebody wants to reserve. */
export type AskedReservation =
  | ({ readonly kind: "build" } & ReserveBuild)
  | { readonly kind: "preview"; readonly declaration: PreviewDeclaration }

/**
 * Runs before each reservation, of a build or a preview. It may refuse it, and its answer replaces these fields of the declaration. They
 * are no part of an identity, of the stored bytes, or of what an `Idempotency-Key` compares. A host replaces it.
 */
export const BeforeReserve = Context.Reference<
  (caller: Caller, asked: AskedReservation) => Effect.Effect<CiDetails, InvalidRequest | Unavailable>
>("slipway/core/service/BeforeReserve", { defaultValue: () => () => Effect.succeed({}) })
