import type { Effect } from "effect"
import type { Rpc } from "effect/rpc"
import type { administrationMethods } from "../administrationMethods.ts"

type Methods = typeof administrationMethods

/** The commands of an administrator, by name. */
export type AllCommands = {
  readonly [Method in keyof Methods]: (
    params: Rpc.PayloadConstructor<Methods[Method]>
  ) => Effect.Effect<Rpc.Success<Methods[Method]>, Rpc.Error<Methods[Method]>>
}

/** Some of the commands. */
export type Commands<Name extends keyof AllCommands> = Pick<AllCommands, Name>
