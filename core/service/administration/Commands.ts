import type { Effect } from "effect"
import type { Rpc } from "effect/rpc"
import type { administrationMethods } from "../administrationMethods.ts"

type Methods = typeof administrationMethods

/** What an administrator can order, by name. */
export type AllCommands = {
  readonly [Method in keyof Methods]: (
    order: Rpc.PayloadConstructor<Methods[Method]>
  ) => Effect.Effect<Rpc.Success<Methods[Method]>, Rpc.Error<Methods[Method]>>
}

/** Some of the commands. */
export type Commands<Name extends keyof AllCommands> = Pick<AllCommands, Name>
