import { slipway } from "../slipway.ts"

// vercel.json sends every request here. Vercel sets x-real-ip itself, whatever a client sends.
export default {
  fetch: (request: Request) => slipway.fetch(request, { clientAddress: request.headers.get("x-real-ip") ?? undefined })
}
