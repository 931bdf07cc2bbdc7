import { Context, Effect } from "effect"
import type { PreviewDeclaration } from "../model/Preview.ts"
import type { Caller } from "../model/Principal.ts"
import type { InvalidRequest, Unavailable } from "../model/Problem.ts"
import type { ReserveBuild } from "./Builds.ts"

/** An upload that somebody wants to reserve. */
export type AskedReservation =
  | ({ readonly kind: "build" } & ReserveBuild)
  | { readonly kind: "preview"; readonly declaration: PreviewDeclaration }

/** Runs before each reservation, of a build or a preview, and may refuse it. A host replaces it. */
export const BeforeReserve = Context.Reference<
  (caller: Caller, asked: AskedReservation) => Effect.Effect<void, InvalidRequest | Unavailable>
>("slipway/core/service/BeforeReserve", { defaultValue: () => () => Effect.void })
