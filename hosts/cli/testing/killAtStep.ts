/**
 * For `node --import`: kills a host with SIGKILL at a step of what it does from the first event on that it stores. `KILL_AT`
 * is the name of the step and its number among those of that name. Steps are those of SQLite (`watchOutbox`), each message
 * to PostgreSQL and each answer, and each request to a webhook and its answer.
 */
import http from "node:http"
import { syncBuiltinESMExports } from "node:module"
import { Socket } from "node:net"
import { isNewEvent, watchOutbox } from "./outboxSteps.ts"

const { DATABASE_URL, KILL_AT } = process.env

const counted = new Map<string, number>()
const step = (name: string): void => {
  if (counted.size === 0 && name !== "before the INSERT of an event") return
  const number = (counted.get(name) ?? 0) + 1
  counted.set(name, number)
  if (`${name} ${number}` === KILL_AT) process.kill(process.pid, "SIGKILL")
}

watchOutbox(step)

const { request } = http
const watched: typeof request = (...asked: ReadonlyArray<unknown>) => {
  step("before the webhook is asked")
  const sent: http.ClientRequest = Reflect.apply(request, http, asked)
  return sent.prependOnceListener("response", () => step("after the webhook answered"))
}
http.request = watched
syncBuiltinESMExports()

const database = new URL(DATABASE_URL ?? "sqlite:").port
const { write } = Socket.prototype
const seen = new WeakSet<Socket>()
Object.assign(Socket.prototype, {
  write(this: Socket, ...written: Parameters<typeof write>) {
    if (String(this.remotePort) !== database) return write.apply(this, written)
    if (!seen.has(this)) this.prependListener("data", () => step("after an answer of the database"))
    seen.add(this)
    // The text of a statement is sent once on each connection.
    step(
      isNewEvent(Buffer.from(written[0]).toString("latin1"))
        ? "before the INSERT of an event"
        : "before a message to the database"
    )
    return write.apply(this, written)
  }
})
