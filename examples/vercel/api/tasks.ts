import { slipway } from "../slipway.ts"

/** Called by the cron job of vercel.json: it delivers events and collects garbage. */
export default {
  fetch: async ({ headers }: Request) =>
    headers.get("authorization") === `Bearer ${process.env.CRON_SECRET}`
      ? Response.json(await slipway.tasks.runOnce({ budget: "20 seconds" }))
      : new Response(null, { status: 401 })
}
