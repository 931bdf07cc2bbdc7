import { Schema } from "effect"
import { message, text } from "./Text.ts"

/** The names of modules, components, commands and methods: `RNFSManager`. */
const Names = Schema.Array(text(200)).check(Schema.isMaxLength(100, { message: "must have at most 100 items" }).abort())

/**
 * What CI found when it opened the app before its upload. It is what the uploader says: the host opens no app.
 *
 * - `reason`: why nothing was drawn or checked, or the first error of an app that is drawn.
 * - `boxes`: the components that are drawn as labelled boxes. `missing`: what else the app asked for and a replay doesn't have.
 */
export const ReplayCheck = Schema.Struct({
  firstScreen: Schema.Literals(["drawn", "not_drawn", "not_checked"]),
  reason: Schema.optionalKey(message(1000)),
  boxes: Schema.optionalKey(Names),
  missing: Schema.optionalKey(Names)
})
export type ReplayCheck = typeof ReplayCheck.Type
