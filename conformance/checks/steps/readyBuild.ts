import { Effect } from "effect"
import { Session } from "../../session/Session.ts"
import { finalizeBuild } from "./finalizeBuild.ts"
import type { BuildOverrides } from "./inputs.ts"
import { reserveBuild } from "./reserveBuild.ts"
import { uploadAll } from "./uploadAll.ts"

/** Reserves, uploads and finalizes a build; `row` is what finalize answered, `url` the build's, wherever it was told. */
export const readyBuild = Effect.fnUntraced(function* (label: string, overrides: BuildOverrides = {}) {
  const reservation = yield* reserveBuild(label, overrides, { account: overrides.account ?? "a", key: "all" })
  yield* uploadAll(reservation.reserved)
  const row = yield* finalizeBuild(reservation.reserved, reservation.as)
  const session = yield* Session
  if (typeof row.status === "string") yield* session.observe("builds.ready.status-value", row.status)
  return { ...reservation, row, url: row.url ?? reservation.reserved.url }
})
