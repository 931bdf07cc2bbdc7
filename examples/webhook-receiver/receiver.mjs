import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { Webhook } from "standardwebhooks"

const webhook = new Webhook(process.env.WEBHOOK_SECRET)
const handled = new Set()

createServer(async (request, response) => {
  try {
    // The signature covers the received bytes, so verify them before parsing.
    const event = webhook.verify(await text(request), request.headers)
    if (!handled.has(event.id)) console.log(event.type, event.data.id)
    handled.add(event.id)
    response.writeHead(204).end()
  } catch {
    response.writeHead(400).end()
  }
}).listen(Number(process.env.PORT), "127.0.0.1", () => console.log("receiving"))
