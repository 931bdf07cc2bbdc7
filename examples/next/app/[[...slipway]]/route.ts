import { toNext } from "slipway/hosts/http"
import { slipway } from "../../slipway"

// Not `await slipway.ready`: processes of `next dev` and `next build` that serve nothing load this module too.
export const { DELETE, GET, HEAD, OPTIONS, POST, PUT } = toNext(slipway)
// Answers come from the stores of this process: they are never made at build time or on the edge.
export const dynamic = "force-dynamic"
export const runtime = "nodejs"
process.once("SIGTERM", () => {
  void slipway.dispose()
  // Next would wait minutes for a client that stopped sending.
  setTimeout(() => process.exit(), 25_000).unref()
})
