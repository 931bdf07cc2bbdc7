import { slipway } from "../../slipway"

// Next gives a route no address of the connection. The last one of this header is from Next, or from your proxy.
const clientAddress = ({ headers }: Request) => headers.get("x-forwarded-for")?.split(",").at(-1)?.trim()
const handle = (request: Request) => slipway.fetch(request, { clientAddress: clientAddress(request) })
export { handle as DELETE, handle as GET, handle as HEAD, handle as OPTIONS, handle as POST, handle as PUT }
// Answers come from the stores of this process: they are never made at build time or on the edge.
export const dynamic = "force-dynamic"
export const runtime = "nodejs"
process.once("SIGTERM", () => {
  void slipway.dispose()
  // Next would wait minutes for a client that stopped sending.
  setTimeout(() => process.exit(), 25_000).unref()
})
